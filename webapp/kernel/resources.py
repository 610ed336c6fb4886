"""Locate the files that are not Python, both in a checkout and in an installed wheel."""

import tomllib
from importlib.metadata import version
from pathlib import Path


def templates_folder() -> Path:
    """Return the folder of the Jinja templates."""
    return _folder_of("templates")


def migrations_folder() -> Path:
    """Return the folder of the alembic migrations."""
    return _folder_of("migrations")


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
