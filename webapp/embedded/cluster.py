"""The folder in which a Postgres keeps its data: made whole, or not at all."""

import os
import shutil
import tempfile
from pathlib import Path

from webapp.embedded.binaries import OURS, Installation
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.launch import launch
from webapp.embedded.unprivileged_user import person_for
from webapp.keys import key_kept_in

USER = "lodepost"
_FIRST_WITH_ITS_OWN_LOCALE = 17


def make_cluster(folder: Path, installation: Installation = OURS) -> Path:
    """Return the data folder inside `folder`, made where there is none; raise EmbeddedError."""
    data = folder / "postgres"
    if data.exists():
        _refuse_another_major(data, installation.major)
        return data
    draft = folder / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    _initialise(draft, key_kept_in(folder / "postgres-password"), installation)
    draft.rename(data)
    return data


def password_of(folder: Path) -> str:
    """Return the password of the cluster in `folder`; raise EmbeddedError when it was lost."""
    kept = folder / "postgres-password"
    if not kept.exists():
        raise EmbeddedError(
            f"{kept} is missing: without it nobody can read {folder / 'postgres'}. "
            "Put it back from a backup."
        )
    return key_kept_in(kept)


def _refuse_another_major(data: Path, ours: str) -> None:
    marker = data / "PG_VERSION"
    found = marker.read_text(encoding="ascii").strip() if marker.exists() else "an unknown version"
    if found != ours:
        raise EmbeddedError(
            f"{data} was written by Postgres {found}, and this Lodepost carries Postgres {ours}. "
            f"Nothing was touched. Export it with the Lodepost that wrote it (pg_dump), or start "
            f"with another --data."
        )


def _initialise(draft: Path, password: str, installation: Installation) -> None:
    draft.mkdir(mode=0o700)
    person = person_for(draft)
    with (
        tempfile.NamedTemporaryFile("w", encoding="ascii") as kept,
        tempfile.TemporaryFile() as log,
    ):
        kept.write(password)
        kept.flush()
        if person is not None:
            os.chown(draft, person.uid, person.gid)
            os.chown(kept.name, person.uid, person.gid)
        words = _initdb_arguments(kept.name, installation)
        made = launch("initdb", words, of=installation, data=draft, output=log)
        if made.wait() != 0:
            log.seek(0)
            raise EmbeddedError(f"initdb failed:\n{log.read().decode(errors='replace')}")


def _initdb_arguments(password_file: str, installation: Installation) -> list[str]:
    return [
        f"--username={USER}",
        f"--pwfile={password_file}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        *_locale_for(int(installation.major)),
    ]


def _locale_for(major: int) -> tuple[str, ...]:
    if major < _FIRST_WITH_ITS_OWN_LOCALE:
        return ("--locale=C.UTF-8",)
    # The provider inside Postgres sorts the same on every machine and after every upgrade.
    return ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
