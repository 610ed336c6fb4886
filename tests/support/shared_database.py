"""A database that many tests use one after another: deleting their few rows is far cheaper than a new database for each.

Its pools stay open too, so that statements are compiled, prepared and planned once. What many tests begin with, a scene,
is made once, and copied for all others.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final, NamedTuple, TypeVar

import psycopg
from psycopg import sql
from sqlalchemy import Engine, event
from sqlalchemy.pool import QueuePool

from tests.support.postgres import Postgres
from webapp.kernel.tx import Database
from webapp.operations.queries.table_copy import METADATA

_POOL_SIZE: Final = 8
_MAX_BYTES: Final = 8_000_000
"""A database with larger tables is replaced: nothing vacuums them, and later tests would scan dead rows."""
_TESTS_PER_MEASUREMENT: Final = 8
"""After so many tests the tables are measured, which takes longer than deleting their rows."""
_CLOSE_OTHER_CONNECTIONS: Final = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
        AND pid <> pg_backend_pid() AND pid <> ALL(%s)
"""
_DELETE_ALL: Final = (
    "".join(f'DELETE FROM "{table}";' for table in METADATA.tables)
    + "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"
)
_SELECT_TABLE_BYTES: Final = """
    SELECT sum(pg_relation_size(oid)) FROM pg_class
    WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
"""
_SELECT_FILLED_TABLES: Final = " UNION ALL ".join(
    f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in METADATA.tables
)
_SELECT_USED_SEQUENCES: Final = """
    SELECT format('%I.%I', schemaname, sequencename), last_value FROM pg_sequences
    WHERE last_value IS NOT NULL
"""
_T = TypeVar("_T")


class SharedDatabase:
    """Lends one migrated database to a test at a time; the next test finds it empty."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._warm_database: _WarmDatabase | None = None
        self._scenes: dict[tuple[str, ...], _Scene] = {}
        self._exit_stack = ExitStack()

    @contextmanager
    def lend(self) -> Iterator[Database]:
        """Yield an empty database with warm pools."""
        if self._warm_database is None:
            url = self._exit_stack.enter_context(self._postgres.migrated_database())
            self._warm_database = self._exit_stack.enter_context(_warm_database(url, self._scenes))
        lent_database = self._warm_database.for_one_test()
        yield lent_database
        lent_database.close()
        if not self._warm_database.can_be_emptied():
            self.close()

    def close(self) -> None:
        """Drop the database."""
        self._warm_database = None
        self._exit_stack.close()


class _Scene(NamedTuple):
    """All rows of a database, what has been drawn from its sequences, and what the function that made them has returned."""

    rows: dict[str, bytes]
    sequences: list[tuple[str, int]]
    value: Any


class LentDatabase(Database):
    """Pools that outlive the test, in an object of its own for what tests keep by database."""

    def __init__(
        self,
        engine: Engine,
        read_only_engine: Engine,
        *,
        cleaning_connection: psycopg.Connection[tuple[Any, ...]],
        scenes: dict[tuple[str, ...], _Scene],
    ) -> None:
        self.engine, self.read_only_engine = engine, read_only_engine
        self._cleaning_connection = cleaning_connection
        self._scenes = scenes
        self._names: tuple[str, ...] = ()
        """The scenes that have been entered one after another."""
        self._has_other_rows = False
        event.listen(engine, "commit", self._note_commit)

    def enter_scene(self, name: str, create: Callable[[], _T]) -> _T:
        """Fill the database and return what ``create`` returns, without calling it if another test has done so.

        If the database holds anything but scenes, it is called.
        """
        if self._has_other_rows:
            return create()
        names = (*self._names, name)
        if names in self._scenes:
            self._copy(self._scenes[names])
        else:
            value = create()
            self._scenes[names] = self._stored_scene(value)
        self._names, self._has_other_rows = names, False
        value_of_scene: _T = self._scenes[names].value
        return value_of_scene

    def close(self) -> None:
        event.remove(self.engine, "commit", self._note_commit)

    def _note_commit(self, _connection: object) -> None:
        self._has_other_rows = True

    def _stored_scene(self, value: object) -> _Scene:
        tables = [row[0] for row in self._cleaning_connection.execute(_SELECT_FILLED_TABLES)]
        sequences = self._cleaning_connection.execute(_SELECT_USED_SEQUENCES).fetchall()
        rows = {table: self._rows_of(table) for table in tables}
        return _Scene(rows, [(row[0], row[1]) for row in sequences], value)

    def _rows_of(self, table: str) -> bytes:
        copy_command = sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))
        with self._cleaning_connection.cursor().copy(copy_command) as copy:
            return b"".join(bytes(block) for block in copy)

    def _copy(self, scene: _Scene) -> None:
        """Replace the scene before, which is a part of this one."""
        cursor = self._cleaning_connection.cursor()
        if self._names:
            cursor.execute(_DELETE_ALL)
        for table, rows in scene.rows.items():
            copy_command = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))
            with cursor.copy(copy_command) as copy:
                copy.write(rows)
        names, values = zip(*scene.sequences, strict=True)
        cursor.execute(
            "SELECT setval(name::regclass, value) FROM unnest(%s::text[], %s::bigint[]) AS used (name, value)",
            (list(names), list(values)),
        )


class _WarmDatabase:
    """A database, its pools, and the connection that empties it."""

    def __init__(
        self,
        pools: Database,
        cleaning_connection: psycopg.Connection[tuple[Any, ...]],
        scenes: dict[tuple[str, ...], _Scene],
    ) -> None:
        self._engines = (pools.engine, pools.read_only_engine)
        self._cleaning_connection = cleaning_connection
        self._scenes = scenes
        self._pooled_connections: list[psycopg.Connection[Any]] = []
        self._test_count = 0
        for engine in self._engines:
            event.listen(engine, "connect", self._remember_connection)

    def for_one_test(self) -> LentDatabase:
        return LentDatabase(
            *self._engines, cleaning_connection=self._cleaning_connection, scenes=self._scenes
        )

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
        self._test_count += 1
        if self._test_count % _TESTS_PER_MEASUREMENT:
            return True
        size = self._cleaning_connection.execute(_SELECT_TABLE_BYTES).fetchone()
        return size is not None and size[0] < _MAX_BYTES

    def _remember_connection(self, connection: psycopg.Connection[Any], _record: object) -> None:
        self._pooled_connections.append(connection)


@contextmanager
def _warm_database(url: str, scenes: dict[tuple[str, ...], _Scene]) -> Iterator[_WarmDatabase]:
    pools = Database(url, pool_size=_POOL_SIZE)
    driver_url = url.replace("+psycopg", "", 1)
    with psycopg.connect(driver_url, autocommit=True) as cleaning_connection:
        # No foreign keys and no triggers: the order of tables does not matter, and append-only ones are emptied too.
        cleaning_connection.execute("SET session_replication_role = replica")
        yield _WarmDatabase(pools, cleaning_connection, scenes)
    pools.dispose()
