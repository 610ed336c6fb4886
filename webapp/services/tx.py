"""Transactions: opened and closed by pages, tasks and the command line; no service ever commits."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from sqlalchemy import Connection

from webapp.store import connections
from webapp.store.connections import Database, database_for

__all__ = ["Database", "Nudge", "Tx", "database_for", "read_only", "savepoint", "transaction"]

Nudge: TypeAlias = Literal["emails", "bots"]


class Tx:
    """A transaction under way, and what is worth a nudge once it is committed."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.nudges: set[Nudge] = set()


@contextmanager
def transaction(database: Database) -> Iterator[Tx]:
    """Commit at a clean end, roll back on any exception. Raises Unavailable when the database cannot answer."""
    with connections.writing(database) as connection:
        yield Tx(connection)


@contextmanager
def read_only(database: Database) -> Iterator[Tx]:
    """Look without a transaction: each statement stands alone, and nothing may be changed."""
    with connections.reading(database) as connection:
        yield Tx(connection)


@contextmanager
def savepoint(tx: Tx) -> Iterator[None]:
    """Undo only what is done in here when it fails; the transaction itself goes on."""
    with tx.connection.begin_nested():
        yield
