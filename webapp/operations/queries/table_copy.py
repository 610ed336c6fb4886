"""Copy all tables out of a database as of one instant, and into an empty one; rows are streamed, never all in memory."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Final, LiteralString

import msgspec
import psycopg
from psycopg import sql
from sqlalchemy import MetaData

from webapp.accounts import schema as accounts
from webapp.clock import schema as clock
from webapp.clubs import schema as clubs
from webapp.kernel.database import connection_options
from webapp.kernel.operator_errors import DatabaseFailure, UnsuitableDatabase
from webapp.kernel.schema import Base
from webapp.lobby import schema as lobby
from webapp.mail import schema as notifications
from webapp.mail.schema import StoredMessage
from webapp.moderation import schema as moderation
from webapp.operations import schema as operations
from webapp.play import schema as play

SCHEMA_MODULES: Final = (
    accounts,
    clock,
    clubs,
    lobby,
    moderation,
    notifications,
    operations,
    play,
)
METADATA: Final[MetaData] = Base.metadata


TABLES: Final = {
    # Plain str, not SQLAlchemy's subclass of it.
    str(table.name): tuple(str(column.name) for column in table.c)
    for table in METADATA.sorted_tables
    if table is not StoredMessage.__table__
}
"""Every table with its columns; a table comes after those that it references.

Messages of emails are left out: they contain live tokens, a standby does not have them, and they are composed again.
"""
_IDENTITY_COLUMNS: Final = tuple(
    (str(table.name), str(column.name))
    for table in METADATA.sorted_tables
    for column in table.c
    if column.identity is not None
)
"""The columns whose numbers come from a sequence."""
_CONNECT_SECONDS: Final = 5
_SECONDS_BETWEEN_COUNTS: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds between counts of other connections: one that has just closed is still counted for a moment."""
# The text form of a value must not depend on the settings of a server.
_SESSION_SETTINGS: Final = {
    "bytea_output": "hex",
    "datestyle": "ISO,YMD",
    "intervalstyle": "iso_8601",
    "timezone": "UTC",
    "statement_timeout": "0",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "0",
}


class RowsRejected(Exception):
    """The database does not accept these rows; none of them was stored."""


class SequenceValue(msgspec.Struct, frozen=True):
    """The position of a sequence; ``is_used`` is False while ``last`` itself has not been given out."""

    last: Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
    is_used: bool


class ReadTransaction:
    """A database as of one instant: later commits are not visible."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection

    def rows_of(self, table: str) -> Iterator[bytes]:
        """Yield the rows in the text format of COPY, in chunks."""
        with (
            self.connection.cursor() as cursor,
            cursor.copy(_copy_statement(table, "TO STDOUT")) as copy,
        ):
            yield from map(bytes, copy)

    def sequence_values(self) -> dict[str, SequenceValue]:
        """Return the value of every sequence by table. Sequences may be ahead of the instant, never behind it."""
        return {table: self._sequence_value(table, column) for table, column in _IDENTITY_COLUMNS}

    def _sequence_value(self, table: str, column: str) -> SequenceValue:
        name = _sequence_of(self.connection, table, column)
        query = sql.SQL("SELECT last_value, is_called FROM {}").format(name)
        row = self.connection.execute(query).fetchone()
        assert row is not None
        return SequenceValue(*row)


class LoadTransaction:
    """A transaction that fills empty tables: all of them, or none."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection

    def insert_rows(self, table: str, rows: Iterable[bytes]) -> int:
        """Insert rows in the text format of COPY; return how many. Raises RowsRejected."""
        try:
            with self.connection.cursor() as cursor:
                with cursor.copy(_copy_statement(table, "FROM STDIN")) as copy:
                    for chunk in rows:
                        copy.write(chunk)
                return cursor.rowcount
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            # The driver's own message would quote the row.
            raise RowsRejected(f"{table} ({error.sqlstate})") from None

    def set_sequences(self, values: dict[str, SequenceValue]) -> None:
        """Continue every sequence where it was, so that no number is given out twice."""
        for table, column in _IDENTITY_COLUMNS:
            name = _sequence_of(self.connection, table, column).as_string(self.connection)
            value = values[table]
            self.connection.execute("SELECT setval(%s, %s, %s)", (name, value.last, value.is_used))


def tables_with_sequence() -> set[str]:
    """Return the tables whose rows are numbered by a sequence."""
    return {table for table, _ in _IDENTITY_COLUMNS}


@contextmanager
def read_transaction(url: str) -> Iterator[ReadTransaction]:
    """Yield a read-only transaction that sees one instant of the database. Raises DatabaseFailure."""
    with _connect(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            yield ReadTransaction(connection)


@contextmanager
def schema_locked_read_transaction(url: str) -> Iterator[ReadTransaction]:
    """Yield the same, while no other process can change the schema. Raises DatabaseFailure."""
    with read_transaction(url) as transaction:
        _lock_tables(transaction.connection, "ACCESS SHARE")
        yield transaction


@contextmanager
def load_transaction(url: str) -> Iterator[LoadTransaction]:
    """Yield a transaction that fills the empty tables. Raises DatabaseFailure and UnsuitableDatabase."""
    with _connect(url) as connection, connection.transaction():
        _require_writable(connection)
        _lock_tables(connection, "ACCESS EXCLUSIVE")
        _require_empty(connection, TABLES.keys())
        yield LoadTransaction(connection)


def require_restorable(url: str, *, pause: Callable[[float], object] = time.sleep) -> None:
    """Raise UnsuitableDatabase if the database has rows or other connections, DatabaseFailure if it does not answer.

    Postgres counts a connection for a moment after its client has closed it: ``pause`` waits for that.
    """
    with _connect(url) as connection:
        _require_writable(connection)
        _require_no_other_connections(connection, pause)
        tables = _existing_tables(connection)
        if tables and "alembic_version" not in tables:
            raise UnsuitableDatabase(
                "The database has tables that are not Lodepost's. Use an empty database."
            )
        _require_empty(connection, tables & TABLES.keys())


@contextmanager
def _connect(url: str) -> Iterator[psycopg.Connection]:
    try:
        with psycopg.connect(
            url.replace("+psycopg", "", 1),
            connect_timeout=_CONNECT_SECONDS,
            client_encoding="utf8",
            application_name="lodepost operations",
            options=connection_options(_SESSION_SETTINGS),
            autocommit=True,
        ) as connection:
            yield connection
    except psycopg.Error as error:
        # The rest of the error may quote a row.
        raise DatabaseFailure(error.diag.message_primary or str(error).strip()) from None


def _lock_tables(connection: psycopg.Connection, mode: LiteralString) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, TABLES))
    connection.execute(sql.SQL("LOCK TABLE {} IN " + mode + " MODE").format(names))


def _require_empty(connection: psycopg.Connection, tables: Collection[str]) -> None:
    for table in sorted(tables):
        query = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table))
        if connection.execute(query).fetchone() == (True,):
            raise UnsuitableDatabase(
                f"The database is not empty (table {table} has rows). "
                "Nothing was changed: use an empty database or another --data folder."
            )


def _require_writable(connection: psycopg.Connection) -> None:
    if connection.execute("SHOW transaction_read_only").fetchone() == ("on",):
        raise UnsuitableDatabase("The database is read-only. Use one that can be written to.")


def _require_no_other_connections(
    connection: psycopg.Connection, pause: Callable[[float], object]
) -> None:
    for seconds in _SECONDS_BETWEEN_COUNTS:
        if not _count_other_connections(connection):
            return
        pause(seconds)
    if connection_count := _count_other_connections(connection):
        raise UnsuitableDatabase(
            f"The database has {connection_count} other connections. "
            "Nothing was changed: stop web, worker, beat and all other clients first."
        )


def _count_other_connections(connection: psycopg.Connection) -> int:
    row = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    ).fetchone()
    assert row
    return int(row[0])


def _existing_tables(connection: psycopg.Connection) -> set[str]:
    rows = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = ANY (current_schemas(false))"
    )
    return {name for (name,) in rows}


def _copy_statement(table: str, direction: LiteralString) -> sql.Composed:
    columns = sql.SQL(", ").join(map(sql.Identifier, TABLES[table]))
    return sql.SQL("COPY {} ({}) " + direction).format(sql.Identifier(table), columns)


def _sequence_of(connection: psycopg.Connection, table: str, column: str) -> sql.Identifier:
    quoted_table = sql.Identifier(table).as_string(connection)
    row = connection.execute(
        "SELECT nspname, relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace "
        "WHERE pg_class.oid = pg_get_serial_sequence(%s, %s)::regclass",
        (quoted_table, column),
    ).fetchone()
    assert row is not None
    return sql.Identifier(*row)
