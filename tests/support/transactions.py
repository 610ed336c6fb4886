"""Transactions of tests: at noon, with keys of tests and chance that is the same in every run, unless the test says otherwise."""

import copy
import hashlib
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Final
from weakref import WeakKeyDictionary

from webapp.kernel import tx
from webapp.kernel.keyring import Keyring, RandomBytes, TokenSource
from webapp.kernel.tx import Database, RandomBelow, Tx

NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
KEYS: Final = Keyring(b"a key of tests, thirty-two bytes", domain="lodepost.test")


def pick_first(_: int) -> int:
    """Pick the first of any number of options."""
    return 0


def pick_last(count: int) -> int:
    """Pick the last of any number of options."""
    return count - 1


class SeededTokens:
    """A source of bytes that look random and are the same in every run."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.created_count = 0

    def __call__(self, size: int) -> bytes:
        self.created_count += 1
        return hashlib.shake_256(f"{self._seed} {self.created_count}".encode()).digest(size)


def seeded_tokens(seed: str = "tokens") -> SeededTokens:
    return SeededTokens(seed)


_RANDOM_SOURCES: WeakKeyDictionary[Database, SeededTokens] = WeakKeyDictionary()


def random_bytes_source_for(database: Database) -> SeededTokens:
    """Return the source of random bytes of one database: every run of a test gets the same games."""
    return _RANDOM_SOURCES.setdefault(database, seeded_tokens("of this database"))


def use_other_random_bytes(database: Database, seed: str) -> None:
    """Let a copy of a filled database get other bytes, and so other slugs, than those that filled it."""
    _RANDOM_SOURCES[database] = seeded_tokens(seed)


def transaction(database: Database, now: datetime = NOON) -> AbstractContextManager[Tx]:
    """Open a transaction that is committed at the end of the block."""
    tokens = TokenSource(KEYS, random_bytes_source_for(database))
    return tx.transaction(database, now, tokens=tokens, random_below=pick_first)


def late_transaction(database: Database, now: datetime = NOON) -> AbstractContextManager[Tx]:
    """Open a transaction that begins when something needs one."""
    tokens = TokenSource(KEYS, random_bytes_source_for(database))
    return tx.late_transaction(database, now, tokens=tokens, random_below=pick_first)


def read_only(database: Database, now: datetime = NOON) -> AbstractContextManager[Tx]:
    """Read without a transaction."""
    tokens = TokenSource(KEYS, random_bytes_source_for(database))
    return tx.read_only(database, now, tokens=tokens, random_below=pick_first)


def using(
    tx: Tx,
    *,
    source: TokenSource | None = None,
    keys: Keyring | None = None,
    random_bytes: RandomBytes | None = None,
    random_below: RandomBelow | None = None,
) -> Tx:
    """Return the same transaction with other keys or other chance."""
    other = copy.copy(tx)
    tokens = source or tx.tokens
    other._tokens = TokenSource(keys or tokens.keys, random_bytes or tokens.random_bytes)
    other.random_below = random_below or tx.random_below
    return other
