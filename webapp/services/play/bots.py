"""Bots: their names, and their turns, which are taken like those of people."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from engine.bots.policy import Level, choose_action
from engine.narration import Line
from engine.view import view_for
from webapp.bot_levels import OFFERED_LEVELS
from webapp.services.accounts.confusable_names import are_confusable
from webapp.services.errors import FieldError, FieldErrors
from webapp.services.play.access import GameAccess, load_game
from webapp.services.play.deadlines import RETRY_AFTER
from webapp.services.play.history import history_for
from webapp.services.play.turns import take_turn
from webapp.services.tx import Tx, savepoint
from webapp.store.errors import UNAVAILABLE_ERRORS
from webapp.store.play import deadlines, games, turn_log
from webapp.store.play.rows import GameRow
from webapp.store.play.turn_log import TurnsWanted

_LEVEL: Final[Level] = "steady"
_log = logging.getLogger(__name__)
_BOT_NAMES: Final = (
    "Agate",
    "Basalt",
    "Cobalt",
    "Dolomite",
    "Epidote",
    "Flint",
    "Garnet",
    "Heliodor",
    "Ilmenite",
    "Jasper",
    "Kunzite",
)
"""As many as the largest table needs: nine bots, and two more in case a player and an unseated host use these names."""


def bot_names(taken: Sequence[str]) -> Iterator[str]:
    """Return names for new bots at a table, none of them confusable with the names that are taken there."""
    return (name for name in _BOT_NAMES if not any(are_confusable(name, other) for other in taken))


def require_offered_level(level: str) -> None:
    """Raise FieldErrors unless people may choose this level."""
    if level not in OFFERED_LEVELS:
        raise FieldErrors(FieldError("level", "unknown"))


def play_next_bot(tx: Tx, *, now: datetime, pause: timedelta, pick: Callable[[int], int]) -> bool:
    """Play the turn of the bot that has waited longest; return False if none has waited for ``pause``.

    The pause is the same for every role and hand. A game that fails is postponed and does not hold up the others.
    """
    game_id = deadlines.lock_bot_turn(tx.connection, due_before=now - pause)
    if game_id is None:
        return False
    row = games.find_many_to_play(tx.connection, [game_id])[game_id]
    try:
        with savepoint(tx):
            _play_bot_turn(tx, row, pick=pick, now=now)
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - one broken game must not stop the others
        _log.exception("The bot failed in game %s.", row.slug)
        deadlines.postpone(tx.connection, [game_id], until=now + RETRY_AFTER)
    return True


def _play_bot_turn(tx: Tx, row: GameRow, *, pick: Callable[[int], int], now: datetime) -> None:
    game, seat = load_game(tx, row), row.awaiting
    assert seat is not None
    lines = _known_lines(tx, row, seat)
    action = choose_action(view_for(game.state, seat), lines, pick, _LEVEL)
    take_turn(tx, GameAccess(game, seat, None), action, seq=game.seq, by="bot", now=now)


def _known_lines(tx: Tx, row: GameRow, seat: int) -> list[Line]:
    """Return the history of at least the current round as a person in this seat could know it."""
    [turns] = turn_log.recent_turns(tx.connection, [TurnsWanted(row.id, None, -1)])
    return [line for entry in history_for(turns, seat, reveal_all=False) for line in entry.lines]
