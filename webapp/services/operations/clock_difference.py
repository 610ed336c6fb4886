"""How far the clock of this process is from that of the database, which decides for all processes."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from webapp.services.tx import Tx
from webapp.store.operations import health

DatabaseTime: TypeAlias = Callable[[Tx], datetime]
"""Return the current time of the database."""
MAX_CLOCK_DIFFERENCE: Final = timedelta(seconds=30)
"""A process whose clock differs by more plays no turn, sends no email and deletes nothing."""


def database_time(tx: Tx) -> datetime:
    """Return the current time of the database machine. One statement that reads no table."""
    return health.database_clock(tx.connection)


def clock_difference(tx: Tx, now: Callable[[], datetime], database_time: DatabaseTime) -> timedelta:
    """Return by how much the clock ``now`` is ahead of the database's; negative if it is behind.

    The time that the question takes does not count as a difference.
    """
    time_before = now()
    time_at_database = database_time(tx)
    return (
        time_before - time_at_database
        if time_before > time_at_database
        else min(now() - time_at_database, timedelta(0))
    )


def is_clock_difference_too_large(difference: timedelta) -> bool:
    """Return whether a process with such a clock must not act."""
    return abs(difference) > MAX_CLOCK_DIFFERENCE
