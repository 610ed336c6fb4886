"""Connections to Postgres: their time limits, what their errors mean and may show, and the two pools of a process.

``is_storable`` says which texts may be in a query.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.types.array import ListBinaryDumper
from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection, IsolationLevel
from sqlalchemy.exc import DisconnectionError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

UNAVAILABLE_ERRORS: Final = (
    OperationalError,
    InterfaceError,
    PoolTimeout,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
)
"""The errors of a database that cannot be reached, is too busy to answer in time, or takes no changes at present."""


class WriteRefused(Exception):
    """The database refused what was to be written, all of it."""


CONNECTION_SETTINGS: Final[Mapping[str, str]] = {
    # A page that takes longer is useless to its viewer, and a process that died must not keep its locks.
    "statement_timeout": "10s",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "30s",
    # The rest may be set otherwise for the database, the role or, by PG* variables, the process.
    "timezone": "UTC",
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "default_transaction_isolation": "read committed",
}
"""The settings that every session asks for when it connects, spelled as Postgres shows them."""
_READ_ONLY_CONNECTION_SETTINGS: Final = {
    **CONNECTION_SETTINGS,
    "default_transaction_read_only": "on",
}
_CONNECT_SECONDS: Final = 5
MAX_UNCHECKED_SECONDS: Final = 5.0
"""A pooled connection that was idle for longer is tried before it is used: the server may have been restarted meanwhile."""
_RETURNED_AT_KEY: Final = "lodepost.returned_at"


def is_storable(text: str) -> bool:
    """Return whether text from a request may be used in a query: Postgres rejects NUL and lone surrogates."""
    return text.isascii() and text.isprintable()


def engine_for(
    url: str, *, pool_size: int = 10, unchecked_seconds: float = MAX_UNCHECKED_SECONDS
) -> Engine:
    """Return the engine for a ``postgresql://`` or ``postgresql+psycopg://`` address; it connects when first used.

    A connection that was idle for more than ``unchecked_seconds`` is tried before it is used again.
    """
    engine = _create_engine(url, pool_size, CONNECTION_SETTINGS)
    _check_idle_connections(engine, unchecked_seconds)
    event.listen(engine, "handle_error", _unwrap_read_only_error, retval=True)
    return engine


def read_only_engine_for(url: str, *, pool_size: int = 10) -> Engine:
    """Return an engine for pages that only read: the database itself refuses changes.

    Each statement commits itself, so that a page pays no round trips for BEGIN and COMMIT.
    """
    engine = _create_engine(
        url, pool_size, _READ_ONLY_CONNECTION_SETTINGS, isolation_level="AUTOCOMMIT"
    )
    _check_idle_connections(engine, MAX_UNCHECKED_SECONDS)
    return engine


def connection_options(settings: Mapping[str, str]) -> str:
    """Return settings as libpq's ``options``, in which blanks are escaped."""
    return " ".join(f"-c {name}=" + value.replace(" ", r"\ ") for name, value in settings.items())


def _create_engine(
    url: str,
    pool_size: int,
    settings: Mapping[str, str],
    *,
    isolation_level: IsolationLevel | None = None,
) -> Engine:
    engine = create_engine(
        _with_driver(url),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=_CONNECT_SECONDS,
        pool_recycle=3600,
        # A parameter may be a hand of cards or a token, which must not appear in an error.
        hide_parameters=True,
        isolation_level=isolation_level,
        connect_args={
            "connect_timeout": _CONNECT_SECONDS,
            "application_name": "lodepost",
            "client_encoding": settings["client_encoding"],
            "options": connection_options(settings),
        },
    )
    event.listen(engine, "handle_error", _remove_row_from_error)
    event.listen(engine, "connect", _register_binary_array)
    return engine


def _check_idle_connections(engine: Engine, unchecked_seconds: float) -> None:
    """Replace connections that broke while they were idle, so that no player gets an error for them."""

    def note_return(_connection: object, entry: ConnectionPoolEntry) -> None:
        entry.info[_RETURNED_AT_KEY] = time.monotonic()

    def check_connection(
        connection: DBAPIConnection, entry: ConnectionPoolEntry, _proxy: object
    ) -> None:
        returned_at: Any = entry.info.get(_RETURNED_AT_KEY)
        if returned_at is None or time.monotonic() - returned_at <= unchecked_seconds:
            return
        try:
            engine.dialect.do_ping(connection)
        except psycopg.Error as error:
            # The pool connects again.
            raise DisconnectionError from error

    event.listen(engine, "checkin", note_return)
    event.listen(engine, "checkout", check_connection)


def _remove_row_from_error(failure: ExceptionContext) -> None:
    error, wrapped_error = failure.original_exception, failure.sqlalchemy_exception
    if not isinstance(error, psycopg.Error):
        return
    message = remove_row_from_error(error)
    if wrapped_error is not None:
        wrapped_error.args = (f"({type(error).__name__}) {message}",)


def _unwrap_read_only_error(failure: ExceptionContext) -> BaseException | None:
    """Raise psycopg's own error where a server takes no changes: to writers such a server counts as unavailable.

    Their connections are replaced: those that were opened meanwhile would refuse changes for as long as they are open.
    """
    error = failure.original_exception
    if not isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return None
    failure.is_disconnect = True
    return error


def _with_driver(url: str) -> str:
    scheme, separator, url_rest = url.partition("://")
    return (
        f"postgresql+psycopg{separator}{url_rest}" if scheme in {"postgres", "postgresql"} else url
    )


@contextmanager
def raising_clean_errors(connection: Connection) -> Iterator[None]:
    """Raise psycopg's errors without rows, and replace connections that broke or take no changes, as statements run by SQLAlchemy do."""
    try:
        yield
    except psycopg.Error as error:
        remove_row_from_error(error)
        driver_connection: Any = connection.connection.driver_connection
        if driver_connection.closed or isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
            connection.invalidate(error)
            # The cause that cut one connection has cut the idle ones too.
            connection.engine.dispose()
        raise


class BinaryArray(list[bytes]):
    """Byte strings as one parameter in binary: as text each byte would become two characters, and be escaped."""


def _register_binary_array(connection: psycopg.Connection[Any], _record: object) -> None:
    """Teach a new connection how to send a ``BinaryArray``."""
    connection.adapters.register_dumper(BinaryArray, ListBinaryDumper)


def remove_row_from_error(error: psycopg.Error) -> str:
    """Remove from an error the row that Postgres quotes in its DETAIL, and return the message that is left.

    The row may hold a hand of cards, a token or an address, and errors are logged.
    """
    message = error.diag.message_primary or str(error).partition("\n")[0]
    error.args = (message,)
    return message
