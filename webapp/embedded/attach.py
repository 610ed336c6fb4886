"""Use the database in a data folder for a while: through the server that is running there, or one started for the purpose."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from webapp.embedded.cluster import password_of
from webapp.embedded.launch import forget_libpq_environment
from webapp.embedded.server import DATABASE, start, url_at
from webapp.operator_errors import EmbeddedError, FolderInUse

_PORT_LINE_NUMBER = 3


@contextmanager
def attach(folder: Path) -> Iterator[str]:
    """Yield the URL of the database in ``folder``, whether or not a server is running on it. Raises EmbeddedError."""
    if not (folder / "postgres").is_dir():
        raise EmbeddedError(
            f"There is no database in {folder}. Choose the folder with --data, or set DATABASE_URL."
        )
    try:
        server = start(folder)
    except FolderInUse:
        yield _url_of_running_server(folder)
        return
    try:
        yield server.url_of(DATABASE)
    finally:
        server.stop()


@contextmanager
def attach_exclusively(folder: Path) -> Iterator[str]:
    """Yield the URL of the database in ``folder``, created if missing. Raises FolderInUse if a server is running on it."""
    server = start(folder)
    try:
        server.ensure_database(DATABASE)
        yield server.url_of(DATABASE)
    finally:
        server.stop()


def _url_of_running_server(folder: Path) -> str:
    forget_libpq_environment()
    try:
        lines = (folder / "postgres" / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        url = url_at(int(lines[_PORT_LINE_NUMBER]), password_of(folder), DATABASE)
        psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5).close()
    except (OSError, IndexError, ValueError, psycopg.Error):
        raise EmbeddedError(
            f"Another Lodepost is starting or stopping in {folder}. Try again in a moment."
        ) from None
    return url
