"""Transactions of tests, at noon unless the test says otherwise."""

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Final

from webapp.kernel import tx
from webapp.kernel.tx import Database, Tx

NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)


def transaction(database: Database, now: datetime = NOON) -> AbstractContextManager[Tx]:
    """Open a transaction that is committed at the end of the block."""
    return tx.transaction(database, now)


def read_only(database: Database, now: datetime = NOON) -> AbstractContextManager[Tx]:
    """Read without a transaction."""
    return tx.read_only(database, now)
