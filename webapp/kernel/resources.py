"""Files and modules of Lodepost, found in a checkout or an installed wheel; and writing files that survive a crash."""

import errno
import os
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from io import BufferedRandom
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType


def templates_folder() -> Path:
    """Return the folder of the Jinja templates."""
    return _folder_of("templates")


def migrations_folder() -> Path:
    """Return the folder of the alembic migrations."""
    return _folder_of("migrations")


def subject_modules(folder: str) -> Iterator[ModuleType]:
    """Import and yield the modules in this folder of every subject, in the order of their names."""
    package = Path(__file__).resolve().parents[1]
    for path in sorted(package.glob(f"*/{folder}")):
        modules = import_module(f"{package.name}.{path.parent.name}.{folder}")
        for module in iter_modules(modules.__path__, f"{modules.__name__}."):
            yield import_module(module.name)


def lodepost_version() -> str:
    """Return the version of Lodepost; in a checkout, which need not be installed, it is read from ``pyproject.toml``."""
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if not project.is_file():
        return version("lodepost")
    return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def _folder_of(name: str) -> Path:
    package = Path(__file__).resolve().parents[1]
    # A wheel has the folder inside the package, a checkout beside it.
    candidates = (package / name, package.parent / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    places = " nor ".join(str(folder) for folder in candidates)
    raise FileNotFoundError(f"This installation is incomplete: found neither {places}.")


def write_durably(file: Path, content: bytes) -> None:
    """Write a file that only its owner can read, replacing the one that is there."""
    with _temporary_file_beside(file) as (draft, stream):
        stream.write(content)
        _sync_stream(stream)
        draft.replace(file)
    sync_folder(file.parent)


def create_durably(file: Path, content: bytes) -> None:
    """Write a file that only its owner can read; keep the one that is there, if any."""
    with _temporary_file_beside(file) as (draft, stream):
        stream.write(content)
        _sync_stream(stream)
        # Unlike a rename, a link leaves a file in place that another process has just created.
        with suppress(FileExistsError):
            os.link(draft, file)
    sync_folder(file.parent)


@contextmanager
def new_file(file: Path) -> Iterator[BufferedRandom]:
    """Yield a stream to a hidden file that gets its name at a clean exit and is deleted after an exception.

    Raises FileExistsError at the end if a file of that name has appeared.
    """
    with _temporary_file_beside(file) as (draft, stream):
        yield stream
        _sync_stream(stream)
        if os.path.lexists(file):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
        # Not a link: backups are often written to file systems that have none.
        draft.rename(file)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Write the folder itself to disk, so that the names of new files in it survive a crash."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _temporary_file_beside(file: Path) -> Iterator[tuple[Path, BufferedRandom]]:
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as stream:
            yield draft, stream
    finally:
        draft.unlink(missing_ok=True)


def _sync_stream(stream: BufferedRandom) -> None:
    stream.flush()
    os.fsync(stream.fileno())
