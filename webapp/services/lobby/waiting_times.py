"""How long an open table waits for players, and a full one for answers to its ready-check."""

from datetime import datetime, timedelta
from typing import Final

from webapp.game_status import GameStatus
from webapp.store.play.rows import GameRow

WARNED_AFTER: Final = timedelta(days=14)
CLOSED_AFTER: Final = timedelta(days=21)
ASKED_AGAIN_AFTER: Final = timedelta(days=2)
READY_CHECK_LASTS: Final = timedelta(days=4)
"""Longer than a weekend."""


def closing_time(row: GameRow) -> datetime | None:
    """Return when an open table closes unless its seats change; None if it doesn't."""
    if row.status != GameStatus.OPEN or row.waiting_since is None:
        return None
    return row.waiting_since + CLOSED_AFTER


def answer_time(row: GameRow) -> datetime | None:
    """Return by when everyone at a full table has to confirm; None if there is no ready-check. It ends later after an outage or maintenance."""
    if row.status != GameStatus.READY_CHECK or row.waiting_since is None:
        return None
    return row.waiting_since + READY_CHECK_LASTS
