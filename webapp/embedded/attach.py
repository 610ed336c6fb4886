"""The database in a data folder for a while: that of the server at work there, or of one started for the visit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from webapp.embedded.cluster import password_of
from webapp.embedded.errors import EmbeddedError, InUse
from webapp.embedded.server import DATABASE, start, url_at

_LINE_OF_PORT = 3


@contextmanager
def visited(folder: Path) -> Iterator[str]:
    """Yield the URL of the database in `folder`, whether a Lodepost serves it now or not. Raises EmbeddedError."""
    if not (folder / "postgres").is_dir():
        raise EmbeddedError(
            f"There is no database in {folder}. Name the folder with --data, or set DATABASE_URL."
        )
    try:
        server = start(folder)
    except InUse:
        yield _url_of_running(folder)
        return
    try:
        yield server.url_of(DATABASE)
    finally:
        server.stop()


@contextmanager
def alone_in(folder: Path) -> Iterator[str]:
    """Yield the URL of the database in `folder`, made where there is none. Raises InUse where somebody serves it."""
    server = start(folder)
    try:
        server.ensure_database(DATABASE)
        yield server.url_of(DATABASE)
    finally:
        server.stop()


def _url_of_running(folder: Path) -> str:
    try:
        lines = (folder / "postgres" / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        url = url_at(int(lines[_LINE_OF_PORT]), password_of(folder), DATABASE)
        psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5).close()
    except (OSError, IndexError, ValueError, psycopg.Error):
        raise EmbeddedError(
            f"Another Lodepost is starting or stopping in {folder}. Try again in a moment."
        ) from None
    return url
