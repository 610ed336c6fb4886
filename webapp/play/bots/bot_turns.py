"""The turns of bots, in three steps: a worker claims a turn, decides outside of any transaction, and plays when the answer is due.

The answer is due some time after the turn began, drawn from one distribution for every role, hand and decision (see
``thinking_time``): how long a bot takes tells nothing. A claim is a lease: if its worker dies, another one finds the
turn again. A turn is written only if the game still stands where it stood, so no turn is lost and none is played twice.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from engine.actions import Action
from engine.errors import IllegalAction
from engine.narration import Line
from engine.view import View, neutral_action, view_for
from webapp.clock.turn import ClockChange
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.database import UNAVAILABLE_ERRORS
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import StaleTurn
from webapp.kernel.tx import Tx, savepoint
from webapp.mail.queries import outbox
from webapp.play.access import GameAccess, LoadedGame, load_game
from webapp.play.bots.thinking_time import RecentDecisions, ThinkingTime, first_answer_time
from webapp.play.changes.public_change import turn_email
from webapp.play.history import history_for
from webapp.play.queries import clocks, games, turn_log
from webapp.play.queries.clocks import RETRY_AFTER, ClockUpdate
from webapp.play.queries.rows import GameRow
from webapp.play.queries.turn_log import TurnRequest
from webapp.play.turns.turns import take_turn

CLAIM_DURATION: Final = timedelta(seconds=15)
"""How long a claimed turn is left to its worker: longer than the budget of a decision and another longest thought."""
_log = logging.getLogger(__name__)


class BotTurn(Redacted, frozen=True, kw_only=True):
    """A claimed turn: where the game stands, all that the bot may know, and when its answer is due."""

    game_id: int
    slug: str
    seq: int
    seat: int
    level: str
    """The level as stored; it may be unknown to this release."""
    view: View
    lines: tuple[Line, ...]
    """The history of at least the current round as a person in this seat could know it."""
    answer_at: datetime
    thinking_time: ThinkingTime
    """The range that this instant is from."""


def claim_bot_turn(
    tx: Tx,
    *,
    decisions: RecentDecisions | None = None,
) -> BotTurn | None:
    """Claim the turn of the bot that has waited longest; return None if none waits.

    A game that cannot be read is postponed and does not hold up the others. ``random_below(n)`` returns a random number below n;
    ``decisions`` are the last ones of this worker.
    """
    game_id = clocks.lock_bot_turn(tx, due_before=tx.now)
    while game_id is not None:
        row = games.find_many(tx, [game_id])[game_id]
        try:
            turn = _turn_to_claim(tx, row, decisions or RecentDecisions())
        except UNAVAILABLE_ERRORS:
            raise
        except Exception:  # noqa: BLE001 - one broken game must not stop the others
            _log.exception("The bot failed in game %s.", row.slug)
            clocks.postpone(tx, [game_id], until=tx.now + RETRY_AFTER)
        else:
            if turn is not None:
                clocks.postpone(tx, [game_id], until=tx.now + CLAIM_DURATION)
                return turn
            _hand_back(tx, row)
        game_id = clocks.lock_bot_turn(tx, due_before=tx.now)
    return None


def _turn_to_claim(
    tx: Tx,
    row: GameRow,
    decisions: RecentDecisions,
) -> BotTurn | None:
    """Return the turn that a bot takes; None if its player is no longer away."""
    if not row.clock.is_bot_turn(at=tx.now):
        return None
    thinking_time = _thinking_time_for(row, decisions)
    answer_at = first_answer_time(
        thinking_time, tx.random_below, began_at=row.turn_started_at, now=tx.now
    )
    return _bot_turn(tx, row, answer_at, thinking_time)


def _hand_back(tx: Tx, row: GameRow) -> None:
    """Let the game wait for its player, whose absence is over, and call them to their turn."""
    clocks.write(tx, ClockUpdate(row, ClockChange(row.clock.handed_on(now=tx.now))))
    outbox.enqueue(tx, turn_email(row, tx.now))


def release_bot_turn(tx: Tx, turn: BotTurn) -> None:
    """Give a claimed turn back, so that another worker finds it at once."""
    clocks.wake_bot_turn(tx, turn.game_id, turn.seq, at=tx.now)


def play_bot_turn(
    tx: Tx,
    turn: BotTurn,
    action: Action | None,
) -> bool:
    """Play a claimed turn, with None or against the rules the neutral action; return False if the game has moved on.

    A game that fails is postponed.
    """
    row = games.find_many_to_play(tx, [turn.game_id]).get(turn.game_id)
    if row is None or not _still_waits(row, turn, now=tx.now):
        return False
    try:
        with savepoint(tx):
            chosen_action = action or neutral_action(turn.view, tx.random_below)
            _play(tx, load_game(tx, row), turn, chosen_action)
    except StaleTurn:
        return False
    except IllegalAction as refusal:
        if action is None:
            raise
        _log.error(
            "The bot in seat %s of game %s broke the rules (%s) and plays the neutral action.",
            turn.seat + 1,
            turn.slug,
            refusal.reason,
        )
        return play_bot_turn(tx, turn, None)
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - one broken game must not stop the others
        _log.exception("The bot failed in game %s.", turn.slug)
        clocks.wake_bot_turn(tx, turn.game_id, turn.seq, at=tx.now + RETRY_AFTER)
    return True


def _thinking_time_for(row: GameRow, decisions: RecentDecisions) -> ThinkingTime:
    level = None if row.awaiting is None else row.seats[row.awaiting].bot_level
    return decisions.thinking_time(level or "", has_one_person=row.has_one_person)


def _bot_turn(tx: Tx, row: GameRow, answer_at: datetime, thinking_time: ThinkingTime) -> BotTurn:
    game, seat = load_game(tx, row), row.awaiting
    assert seat is not None
    return BotTurn(
        game_id=row.id,
        slug=row.slug,
        seq=row.seq,
        seat=seat,
        level=(row.seats[seat].bot_level or "") if row.seats[seat].is_bot else USUAL_LEVEL,
        view=view_for(game.state, seat),
        lines=tuple(_known_lines(tx, row, seat)),
        answer_at=answer_at,
        thinking_time=thinking_time,
    )


def _known_lines(tx: Tx, row: GameRow, seat: int) -> Sequence[Line]:
    [turns] = turn_log.recent_turns(tx, [TurnRequest(row.id, None, -1)])
    return [line for entry in history_for(turns, seat, reveal_all=False) for line in entry.lines]


def _still_waits(row: GameRow, turn: BotTurn, *, now: datetime) -> bool:
    if row.seq == turn.seq and row.awaiting != turn.seat:
        _log.error(
            "Game %s does not wait for the bot in seat %s; its answer is dropped.",
            turn.slug,
            turn.seat + 1,
        )
        return False
    if row.seq != turn.seq or row.status != GameStatus.RUNNING:
        return False
    return row.clock.is_bot_turn(at=now) and row.clock.held_turn is None


def _play(tx: Tx, game: LoadedGame, turn: BotTurn, action: Action) -> None:
    is_own_seat = game.row.seats[turn.seat].is_bot
    take_turn(
        tx,
        GameAccess(game, turn.seat, None),
        action,
        seq=turn.seq,
        by="bot" if is_own_seat else "away",
    )
