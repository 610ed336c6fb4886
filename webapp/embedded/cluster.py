"""Create the data folder of Postgres (its cluster), completely or not at all."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp.embedded.programs import BUNDLED_POSTGRES, PostgresPrograms, launch, user_for
from webapp.kernel.keys import load_or_create_key
from webapp.kernel.operator_errors import EmbeddedError, StartCancelled

USER = "lodepost"
_FIRST_MAJOR_WITH_BUILTIN_LOCALE = 17
_NEW_CLUSTER_BYTES: Final = 100_000_000
"""What initdb and the first migrations write, rounded up."""
_POLL_SECONDS: Final = 0.05


def ensure_cluster(
    folder: Path,
    programs: PostgresPrograms = BUNDLED_POSTGRES,
    *,
    is_stopping: Callable[[], bool] = lambda: False,
    free_bytes_of: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
) -> Path:
    """Return the cluster inside ``folder``, created if missing. Raises EmbeddedError, or StartCancelled."""
    data_folder = folder / "postgres"
    if data_folder.exists():
        _require_major_version(data_folder, programs.major)
        return data_folder
    draft = folder / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    _require_space(folder, free_bytes_of(folder))
    password = load_or_create_key(folder / "postgres-password")
    _initialise_cluster(draft, password, programs, is_stopping)
    draft.rename(data_folder)
    return data_folder


def password_of(folder: Path) -> str:
    """Return the password of the cluster in ``folder``. Raises EmbeddedError if it is missing."""
    file = folder / "postgres-password"
    if not file.exists():
        raise EmbeddedError(
            f"{file} is missing; without it {folder / 'postgres'} cannot be opened. "
            "Restore it from a backup."
        )
    return load_or_create_key(file)


def _require_major_version(data_folder: Path, major: str) -> None:
    version_file = data_folder / "PG_VERSION"
    found_version = (
        version_file.read_text(encoding="ascii").strip()
        if version_file.exists()
        else "an unknown version"
    )
    if found_version != major:
        raise EmbeddedError(
            f"{data_folder} was written by Postgres {found_version}, but this release of Lodepost uses Postgres {major}. "
            "Nothing was changed. Back it up with the release that wrote it and restore the backup with this one, "
            "or use another --data folder."
        )


def _require_space(folder: Path, free_byte_count: int) -> None:
    if free_byte_count < _NEW_CLUSTER_BYTES:
        raise EmbeddedError(
            f"Only {free_byte_count // 1_000_000} MB are free for {folder}, and a new database needs "
            f"{_NEW_CLUSTER_BYTES // 1_000_000} MB. Free some space, or choose another folder with --data."
        )


def _initialise_cluster(
    draft: Path, password: str, programs: PostgresPrograms, is_stopping: Callable[[], bool]
) -> None:
    draft.mkdir(mode=0o700)
    user = user_for(draft)
    with (
        tempfile.NamedTemporaryFile("w", encoding="ascii") as password_file,
        tempfile.TemporaryFile() as log,
    ):
        password_file.write(password)
        password_file.flush()
        if user is not None:
            os.chown(draft, user.uid, user.gid)
            os.chown(password_file.name, user.uid, user.gid)
        arguments = _initdb_arguments(password_file.name, programs)
        process = launch("initdb", arguments, programs=programs, data_folder=draft, output=log)
        if _exit_status(process, is_stopping) != 0:
            log.seek(0)
            raise EmbeddedError(f"initdb failed:\n{log.read().decode(errors='backslashreplace')}")


def _exit_status(process: subprocess.Popen[bytes], is_stopping: Callable[[], bool]) -> int:
    """Wait for the end of a process; if this one is to stop meanwhile, end it and raise StartCancelled."""
    while not is_stopping():
        with suppress(subprocess.TimeoutExpired):
            return process.wait(_POLL_SECONDS)
    process.terminate()
    process.wait()
    raise StartCancelled


def _initdb_arguments(password_file: str, programs: PostgresPrograms) -> list[str]:
    return [
        f"--username={USER}",
        f"--pwfile={password_file}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        *_locale_for(int(programs.major)),
    ]


def _locale_for(major: int) -> tuple[str, ...]:
    if major < _FIRST_MAJOR_WITH_BUILTIN_LOCALE:
        return ("--locale=C.UTF-8",)
    # The built-in provider sorts the same on every machine and after every upgrade.
    return ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
