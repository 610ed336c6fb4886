"""The whole database, out as it stood at one instant and in again: a stream for every table, never all of it in memory."""

import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, LiteralString

import msgspec
import psycopg
from psycopg import sql

from webapp.store.schema.metadata import METADATA

TABLES: Final = {
    # Plain words, not SQLAlchemy's own kind of them.
    str(table.name): tuple(str(column.name) for column in table.c)
    for table in METADATA.sorted_tables
}
"""Every table with its columns; one that others refer to stands before them."""
_COUNTED: Final = tuple(
    (str(table.name), str(column.name))
    for table in METADATA.sorted_tables
    for column in table.c
    if column.identity is not None
)
"""The columns whose numbers a sequence gives out."""
_CONNECT_SECONDS: Final = 5
_LEAVING: Final = (0.05, 0.1, 0.2, 0.4)
"""Seconds between looks at who is connected: somebody who has just left is still counted for a moment."""
# How a value is written down must not depend on the settings of a server.
_SPOKEN: Final = {
    "bytea_output": "hex",
    "datestyle": "ISO,YMD",
    "intervalstyle": "iso_8601",
    "timezone": "UTC",
    "statement_timeout": "0",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "0",
}


class Away(Exception):
    """No database answers there, or it does not do what it is asked; in its own words."""


class Occupied(Exception):
    """The database is not free to be filled; the sentence says why, and what would be right."""


class Rejected(Exception):
    """The database takes no such rows. Nothing of them was kept."""


class Count(msgspec.Struct, frozen=True):
    """Where a sequence stands; ``is_used`` False means that ``last`` itself is still to be given out."""

    last: int
    is_used: bool


class Instant:
    """One instant of a database: whatever is committed later is not in it."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection

    def rows_of(self, table: str) -> Iterator[bytes]:
        """The rows as COPY writes them, in pieces."""
        with (
            self.connection.cursor() as cursor,
            cursor.copy(_copy(table, "TO STDOUT")) as copy,
        ):
            yield from map(bytes, copy)

    def counts(self) -> dict[str, Count]:
        """Where the sequences stand, by table. They run ahead of the instant, never behind it."""
        return {table: self._count(table, column) for table, column in _COUNTED}

    def _count(self, table: str, column: str) -> Count:
        name = _sequence_of(self.connection, table, column)
        query = sql.SQL("SELECT last_value, is_called FROM {}").format(name)
        row = self.connection.execute(query).fetchone()
        assert row is not None
        return Count(*row)


class Filling:
    """A database being filled: all of it, or nothing."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection

    def put(self, table: str, rows: Iterable[bytes]) -> int:
        """Take the rows of a table, as COPY wrote them; how many. Raises Rejected."""
        try:
            with self.connection.cursor() as cursor:
                with cursor.copy(_copy(table, "FROM STDIN")) as copy:
                    for piece in rows:
                        copy.write(piece)
                return cursor.rowcount
        except psycopg.OperationalError:
            raise
        except psycopg.Error as problem:
            # Its own words would quote the row.
            raise Rejected(f"{table} ({problem.sqlstate})") from None

    def set_counts(self, counts: dict[str, Count]) -> None:
        """Let the sequences go on where they stood: a number that was given out once is not given out again."""
        for table, column in _COUNTED:
            name = _sequence_of(self.connection, table, column).as_string(self.connection)
            count = counts[table]
            self.connection.execute("SELECT setval(%s, %s, %s)", (name, count.last, count.is_used))


def counted_tables() -> set[str]:
    """The tables whose rows are numbered by a sequence."""
    return {table for table, _ in _COUNTED}


@contextmanager
def instant_of(url: str) -> Iterator[Instant]:
    """One instant of the database, to be read for as long as it takes. Raises Away."""
    with _connected(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            yield Instant(connection)


@contextmanager
def locked_instant_of(url: str) -> Iterator[Instant]:
    """One instant of the database; until the end nobody changes its schema. Raises Away."""
    with instant_of(url) as instant:
        _lock(instant.connection, "ACCESS SHARE")
        yield instant


@contextmanager
def filling(url: str) -> Iterator[Filling]:
    """A transaction in which empty tables are filled; nobody sees them before its end. Raises Away and Occupied."""
    with _connected(url) as connection, connection.transaction():
        _require_writable(connection)
        _lock(connection, "ACCESS EXCLUSIVE")
        _require_empty(connection, TABLES.keys())
        yield Filling(connection)


def require_free(url: str) -> None:
    """Raise Occupied where anybody else is connected, or anything is kept; Away where nothing answers."""
    with _connected(url) as connection:
        _require_writable(connection)
        _require_alone(connection)
        known = _known_tables(connection)
        if known and "alembic_version" not in known:
            raise Occupied(
                "The database holds tables that are not Lodepost's. Name an empty one of its own."
            )
        _require_empty(connection, known & TABLES.keys())


@contextmanager
def _connected(url: str) -> Iterator[psycopg.Connection]:
    try:
        options = " ".join(f"-c {name}={value}" for name, value in _SPOKEN.items())
        with psycopg.connect(
            url.replace("+psycopg", "", 1),
            connect_timeout=_CONNECT_SECONDS,
            client_encoding="utf8",
            application_name="lodepost upkeep",
            options=options,
            autocommit=True,
        ) as connection:
            yield connection
    except psycopg.Error as problem:
        # What else it says may quote a row.
        raise Away(problem.diag.message_primary or str(problem).strip()) from None


def _lock(connection: psycopg.Connection, mode: LiteralString) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, TABLES))
    connection.execute(sql.SQL("LOCK TABLE {} IN " + mode + " MODE").format(names))


def _require_empty(connection: psycopg.Connection, tables: Collection[str]) -> None:
    for table in sorted(tables):
        query = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table))
        if connection.execute(query).fetchone() == (True,):
            raise Occupied(
                f"The database is not empty (there are rows in the table {table}). "
                "Nothing was touched: name an empty database, or another --data."
            )


def _require_writable(connection: psycopg.Connection) -> None:
    if connection.execute("SHOW transaction_read_only").fetchone() == ("on",):
        raise Occupied("The database is read-only; it must be one that can be written.")


def _require_alone(connection: psycopg.Connection) -> None:
    for pause in _LEAVING:
        if not _others(connection):
            return
        time.sleep(pause)
    if others := _others(connection):
        raise Occupied(
            f"Others are connected to the database ({others}). "
            "Nothing was touched: stop web, worker and beat, and whoever else looks, first."
        )


def _others(connection: psycopg.Connection) -> int:
    found = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    ).fetchone()
    assert found
    return int(found[0])


def _known_tables(connection: psycopg.Connection) -> set[str]:
    rows = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = ANY (current_schemas(false))"
    )
    return {name for (name,) in rows}


def _copy(table: str, direction: LiteralString) -> sql.Composed:
    columns = sql.SQL(", ").join(map(sql.Identifier, TABLES[table]))
    return sql.SQL("COPY {} ({}) " + direction).format(sql.Identifier(table), columns)


def _sequence_of(connection: psycopg.Connection, table: str, column: str) -> sql.Identifier:
    quoted = sql.Identifier(table).as_string(connection)
    row = connection.execute(
        "SELECT nspname, relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace "
        "WHERE pg_class.oid = pg_get_serial_sequence(%s, %s)::regclass",
        (quoted, column),
    ).fetchone()
    assert row is not None
    return sql.Identifier(*row)
