"""Transactions: opened and closed by pages, tasks and commands; no use case ever commits."""

import copy
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, Literal, Self, TypeAlias

from sqlalchemy import Connection

from webapp.kernel.database import UNAVAILABLE_ERRORS, engine_for, read_only_engine_for
from webapp.kernel.keyring import Keyring, TokenSource
from webapp.kernel.refusals import Unavailable

RandomBelow: TypeAlias = Callable[[int], int]
"""Returns a random number from 0 to below the given one."""
Nudge: TypeAlias = Literal["emails", "bots", "replies"]
"""The workers that may have something to do after a commit."""
TASKS_BY_NUDGE: Final[dict[Nudge, str]] = {
    "emails": "tasks.delivery.deliver",
    "bots": "tasks.bot_turns.play_bots",
    "replies": "tasks.replies.read_replies",
}
"""The task that a nudge starts, by name: webapp does not import tasks."""


class Database:
    """A database and its two pools of connections: one for transactions, one for pages that only read."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self.engine = engine_for(url, pool_size=pool_size)
        self.read_only_engine = read_only_engine_for(url, pool_size=pool_size)

    def dispose(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()
        self.read_only_engine.dispose()


class Tx:
    """An open transaction with its instant, its chance and keys, and what to do once it is committed: nudges to send, and lines to log."""

    def __init__(
        self,
        connection: Connection,
        now: datetime,
        *,
        tokens: TokenSource | None,
        random_below: RandomBelow,
    ) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.now = now
        """When everything of this transaction happens."""
        self.random_below = random_below
        self._tokens = tokens
        self.nudges: set[Nudge] = set()
        self.after_commit: list[Callable[[], None]] = []
        """Called in order after the commit; not called if the transaction is rolled back. They must not fail."""

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
