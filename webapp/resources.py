"""Where the files are that are not Python: the same call in a checkout and in an installed wheel."""

from pathlib import Path


def templates_folder() -> Path:
    return _folder_of("templates")


def migrations_folder() -> Path:
    return _folder_of("migrations")


def _folder_of(name: str) -> Path:
    package = Path(__file__).resolve().parent
    # A wheel carries the folder inside the package, a checkout beside it.
    candidates = (package / name, package.parent / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    places = " nor ".join(str(folder) for folder in candidates)
    raise FileNotFoundError(f"This installation is incomplete: there is neither {places}.")
