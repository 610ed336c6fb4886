"""A database that many tests use one after another: deleting their few rows is far cheaper than a new database for each.

Its pools stay open too, so that statements are compiled, prepared and planned once.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.pool import QueuePool

from tests.support.postgres import Postgres
from webapp.services.tx import Database
from webapp.store.schema.metadata import METADATA

_POOL_SIZE: Final = 8
_MAX_BYTES: Final = 8_000_000
"""A database with larger tables is replaced: nothing vacuums them, and later tests would scan dead rows."""
_CLOSE_OTHER_CONNECTIONS: Final = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
        AND pid <> pg_backend_pid() AND pid <> ALL(%s)
"""
_DELETE_ALL: Final = (
    # No foreign keys and no triggers: the order of the tables does not matter, and append-only ones are emptied too.
    "SET session_replication_role = replica;"
    + "".join(f'DELETE FROM "{table}";' for table in METADATA.tables)
    + "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"
)
_SELECT_TABLE_BYTES: Final = """
    SELECT sum(pg_relation_size(oid)) FROM pg_class
    WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
"""


class SharedDatabase:
    """Lends one migrated database to a test at a time; the next test finds it empty."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._warm_database: _WarmDatabase | None = None
        self._exit_stack = ExitStack()

    @contextmanager
    def lend(self) -> Iterator[Database]:
        """Yield an empty database with warm pools."""
        if self._warm_database is None:
            url = self._exit_stack.enter_context(self._postgres.migrated_database())
            self._warm_database = self._exit_stack.enter_context(_warm_database(url))
        yield self._warm_database.for_one_test()
        if not self._warm_database.can_be_emptied():
            self.close()

    def close(self) -> None:
        """Drop the database."""
        self._warm_database = None
        self._exit_stack.close()


class _LentDatabase(Database):
    """Pools that outlive the test, in an object of its own for what tests keep by database."""

    def __init__(self, engine: Engine, read_only_engine: Engine) -> None:
        self.engine, self.read_only_engine = engine, read_only_engine


class _WarmDatabase:
    """A database, its pools, and the connection that empties it."""

    def __init__(
        self, pools: Database, cleaning_connection: psycopg.Connection[tuple[Any, ...]]
    ) -> None:
        self._engines = (pools.engine, pools.read_only_engine)
        self._cleaning_connection = cleaning_connection
        self._pooled_connections: list[psycopg.Connection[Any]] = []
        for engine in self._engines:
            event.listen(engine, "connect", self._remember_connection)

    def for_one_test(self) -> Database:
        return _LentDatabase(*self._engines)

    def can_be_emptied(self) -> bool:
        """Delete all rows and close what the test left open. Return False if another test cannot use the database."""
        for engine in self._engines:
            assert isinstance(engine.pool, QueuePool)
            if engine.pool.checkedout():
                return False
        self._pooled_connections = [
            pooled_connection
            for pooled_connection in self._pooled_connections
            if not pooled_connection.closed
        ]
        pids = [
            pooled_connection.info.backend_pid for pooled_connection in self._pooled_connections
        ]
        self._cleaning_connection.execute(_CLOSE_OTHER_CONNECTIONS, (pids,))
        self._cleaning_connection.execute(_DELETE_ALL)
        size = self._cleaning_connection.execute(_SELECT_TABLE_BYTES).fetchone()
        return size is not None and size[0] < _MAX_BYTES

    def _remember_connection(self, connection: psycopg.Connection[Any], _record: object) -> None:
        self._pooled_connections.append(connection)


@contextmanager
def _warm_database(url: str) -> Iterator[_WarmDatabase]:
    pools = Database(url, pool_size=_POOL_SIZE)
    driver_url = url.replace("+psycopg", "", 1)
    with psycopg.connect(driver_url, autocommit=True) as cleaning_connection:
        yield _WarmDatabase(pools, cleaning_connection)
    pools.dispose()
