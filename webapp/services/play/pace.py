"""The clock of a game as pure arithmetic on instants."""

from datetime import datetime, timedelta
from typing import Final

REMINDER_AT: Final = 0.8
"""The share of a turn's time after which its player is reminded."""


def deadline(started_at: datetime, allowance: timedelta) -> datetime:
    """When a turn is over that began at ``started_at``."""
    return started_at + allowance


def reminder(started_at: datetime, allowance: timedelta) -> datetime:
    """When the player is reminded of a turn that began at ``started_at``."""
    return started_at + allowance * REMINDER_AT
