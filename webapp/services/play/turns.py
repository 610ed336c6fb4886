"""Taking a turn: the one path by which players, bots, the clock and everyone else change a game."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from engine.actions import Action, TakeGold
from engine.events import Event
from engine.game import advance, start_game
from engine.record import TurnSource
from engine.state import GoldChoice, State
from engine.view import Awaiting, awaiting
from engine.wire import STATE_FORMAT, encode_action, encode_events, encode_state
from webapp.game_status import GameStatus
from webapp.services.errors import DenialReason, NotAllowed, StaleTurn
from webapp.services.play.access import GameAccess, LoadedGame
from webapp.services.play.results import results_of
from webapp.services.play.turn_clock import TurnClock, is_same_turn, new_clock, running_clock
from webapp.services.play.turn_notifications import notifications_for
from webapp.services.tx import Tx
from webapp.store.play import turns
from webapp.store.play.rows import SeatRow
from webapp.store.play.turns import GameUpdate, PositionRow, TurnRow
from webapp.store.redacted import Redacted


class TurnResult(msgspec.Struct, frozen=True, kw_only=True):
    """Where a game stands after a turn; ``seq`` is more than one higher when automatic gold picks followed."""

    seq: int
    is_over: bool


class TurnStep(Redacted, frozen=True, kw_only=True):
    """One turn of the log, before it is encoded."""

    seat: int | None
    by: TurnSource
    action: Action | None
    events: tuple[Event, ...]
    seq: int


def take_turn(
    tx: Tx, access: GameAccess, action: Action, *, seq: int, by: TurnSource, now: datetime
) -> TurnResult:
    """Play an action for the seat of ``access`` if the game still stands at ``seq``; the statement that writes it checks that again.

    Raises StaleTurn if the game has moved on, IllegalAction if the rules refuse the action, and NotAllowed if the viewer has
    no seat or the game was not dealt.
    """
    game = access.game
    seat = _require_turn(game, access.seat, seq)
    update = update_for(game, seat, action=action, by=by, now=now)
    if not turns.append(tx.connection, update):
        raise StaleTurn
    add_nudges(tx, (update,))
    return TurnResult(
        seq=update.position.seq, is_over=update.position.status == GameStatus.FINISHED
    )


def update_for(
    game: LoadedGame, seat: int, *, action: Action, by: TurnSource, now: datetime
) -> GameUpdate:
    """Return everything that an action changes, automatic gold picks included; write nothing."""
    chance = game.chance()
    state, events = advance(game.state, seat, action, chance)
    played_steps = [TurnStep(seat=seat, by=by, action=action, events=events, seq=state.seq)]
    while picker := _automatic_picker(state, game.row.seats):
        pick, picked_by = _best_pick(state, picker)
        number = picker.number
        state, events = advance(state, number, pick, chance)
        played_steps.append(
            TurnStep(seat=number, by=picked_by, action=pick, events=events, seq=state.seq)
        )
    return _game_update(game, state, played_steps, now=now)


def first_deal(game: LoadedGame, *, now: datetime) -> GameUpdate:
    """Return the deal of round one for a table that has just been frozen; write nothing."""
    row = game.row
    state, events = start_game(
        row.rulebook,
        game.house,
        seats=row.seat_count,
        starter=row.starter,
        chance=game.chance(),
    )
    deal = TurnStep(seat=None, by="player", action=None, events=events, seq=state.seq)
    return _game_update(game, state, [deal], now=now)


def add_nudges(tx: Tx, updates: Sequence[GameUpdate]) -> None:
    """Note which workers have something to do once these updates are committed."""
    if any(update.notifications for update in updates):
        tx.nudges.add("emails")
    if any(update.position.awaiting_bot for update in updates):
        tx.nudges.add("bots")


def _require_turn(game: LoadedGame, seat: int | None, seq: int) -> int:
    if seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if not game.is_dealt or game.status == GameStatus.CANCELLED:
        raise NotAllowed(DenialReason.NOT_RUNNING)
    if game.status == GameStatus.PAUSED:
        raise NotAllowed(DenialReason.PAUSED)
    if seq != game.seq:
        raise StaleTurn(game.seq)
    return seat


def _automatic_picker(state: State, seats: tuple[SeatRow, ...]) -> SeatRow | None:
    """Return the seat that picks gold next, if it is a bot or a person who lets the server pick."""
    if not isinstance(state.choice, GoldChoice):
        return None
    seat = seats[state.choice.seat]
    return seat if seat.is_bot or seat.picks_gold else None


def _best_pick(state: State, picker: SeatRow) -> tuple[TakeGold, TurnSource]:
    assert isinstance(state.choice, GoldChoice)
    return TakeGold(max(state.choice.cards)), "bot" if picker.is_bot else "plan"


def _game_update(
    game: LoadedGame, after: State, played_steps: list[TurnStep], *, now: datetime
) -> GameUpdate:
    row, awaited = game.row, awaiting(after)
    before = awaiting(game.state) if row.state is not None else None
    is_continued = len(played_steps) == 1 and is_same_turn(before, awaited)
    return game_update(game, after, played_steps, is_continued=is_continued, now=now)


def game_update(
    game: LoadedGame,
    after: State,
    played_steps: list[TurnStep],
    *,
    is_continued: bool,
    now: datetime,
) -> GameUpdate:
    """Return what is written for these turns; ``is_continued`` if the game waits for the same turn as before. Write nothing.

    In a paused game a new turn begins at the moment of the pause, so that resuming leaves its player the whole time.
    """
    row, awaited, start = game.row, awaiting(after), game.row.paused_at or now
    clock = (
        running_clock(row, now=now)
        if is_continued
        else new_clock(row, after.seq, awaited, now=start)
    )
    return GameUpdate(
        game_id=row.id,
        expected_seq=row.seq,
        expected_status=row.status,
        position=_position_row(game, after, awaited, clock, now=now),
        turns=tuple(_turn_row(turn, now) for turn in played_steps),
        notifications=notifications_for(
            row.seats,
            after=after,
            events=[event for turn in played_steps for event in turn.events],
            seat_on_turn=None if awaited is None or is_continued else awaited.seat,
            now=now,
        ),
        results=results_of(after),
    )


def _position_row(
    game: LoadedGame, after: State, awaited: Awaiting | None, clock: TurnClock, *, now: datetime
) -> PositionRow:
    is_over = awaited is None
    return PositionRow(
        seq=after.seq,
        state=encode_state(after),
        state_format=STATE_FORMAT,
        status=_status_after(game, is_over=is_over),
        awaiting=None if awaited is None else awaited.seat,
        awaiting_bot=awaited is not None and game.row.seats[awaited.seat].is_bot,
        round=after.round,
        turn_seq=clock.turn_seq,
        turn_started_at=clock.started_at,
        deadline_at=clock.deadline_at,
        remind_at=clock.remind_at,
        wake_at=clock.wake_at,
        ended_at=now if is_over else None,
    )


def _status_after(game: LoadedGame, *, is_over: bool) -> GameStatus:
    if is_over:
        return GameStatus.FINISHED
    return GameStatus.PAUSED if game.status == GameStatus.PAUSED else GameStatus.RUNNING


def _turn_row(turn: TurnStep, now: datetime) -> TurnRow:
    return TurnRow(
        seq=turn.seq,
        seat=turn.seat,
        by=turn.by,
        action=None if turn.action is None else encode_action(turn.action),
        events=encode_events(turn.events),
        at=now,
    )
