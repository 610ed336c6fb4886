"""Transactions: opened and closed by pages, tasks and commands; no use case ever commits."""

import copy
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cached_property
from typing import Any, Self, TypeAlias

from sqlalchemy import Connection, Engine

from webapp.kernel.database import UNAVAILABLE_ERRORS, engine_for, read_only_engine_for
from webapp.kernel.keyring import Keyring, TokenSource
from webapp.kernel.nudges import Nudge
from webapp.kernel.refusals import Unavailable

RandomBelow: TypeAlias = Callable[[int], int]
"""Returns a random number from 0 to below the given one."""


class Database:
    """A database and its two pools of connections: one for transactions, one for pages that only read. A ``with`` block disposes of them."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self.engine = engine_for(url, pool_size=pool_size)
        self.read_only_engine = read_only_engine_for(url, pool_size=pool_size)

    @cached_property
    def autocommit_engine(self) -> Engine:
        """The pool of ``engine``, for statements that commit themselves."""
        return self.engine.execution_options(isolation_level="AUTOCOMMIT")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.dispose()

    def dispose(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()
        self.read_only_engine.dispose()


class LateTransaction:
    """A transaction that begins on an autocommit connection when something needs one, if anything does."""

    def __init__(self, connection: Connection, stack: ExitStack) -> None:
        """Keep what is needed to begin; the transaction ends with ``stack``."""
        self._connection = connection
        self._stack = stack
        self._is_begun = False
        self._is_over = False
        self.execute: Any = self._begin_and_execute

    def begin(self) -> None:
        """Begin, unless it is begun. AssertionError after the statement that was to be alone."""
        assert not self._is_over, "A statement follows the one that was to be alone."
        if not self._is_begun:
            driver_connection: Any = self._connection.connection.driver_connection
            self._stack.enter_context(driver_connection.transaction())
            self._is_begun = True

    def end_alone(self) -> None:
        """Note that a statement has changed everything that there was to change, and committed it unless this is begun."""
        self._is_over = not self._is_begun

    def _begin_and_execute(self, *statement_and_parameters: Any) -> Any:  # noqa: ANN401 - as SQLAlchemy has it
        self.begin()
        return self._connection.execute(*statement_and_parameters)


class Tx:
    """An open transaction with its instant, its chance and keys, and what to do once it is committed: nudges to send, and lines to log."""

    def __init__(
        self,
        connection: Connection,
        now: datetime,
        *,
        tokens: TokenSource | None,
        random_below: RandomBelow,
        late: LateTransaction | None = None,
    ) -> None:
        self.lone_connection = connection
        """The connection for a statement that is right with or without a transaction, so that it begins none."""
        self.execute = connection.execute
        if late is not None:
            self.execute = late.execute
        self._late = late
        self.now = now
        """When everything of this transaction happens."""
        self.random_below = random_below
        self._tokens = tokens
        self.nudges = set[Nudge]()
        self.after_commit: list[Callable[[], None]] = []
        """Called in order after the commit; not called if the transaction is rolled back. They must not fail."""

    @property
    def connection(self) -> Connection:
        """The connection, on which a transaction has begun, unless this only reads."""
        self.begin()
        return self.lone_connection

    def begin(self) -> None:
        """Begin the transaction if that has been left to what needs it."""
        if self._late is not None:
            self._late.begin()

    def end_alone(self) -> None:
        """Note that a statement has changed everything that there was to change; only statements of a begun transaction may follow."""
        if self._late is not None:
            self._late.end_alone()

    @property
    def tokens(self) -> TokenSource:
        """What new tokens are made from; only a transaction that was opened with it can make any."""
        assert self._tokens is not None
        return self._tokens

    @property
    def keys(self) -> Keyring:
        """The keys of the installation."""
        return self.tokens.keys

    def at(self, now: datetime) -> Self:
        """Return the same transaction at another instant."""
        other = copy.copy(self)
        other.now = now
        return other


@contextmanager
def transaction(
    database: Database,
    now: datetime,
    *,
    tokens: TokenSource | None = None,
    random_below: RandomBelow = secrets.randbelow,
) -> Iterator[Tx]:
    """Open a transaction in which it is ``now``. Commit at the end of the block, or roll back on any exception. Raises Unavailable if the database cannot answer."""
    with _errors_as_unavailable(), database.engine.begin() as connection:
        tx = Tx(connection, now, tokens=tokens, random_below=random_below)
        yield tx
    for callback in tx.after_commit:
        callback()


@contextmanager
def late_transaction(
    database: Database,
    now: datetime,
    *,
    tokens: TokenSource | None = None,
    random_below: RandomBelow = secrets.randbelow,
) -> Iterator[Tx]:
    """Open a transaction that takes no round trips for BEGIN and COMMIT if one atomic statement turns out to be all of it.

    Statements run alone commit themselves; the first other one begins a transaction. Otherwise as ``transaction``.
    """
    with (
        _errors_as_unavailable(),
        database.autocommit_engine.begin() as connection,
        ExitStack() as stack,
    ):
        late = LateTransaction(connection, stack)
        tx = Tx(connection, now, tokens=tokens, random_below=random_below, late=late)
        yield tx
    for callback in tx.after_commit:
        callback()


@contextmanager
def read_only(
    database: Database,
    now: datetime,
    *,
    tokens: TokenSource | None = None,
    random_below: RandomBelow = secrets.randbelow,
) -> Iterator[Tx]:
    """Read without a transaction: each statement commits itself, and changes are refused. Raises Unavailable."""
    with _errors_as_unavailable(), database.read_only_engine.connect() as connection:
        yield Tx(connection, now, tokens=tokens, random_below=random_below)


@contextmanager
def savepoint(tx: Tx) -> Iterator[None]:
    """Undo only the work of this block if it raises; the transaction stays open."""
    with tx.connection.begin_nested():
        yield


@contextmanager
def _errors_as_unavailable() -> Iterator[None]:
    try:
        yield
    except UNAVAILABLE_ERRORS as error:
        raise Unavailable from error
