"""Locks under which the things of one person are counted, so that requests at the same time do not exceed a limit together.

They are advisory locks and not
locks of the account: its row is locked before that of a club, and these are taken after it.
"""

from typing import Final, Literal

from sqlalchemy import func, select

from webapp.kernel.tx import Tx

_LOCK_SEED: Final = 3
"""Tells these advisory locks from others."""


def lock_count(
    tx: Tx,
    what: Literal["clubs", "reports", "filters", "invitations", "messages"],
    owner_id: int,
) -> None:
    """Make other transactions that count the same for this account, or of messages for this game, wait until this one ends.

    To be called in a statement before the one that counts: a statement that waits for a lock counts what was there before.
    """
    key = func.hashtextextended(f"{what} {owner_id}", _LOCK_SEED)
    tx.execute(select(func.pg_advisory_xact_lock(key)))
