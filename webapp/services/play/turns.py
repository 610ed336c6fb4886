"""Taking a turn: the one path by which players, bots, the clock and everyone else change a game."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from engine.actions import Action, TakeGold
from engine.game import advance, start_game
from engine.record import TurnSource
from engine.state import State
from engine.view import Awaiting, awaiting
from engine.wire import STATE_FORMAT, encode_state
from webapp.game_status import GameStatus
from webapp.services.errors import DenialReason, NotAllowed, StaleTurn
from webapp.services.play.access import GameAccess, LoadedGame, load_game
from webapp.services.play.automatic_turns import automatic_turn
from webapp.services.play.held_turns import held_turn_after, held_turn_with
from webapp.services.play.plans import (
    SeatPlan,
    encode_plans,
    end_plan_of_awaited_seat,
    plans_after_turn,
)
from webapp.services.play.results import results_of
from webapp.services.play.turn_clock import TurnClock, is_same_turn, new_clock, running_clock
from webapp.services.play.turn_events import TakenTurn, clocks_after, turn_start_event
from webapp.services.play.turn_notifications import notifications_for
from webapp.services.play.turn_rows import TurnStep, turn_rows
from webapp.services.tx import Tx
from webapp.store.clock.deadline_events import DeadlineEventRow
from webapp.store.play import changes, games, turns
from webapp.store.play.rows import GameRow
from webapp.store.play.turn_guard import guard_of
from webapp.store.play.turns import GameUpdate, PositionRow


class TurnResult(msgspec.Struct, frozen=True, kw_only=True):
    """Where a game stands after a turn; ``seq`` is more than one higher when plans or automatic gold picks followed."""

    seq: int
    is_over: bool


def take_turn(
    tx: Tx, access: GameAccess, action: Action, *, seq: int, by: TurnSource
) -> TurnResult:
    """Play an action for the seat of ``access`` if the game still stands at ``seq``; the statement that writes it checks that again.

    Raises StaleTurn if the game has moved on, IllegalAction if the rules refuse the action, and NotAllowed if the viewer has
    no seat or the game was not dealt.
    """
    game = access.game
    seat = require_turn(game, access.seat, seq)
    update = update_for(game, seat, action=action, by=by, now=tx.now)
    if not turns.append(tx.connection, update):
        # What the turn was computed from may have changed meanwhile: plans, which no one else may notice, absences, its times.
        game = _reread_game(tx, game, seat)
        update = update_for(game, seat, action=action, by=by, now=tx.now)
        if not turns.append(tx.connection, update):
            raise StaleTurn
    add_nudges(tx, (update,))
    return TurnResult(
        seq=update.position.seq, is_over=update.position.status == GameStatus.FINISHED
    )


def update_for(
    game: LoadedGame, seat: int, *, action: Action, by: TurnSource, now: datetime
) -> GameUpdate:
    """Return everything that an action changes, with the turns that follow by themselves: plans and gold picks. Write nothing."""
    chance = game.chance()
    state, events = advance(game.state, seat, action, chance)
    played_steps = [TurnStep(seat=seat, by=by, action=action, events=events, seq=state.seq)]
    seats = game.row.seats
    plans = plans_after_turn(game.plans, seats, seat=seat, events=events)
    while turn := automatic_turn(state, seats, plans):
        state, events = advance(state, turn.seat, turn.action, chance)
        played_steps.append(
            TurnStep(seat=turn.seat, by=turn.by, action=turn.action, events=events, seq=state.seq)
        )
        plans = plans_after_turn(plans, seats, seat=turn.seat, events=events)
    plans = end_plan_of_awaited_seat(plans, state, seats)
    return _game_update(game, state, played_steps, plans, now=now)


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
    return _game_update(game, state, [deal], (), now=now)


def add_nudges(tx: Tx, updates: Sequence[GameUpdate]) -> None:
    """Note which workers have something to do once these updates are committed."""
    if any(update.notifications for update in updates):
        tx.nudges.add("emails")
    if any(update.position.awaiting_bot for update in updates):
        tx.nudges.add("bots")


def require_turn(game: LoadedGame, seat: int | None, seq: int) -> int:
    """Return the viewer's seat. Raises NotAllowed if no one can play, and StaleTurn if the game is not at ``seq``."""
    if seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if not game.is_dealt or game.status == GameStatus.CANCELLED:
        raise NotAllowed(DenialReason.NOT_RUNNING)
    if game.status == GameStatus.PAUSED:
        raise NotAllowed(DenialReason.PAUSED)
    if seq != game.seq:
        raise StaleTurn(game.seq)
    return seat


def _reread_game(tx: Tx, game: LoadedGame, seat: int) -> LoadedGame:
    """Return the game, locked, as it stands now. Raises StaleTurn if it has moved on, or someone else has the seat."""
    changes.lock_game(tx.connection, game.row.id)
    row = games.find_many_to_play(tx.connection, [game.row.id]).get(game.row.id)
    if row is None or (row.seq, row.status) != (game.seq, game.status):
        raise StaleTurn
    if row.seats[seat].account_id != game.row.seats[seat].account_id:
        raise StaleTurn
    return load_game(tx, row)


def _game_update(
    game: LoadedGame,
    after: State,
    played_steps: list[TurnStep],
    plans: tuple[SeatPlan, ...],
    *,
    now: datetime,
) -> GameUpdate:
    row, awaited = game.row, awaiting(after)
    before = awaiting(game.state) if row.state is not None else None
    is_continued = len(played_steps) == 1 and is_same_turn(before, awaited)
    return game_update(game, after, played_steps, plans, is_continued=is_continued, now=now)


def game_update(
    game: LoadedGame,
    after: State,
    played_steps: list[TurnStep],
    plans: tuple[SeatPlan, ...],
    *,
    is_continued: bool,
    now: datetime,
) -> GameUpdate:
    """Return what is written for these turns, after which ``plans`` are left; write nothing.

    With ``is_continued`` the game waits for the same turn as before. In a paused game a new turn begins at the moment of the pause, so that resuming leaves its player the whole time.
    """
    taken_turns = [] if is_continued else _taken_turns(game.row, played_steps, awaiting(after))
    clocks = clocks_after(game.row, taken_turns, now=now)
    row, awaited = clocks.row, awaiting(after)
    clock = _clock_after(row, after, is_continued=is_continued, now=now)
    seat_on_turn = None if awaited is None or is_continued else awaited.seat
    start_events = _start_events(row, clock, seat_on_turn, played_steps[-1], now=now)
    return GameUpdate(
        game_id=row.id,
        guard=guard_of(row),
        position=_position_row(game, after, plans, played_steps, clock, now=now),
        turns=turn_rows(game, played_steps, now=now),
        notifications=notifications_for(
            row.seats,
            after=after,
            events=[event for turn in played_steps for event in turn.events],
            # A player who is away is not called to a turn that a bot takes for them.
            seat_on_turn=None if clock.is_bot_turn else seat_on_turn,
            now=now,
        ),
        results=results_of(after),
        seat_clocks=clocks.seat_clocks,
        deadline_events=(*clocks.events, *start_events),
    )


def _clock_after(row: GameRow, after: State, *, is_continued: bool, now: datetime) -> TurnClock:
    if is_continued:
        return running_clock(row, now=now)
    return new_clock(row, after.seq, awaiting(after), now=row.paused_at or now)


def _taken_turns(
    row: GameRow, played_steps: list[TurnStep], awaited: Awaiting | None
) -> list[TakenTurn]:
    """Return the turns that were taken, without gold picks that followed by themselves, and one that still waits for a choice."""
    return [
        TakenTurn(
            step.seat,
            step.by,
            row.turn_seq if number == 0 else step.seq - 1,
            held_turn_with(row, step.seat, step.action)
            if number == 0 and step.by == "player"
            else None,
        )
        for number, step in enumerate(played_steps)
        if step.seat is not None and step.action is not None
        if number == 0 or not isinstance(step.action, TakeGold)
        if step is not played_steps[-1] or not is_same_turn(Awaiting(step.seat, "turn"), awaited)
    ]


def _start_events(
    row: GameRow, clock: TurnClock, seat: int | None, step: TurnStep, *, now: datetime
) -> tuple[DeadlineEventRow, ...]:
    cause = ""
    if step.action is None and step.by == "moderator":
        cause = "rewind" if step.seat is None else "new-player"
    event = turn_start_event(row, clock, seat, step.by, cause=cause, now=now)
    return () if event is None else (event,)


def _position_row(
    game: LoadedGame,
    after: State,
    plans: tuple[SeatPlan, ...],
    played_steps: list[TurnStep],
    clock: TurnClock,
    *,
    now: datetime,
) -> PositionRow:
    awaited = awaiting(after)
    is_over = awaited is None
    people = {step.seat for step in played_steps if step.by in {"player", "mail", "plan"}}
    return PositionRow(
        seq=after.seq,
        state=encode_state(after),
        state_format=STATE_FORMAT,
        status=_status_after(game, is_over=is_over),
        awaiting=None if awaited is None else awaited.seat,
        awaiting_bot=clock.is_bot_turn,
        round=after.round,
        turn_seq=clock.turn_seq,
        turn_started_at=clock.started_at,
        deadline_at=clock.deadline_at,
        remind_at=clock.remind_at,
        wake_at=clock.wake_at,
        ended_at=now if is_over else None,
        plans=encode_plans(plans),
        held_turn=None if is_over else held_turn_after(game.row, people),
    )


def _status_after(game: LoadedGame, *, is_over: bool) -> GameStatus:
    if is_over:
        return GameStatus.FINISHED
    return GameStatus.PAUSED if game.status == GameStatus.PAUSED else GameStatus.RUNNING
