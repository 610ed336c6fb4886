"""A database whose changes are undone at the end of a block, so that many requests can start from the same content."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection, Engine

from webapp.kernel.tx import Database


class SingleConnectionPool:
    """Stands for a pool: every transaction is a savepoint on one connection, whose own transaction never commits."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.commit_count = 0
        """How many transactions that may change something have ended without an exception."""

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        with self._savepoint() as connection:
            yield connection
        self.commit_count += 1

    def connect(self) -> AbstractContextManager[Connection]:
        return self._savepoint()

    @contextmanager
    def _savepoint(self) -> Iterator[Connection]:
        with self.connection.begin_nested():
            yield self.connection


@contextmanager
def roll_back_commits(database: Database) -> Iterator[SingleConnectionPool]:
    """Let the database forget at the end of the block everything that was committed in it."""
    engine, read_only_engine = database.engine, database.read_only_engine
    with engine.connect() as connection:
        single_connection_pool = SingleConnectionPool(connection)
        database.engine = database.read_only_engine = _as_engine(single_connection_pool)
        database.autocommit_engine = database.engine
        try:
            yield single_connection_pool
        finally:
            connection.rollback()
            database.engine, database.read_only_engine = engine, read_only_engine
            del database.autocommit_engine


def _as_engine(pool: object) -> Engine:
    return pool  # type: ignore[return-value] # it has the two methods that transactions use
