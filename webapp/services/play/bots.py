"""Bots: their names, and their turns, which enter through the same door as everybody's."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from engine.bots.policy import PlayStyle, choose_action
from engine.story import Line
from engine.view import view_for
from webapp.services.accounts.confusable_names import are_confusable
from webapp.services.play.access import load_game
from webapp.services.play.deadlines import PUSHED_FORWARD
from webapp.services.play.showing import told
from webapp.services.play.turns import take_turn
from webapp.services.tx import Tx, savepoint
from webapp.store.errors import AWAY
from webapp.store.play import deadlines, games, turn_log
from webapp.store.play.rows import GameRow
from webapp.store.play.turn_log import Asked

_EFFORT: Final[PlayStyle] = "steady"
_log = logging.getLogger(__name__)
_NAMES: Final = (
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
"""One more than any table can need: nine bots beside a person and a host who stood up, called like two of them."""


def bot_names(borne: Sequence[str]) -> Iterator[str]:
    """Names for new bots at a table where these are borne: none that looks like one of them."""
    return (name for name in _NAMES if not any(are_confusable(name, other) for other in borne))


def play_one(tx: Tx, *, now: datetime, pause: timedelta, pick: Callable[[int], int]) -> bool:
    """Play the turn of the bot that has waited longest, if one has waited for ``pause``; whether there was one.

    The pause is the same for every role and hand. A game that fails is pushed forward and does not hold up the others.
    """
    game_id = deadlines.lock_bot_turn(tx.connection, due_before=now - pause)
    if game_id is None:
        return False
    row = games.find_many_to_play(tx.connection, [game_id])[game_id]
    try:
        with savepoint(tx):
            _play(tx, row, pick=pick, now=now)
    except AWAY:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the other games must go on
        _log.exception("The bot failed in game %s.", row.slug)
        deadlines.push_forward(tx.connection, [game_id], until=now + PUSHED_FORWARD)
    return True


def _play(tx: Tx, row: GameRow, *, pick: Callable[[int], int], now: datetime) -> None:
    game, seat = load_game(tx, row), row.awaiting
    assert seat is not None
    lines = _heard(tx, row, seat)
    action = choose_action(view_for(game.state, seat), lines, pick, _EFFORT)
    take_turn(tx, game, seat, action=action, seq=game.seq, by="bot", now=now)


def _heard(tx: Tx, row: GameRow, seat: int) -> list[Line]:
    """What this seat was told of the newest turns, a whole round at least: as much as a person there could know."""
    [turns] = turn_log.news(tx.connection, [Asked(row.id, None, -1)])
    return [line for turn in told(turns, seat, opened=False) for line in turn.lines]
