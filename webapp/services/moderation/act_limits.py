"""Limits of acts that repetition could add up: extensions of one turn, reminders on one day.

Its own module because previews show a refusal by the same rules by which an act is refused.
"""

from datetime import datetime, timedelta
from typing import Final

from webapp.rights import GameRight
from webapp.services.errors import DenialReason, NotAllowed
from webapp.services.tx import Tx
from webapp.store.moderation import ledger
from webapp.store.moderation.acted_games import ActedGame

EXTENSIONS_PER_TURN: Final = 3
NUDGE_INTERVAL: Final = timedelta(days=1)
"""The least time between two reminders that moderators or players send in one turn."""


def require_within_limits(tx: Tx, game: ActedGame, act: GameRight, *, now: datetime) -> None:
    """Raise NotAllowed if this act was performed too often in the present turn."""
    if act == GameRight.EXTEND and _count(tx, game, act) >= EXTENSIONS_PER_TURN:
        raise NotAllowed(DenialReason.EXTENDED_ENOUGH)
    if act == GameRight.NUDGE and _count(tx, game, act, since=now - NUDGE_INTERVAL):
        raise NotAllowed(DenialReason.NUDGED_TODAY)


def _count(tx: Tx, game: ActedGame, act: GameRight, *, since: datetime | None = None) -> int:
    return ledger.count_acts(tx.connection, game.id, act, from_seq=game.turn_seq, since=since)
