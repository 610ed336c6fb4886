"""How long an open table waits for players.

Its own module because emails need it, and may not depend on how tables are closed.
"""

from datetime import datetime, timedelta
from typing import Final

from webapp.game_status import GameStatus
from webapp.store.play.rows import GameRow

WARNED_AFTER: Final = timedelta(days=14)
CLOSED_AFTER: Final = timedelta(days=21)


def closing_time(row: GameRow) -> datetime | None:
    """Return when an open table closes unless its seats change; None if it doesn't."""
    if row.status != GameStatus.OPEN or row.waiting_since is None:
        return None
    return row.waiting_since + CLOSED_AFTER
