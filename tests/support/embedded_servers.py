"""Embedded Postgres servers of tests, and a table that proves whether data is kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.support.postgres import copy_cluster
from webapp.embedded.server import Server, start


@contextmanager
def running_server_in(folder: Path, *, creates_cluster: bool = False) -> Iterator[Server]:
    """Run a server with this data folder; a new one gets a copied cluster, or lets the server create it."""
    if not creates_cluster:
        copy_cluster(folder)
    server = start(folder)
    try:
        yield server
    finally:
        server.stop()


def connect(server: Server) -> psycopg.Connection:
    return psycopg.connect(server.url_of("postgres").replace("+psycopg", ""), autocommit=True)


def insert_word(server: Server, word: str) -> None:
    with connect(server) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS words (word text)")
        connection.execute("INSERT INTO words VALUES (%s)", (word,))


def stored_words(server: Server) -> list[str]:
    with connect(server) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM words")]


def release_lock(server: Server) -> None:
    """Release the lock of the folder, as if the process that started the server had been killed."""
    server.lock.close()
