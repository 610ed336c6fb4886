"""How a turn enters: the one path for players, the clock, bots and everybody else."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from engine.actions import Action, TakeGold
from engine.events import Event
from engine.game import advance, start_game
from engine.state import GoldChoice, State
from engine.view import awaiting
from engine.wire import encode_action, encode_events
from webapp.game_status import GameStatus
from webapp.services.errors import Denied, NotAllowed, StaleTurn
from webapp.services.play.access import LoadedGame
from webapp.services.play.cards import By
from webapp.services.play.notices import owed
from webapp.services.play.position import position_after, same_turn
from webapp.services.tx import Tx
from webapp.store.play import turns
from webapp.store.play.rows import SeatRow
from webapp.store.play.turns import TurnRow, Write
from webapp.store.redacted import Redacted

__all__ = ["By", "Taken", "first_deal", "nudge_for", "take_turn", "write_for"]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that was taken. ``seq`` is more than one higher when automatic gold picks followed."""

    seq: int
    ended: bool


class _Step(Redacted, frozen=True, kw_only=True):
    """One turn of the log, before it is written."""

    seat: int | None
    by: By
    action: Action | None
    events: tuple[Event, ...]
    seq: int


def take_turn(
    tx: Tx, game: LoadedGame, seat: int | None, *, action: Action, seq: int, by: By, now: datetime
) -> Taken:
    """Play an action for a seat, as the game stood at ``seq``; the write itself is the guard.

    Raises StaleTurn when the game has moved on, IllegalAction when the rules refuse, and NotAllowed when the asker does not
    sit here or the game is not running.
    """
    seated = _require_present(game, seat, seq)
    write = write_for(game, seated, action=action, by=by, now=now)
    if not turns.append(tx.connection, write):
        raise StaleTurn
    nudge_for(tx, (write,))
    return Taken(seq=write.position.seq, ended=write.position.status == GameStatus.FINISHED)


def write_for(game: LoadedGame, seat: int, *, action: Action, by: By, now: datetime) -> Write:
    """Everything that an action changes, with the picks that follow by themselves; nothing is written yet."""
    chance = game.chance()
    state, events = advance(game.state, seat, action, chance)
    steps = [_Step(seat=seat, by=by, action=action, events=events, seq=state.seq)]
    while picker := _automatic_picker(state, game.row.seats):
        pick, chosen_by = _best_pick(state, picker)
        state, events = advance(state, picker.number, pick, chance)
        steps.append(
            _Step(seat=picker.number, by=chosen_by, action=pick, events=events, seq=state.seq)
        )
    return _write(game, state, steps, now=now)


def first_deal(game: LoadedGame, *, now: datetime) -> Write:
    """The first round of a game whose table has just been frozen. Not written yet."""
    row = game.row
    state, events = start_game(
        row.rulebook,
        game.house,
        seats=row.seat_count,
        starter=row.starter,
        chance=game.chance(),
    )
    step = _Step(seat=None, by="player", action=None, events=events, seq=state.seq)
    return _write(game, state, [step], now=now)


def nudge_for(tx: Tx, writes: Sequence[Write]) -> None:
    """Remember what is worth doing at once when these turns are true."""
    if any(write.letters for write in writes):
        tx.nudges.add("emails")
    if any(write.position.awaiting_bot for write in writes):
        tx.nudges.add("bots")


def _require_present(game: LoadedGame, seat: int | None, seq: int) -> int:
    if seat is None:
        raise NotAllowed(Denied.NOT_SEATED)
    if not game.status.is_dealt:
        raise NotAllowed(Denied.NOT_RUNNING)
    if seq != game.seq:
        raise StaleTurn(game.seq)
    return seat


def _automatic_picker(state: State, seats: tuple[SeatRow, ...]) -> SeatRow | None:
    """The seat that holds gold and leaves the choice to us: a bot, or a person who did not ask to choose."""
    if not isinstance(state.choice, GoldChoice):
        return None
    seat = seats[state.choice.seat]
    return seat if seat.bot is not None or seat.picks_gold else None


def _best_pick(state: State, picker: SeatRow) -> tuple[TakeGold, By]:
    assert isinstance(state.choice, GoldChoice)
    return TakeGold(max(state.choice.cards)), "plan" if picker.bot is None else "bot"


def _write(game: LoadedGame, after: State, steps: list[_Step], *, now: datetime) -> Write:
    row, due = game.row, awaiting(after)
    before = awaiting(game.state) if row.state is not None else None
    goes_on = len(steps) == 1 and same_turn(before, due)
    events = [event for step in steps for event in step.events]
    turn_of = None if due is None or goes_on else due.seat
    return Write(
        game_id=row.id,
        expected=row.seq,
        expected_status=row.status,
        position=position_after(row, after, due, goes_on=goes_on, now=now),
        turns=tuple(_turn_row(step, now) for step in steps),
        letters=owed(row.seats, after=after, events=events, turn_of=turn_of, now=now),
    )


def _turn_row(step: _Step, now: datetime) -> TurnRow:
    return TurnRow(
        seq=step.seq,
        seat=step.seat,
        by=step.by,
        action=None if step.action is None else encode_action(step.action),
        events=encode_events(step.events),
        at=now,
    )
