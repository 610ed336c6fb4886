"""Statements sent to a database, by SQLAlchemy or by psycopg itself, observed for counting them or cutting them off."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy import Connection, Engine, event

from webapp.kernel.tx import Database

Observer: TypeAlias = Callable[[str, Any], object]
"""Called with each statement and its parameters before they are sent."""
_OBSERVERS: WeakKeyDictionary[psycopg.Connection[Any], list[Observer]] = WeakKeyDictionary()


_PING: Final = ";"
"""The pool asks this of connections that were idle for seconds, which are more on a slow machine. It is not observed."""


class _ObservedCursor(psycopg.Cursor[Any]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> "_ObservedCursor":
        for observer in _OBSERVERS.get(self.connection, ()) if query != _PING else ():
            observer(str(query), params)
        return super().execute(query, params, **options)


@contextmanager
def observed_statements(engine: Engine | Connection, observer: Observer) -> Iterator[None]:
    """Call ``observer`` for every statement on this connection, or on those that the engine hands out during the block."""
    connections: list[psycopg.Connection[Any]] = []

    def start(connection: Any, *_: object) -> None:
        connection.cursor_factory = _ObservedCursor
        if connection not in connections:
            connections.append(connection)
            _OBSERVERS.setdefault(connection, []).append(observer)

    if isinstance(engine, Connection):
        start(engine.connection.driver_connection)
    else:
        event.listen(engine, "checkout", start)
    try:
        yield
    finally:
        if isinstance(engine, Engine):
            event.remove(engine, "checkout", start)
        for connection in connections:
            _OBSERVERS[connection].remove(observer)


@contextmanager
def recorded_statements(database: Database) -> Iterator[list[str]]:
    """Yield a list that receives every statement sent during the block, BEGIN and COMMIT included.

    Reading the settings of the site is not among them: a process does that once in several seconds, not for a page.
    """
    statements: list[str] = []

    def record_statement(statement: str, _: object) -> None:
        if not statement.startswith("SELECT site_setting."):
            statements.append(statement)

    with (
        observed_statements(database.engine, record_statement),
        observed_statements(database.read_only_engine, record_statement),
        _observed_event(database.engine, "begin", lambda: statements.append("BEGIN")),
        _observed_event(database.engine, "commit", lambda: statements.append("COMMIT")),
    ):
        yield statements


@contextmanager
def _observed_event(engine: Engine, name: str, observer: Callable[[], object]) -> Iterator[None]:
    """Call ``observer`` when a transaction begins or is committed, but not for what commits itself."""

    def listen(connection: Connection) -> None:
        if not _commits_by_itself(connection):
            observer()

    event.listen(engine, name, listen)
    yield
    event.remove(engine, name, listen)


def _commits_by_itself(connection: Connection) -> bool:
    return connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT"


def without_begin_and_commit(statements: list[str]) -> list[str]:
    return [statement for statement in statements if statement not in {"BEGIN", "COMMIT"}]
