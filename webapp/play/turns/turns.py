"""Taking a turn: the one path by which players, bots, the clock and everyone else change a game."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from engine.actions import Action, TakeGold
from engine.cards import Role
from engine.events import Dealt, Event, GameEnded
from engine.game import advance, start_game
from engine.record import RecordedTurn, TurnSource
from engine.state import GoldChoice, State
from engine.view import Awaiting, awaiting
from engine.wire import (
    STATE_FORMAT,
    decode_action,
    decode_events,
    encode_action,
    encode_events,
    encode_state,
)
from webapp.clock.held_turn import HeldTurn
from webapp.clock.turn import CHOICES_WITHIN_A_TURN, Clock, ClockChange, ClockEvent, TakenTurn
from webapp.kernel.game_status import GameStatus
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed, StaleTurn
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame, load_game
from webapp.play.lost_seats import is_lost_by_strikes
from webapp.play.plans import (
    SeatPlan,
    encode_plans,
    end_plan_of_awaited_seat,
    planned_turn,
    plans_after_turn,
)
from webapp.play.queries import changes, games, turns
from webapp.play.queries.clocks import changed_seats, stored_clock
from webapp.play.queries.results import ResultRow
from webapp.play.queries.rows import GameRow, SeatRow
from webapp.play.queries.turns import GameUpdate, NotificationRow, PositionRow, TurnRow, guard_of


class _Notice(NamedTuple):
    """One kind of email to several seats."""

    kind: str
    dedup_key: int
    recipients: tuple[SeatRow, ...]


class TurnStep(Redacted, frozen=True, kw_only=True):
    """One turn of the log, before it is encoded."""

    seat: int | None
    by: TurnSource
    action: Action | None
    events: tuple[Event, ...]
    seq: int


class AutomaticTurn(NamedTuple):
    """A turn that follows another one by itself."""

    seat: int
    by: TurnSource
    action: Action

    def __repr__(self) -> str:
        return f"<AutomaticTurn {self.seat}>"


class TurnResult(msgspec.Struct, frozen=True, kw_only=True):
    """The position after a turn; ``seq`` is more than one higher when plans or automatic gold picks followed."""

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
    if not turns.append(tx, update):
        # The basis of the turn may have changed meanwhile: plans, which no one else may notice, absences, its times.
        game = _reread_game(tx, game, seat)
        update = update_for(game, seat, action=action, by=by, now=tx.now)
        if not turns.append(tx, update):
            raise StaleTurn
    add_nudges(tx, (update,))
    return TurnResult(
        seq=update.position.seq, is_over=update.position.status == GameStatus.FINISHED
    )


def update_for(
    game: LoadedGame,
    seat: int,
    *,
    action: Action,
    by: TurnSource,
    now: datetime,
    is_excused: bool = False,
) -> GameUpdate:
    """Return everything that an action changes, with the turns that follow by themselves: plans and gold picks. Write nothing.

    A turn that the clock plays costs its player nothing if it ``is_excused``.
    """
    chance = game.chance()
    state, events = advance(game.state, seat, action, chance)
    played_steps = [TurnStep(seat=seat, by=by, action=action, events=events, seq=state.seq)]
    seats = game.row.seats
    plans = plans_after_turn(game.plans, seats, seat=seat, events=events)
    while turn := _automatic_turn(state, seats, plans):
        state, events = advance(state, turn.seat, turn.action, chance)
        played_steps.append(
            TurnStep(seat=turn.seat, by=turn.by, action=turn.action, events=events, seq=state.seq)
        )
        plans = plans_after_turn(plans, seats, seat=turn.seat, events=events)
    plans = end_plan_of_awaited_seat(plans, state, seats)
    return _game_update(game, state, played_steps, plans, now=now, is_excused=is_excused)


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
    changes.lock_game(tx, game.row.id)
    row = games.find_many_to_play(tx, [game.row.id]).get(game.row.id)
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
    is_excused: bool = False,
) -> GameUpdate:
    awaited = awaiting(after)
    before = awaiting(game.state) if game.row.state is not None else None
    ended = None
    if len(played_steps) > 1 or not is_same_turn(before, awaited):
        turns_taken = _taken_turns(game.row.clock, played_steps, awaited)
        ended = _clock_after_turns(game.row.clock, turns_taken, now=now, is_excused=is_excused)
    return game_update(game, after, played_steps, plans, ended=ended, now=now)


def game_update(
    game: LoadedGame,
    after: State,
    played_steps: list[TurnStep],
    plans: tuple[SeatPlan, ...],
    *,
    ended: ClockChange | None,
    now: datetime,
) -> GameUpdate:
    """Return what is written for these turns, after which ``plans`` are left; write nothing.

    ``ended`` is the clock after the end of the turn that the game waited for: another one begins. With None the game waits for the same
    turn as before.
    """
    row, awaited, last_step = game.row, awaiting(after), played_steps[-1]
    seat_on_turn = None if awaited is None or ended is None else awaited.seat
    if ended is None:
        started = row.clock.continue_turn(seq=after.seq, now=now)
    else:
        started = ended.clock.begin(
            seat_on_turn, seq=after.seq, now=now, by=last_step.by, cause=_start_cause(last_step)
        )
    people = {step.seat for step in played_steps if step.by in {"player", "mail", "plan", "server"}}
    clock = started.clock.after_turns_of(people)
    notifications = notifications_for(
        row.seats,
        after=after,
        events=[event for turn in played_steps for event in turn.events],
        # A player who is away is not called to a turn that a bot takes for them.
        seat_on_turn=None if clock.awaiting_bot else seat_on_turn,
        now=now,
    )
    if played_steps[0].by == "clock":
        is_over = awaited is None
        notifications += _notification_of_default(row, clock, is_over=is_over, now=now)
    return GameUpdate(
        game_id=row.id,
        guard=guard_of(row),
        position=_position_row(game, after, plans, clock, now=now),
        turns=_turn_rows(game, played_steps, now=now),
        notifications=notifications,
        results=results_of(after),
        seat_clocks=changed_seats(row, clock),
        clock_events=(*(ended.events if ended else ()), *started.events),
    )


def is_same_turn(before: Awaiting | None, after: Awaiting | None) -> bool:
    """Return whether the game still waits for the same turn.

    Choosing a goal or turning a stone is part of the turn that led to it; picking gold is not.
    """
    if before is None or after is None:
        return False
    return before.seat == after.seat and after.kind in CHOICES_WITHIN_A_TURN


def _clock_after_turns(
    clock: Clock, turns_taken: Iterable[TakenTurn], *, now: datetime, is_excused: bool
) -> ClockChange:
    """Return the clock after these turns, of which the first is the one that the game waited for."""
    events: list[ClockEvent] = []
    for turn in turns_taken:
        if turn.by != "clock":
            change = clock.take(turn, now=now)
        else:
            change = clock.excuse(now=now) if is_excused else clock.miss(now=now)
        clock = change.clock
        events.extend(change.events)
    return ClockChange(clock, tuple(events))


def _taken_turns(
    clock: Clock, played_steps: list[TurnStep], awaited: Awaiting | None
) -> list[TakenTurn]:
    """Return the turns that were taken, without gold picks that followed by themselves, and one that still waits for a choice."""
    return [
        TakenTurn(
            step.seat,
            step.by,
            clock.turn_seq if number == 0 else step.seq - 1,
            _held_turn_with(clock, step) if number == 0 and step.by == "player" else None,
        )
        for number, step in enumerate(played_steps)
        if step.seat is not None and step.action is not None
        if number == 0 or not isinstance(step.action, TakeGold)
        if step is not played_steps[-1] or not is_same_turn(Awaiting(step.seat, "turn"), awaited)
    ]


def _held_turn_with(clock: Clock, step: TurnStep) -> HeldTurn | None:
    """Return the held turn if it is this one."""
    held_turn = clock.held_turn
    is_this = held_turn is not None and (held_turn.seat, held_turn.action) == (
        step.seat,
        step.action,
    )
    return held_turn if is_this else None


def _start_cause(step: TurnStep) -> str:
    if step.action is not None or step.by != "moderator":
        return ""
    return "rewind" if step.seat is None else "new-player"


def _position_row(
    game: LoadedGame,
    after: State,
    plans: tuple[SeatPlan, ...],
    clock: Clock,
    *,
    now: datetime,
) -> PositionRow:
    awaited = awaiting(after)
    is_over = awaited is None
    return PositionRow(
        seq=after.seq,
        state=encode_state(after),
        state_format=STATE_FORMAT,
        status=_status_after(game, is_over=is_over),
        awaiting=None if awaited is None else awaited.seat,
        round=after.round,
        ended_at=now if is_over else None,
        plans=encode_plans(plans),
        **msgspec.structs.asdict(stored_clock(clock)),
    )


def _status_after(game: LoadedGame, *, is_over: bool) -> GameStatus:
    if is_over:
        return GameStatus.FINISHED
    return GameStatus.PAUSED if game.status == GameStatus.PAUSED else GameStatus.RUNNING


def _automatic_turn(
    state: State, seats: tuple[SeatRow, ...], plans: tuple[SeatPlan, ...]
) -> AutomaticTurn | None:
    """Return the turn that follows by itself: a gold pick that is left to the server, or one that its player has planned."""
    if picker := _automatic_picker(state, seats):
        gold_pick, picked_by = _best_gold_pick(state, picker)
        return AutomaticTurn(picker.number, picked_by, gold_pick)
    action = planned_turn(plans, state, seats)
    if action is None or state.turn is None:
        return None
    return AutomaticTurn(state.turn, "plan", action)


def _automatic_picker(state: State, seats: tuple[SeatRow, ...]) -> SeatRow | None:
    """Return the seat that picks gold next, if it is a bot, or a person with equal cards or who lets the server pick.

    Others may guess from a pick that takes no time that its cards were equal, as they would at a table.
    """
    if not isinstance(state.choice, GoldChoice):
        return None
    seat = seats[state.choice.seat]
    has_choice = len(set(state.choice.cards)) > 1
    return seat if seat.is_bot or seat.picks_gold or not has_choice else None


def _best_gold_pick(state: State, picker: SeatRow) -> tuple[TakeGold, TurnSource]:
    assert isinstance(state.choice, GoldChoice)
    return TakeGold(max(state.choice.cards)), "bot" if picker.is_bot else "server"


def _turn_rows(
    game: LoadedGame, steps: Sequence[TurnStep], *, now: datetime
) -> tuple[TurnRow, ...]:
    """Return the rows for the next turns of a game; their heads continue the chain of the turns before."""
    chain = game.turn_chain()
    head = game.row.head or chain.start
    rows: list[TurnRow] = []
    for step in steps:
        head = chain.head_after(head, step.seq, _recorded_step(step))
        rows.append(_turn_row(step, head, now))
    return tuple(rows)


def recorded_turn(turn: TurnRow) -> RecordedTurn:
    """Return a turn of the log as the record of the game has it."""
    return RecordedTurn(
        seat=turn.seat,
        by=turn.by,
        action=None if turn.action is None else decode_action(turn.action),
        events=decode_events(turn.events),
    )


def _recorded_step(step: TurnStep) -> RecordedTurn:
    return RecordedTurn(seat=step.seat, by=step.by, action=step.action, events=step.events)


def _turn_row(step: TurnStep, head: bytes, now: datetime) -> TurnRow:
    return TurnRow(
        seq=step.seq,
        seat=step.seat,
        by=step.by,
        action=None if step.action is None else encode_action(step.action),
        events=encode_events(step.events),
        head=head,
        at=now,
    )


def results_of(state: State) -> tuple[ResultRow, ...]:
    """Return what each seat has won; nothing before the end of the game, when gold is not public."""
    if not state.winners:
        return ()
    return tuple(
        ResultRow(
            seat=seat,
            gold=sum(cards),
            is_winner=seat in state.winners,
            digger_rounds=_rounds_as("digger", state, seat),
            saboteur_rounds=_rounds_as("saboteur", state, seat),
        )
        for seat, cards in enumerate(state.gold)
    )


def _rounds_as(role: Role, state: State, seat: int) -> int:
    """Return in how many finished rounds the seat had a role."""
    return sum(result.roles[seat] == role for result in state.results)


def notifications_for(
    seats: tuple[SeatRow, ...],
    *,
    after: State,
    events: Iterable[Event],
    seat_on_turn: int | None,
    now: datetime,
) -> tuple[NotificationRow, ...]:
    """Return the notifications of these events; ``seat_on_turn`` is the seat whose turn began with them, if any did."""
    notices = list(_notices_to_all(seats, after, {type(event) for event in events}))
    if seat_on_turn is not None:
        notices.append(_Notice("your-turn", 0, (seats[seat_on_turn],)))
    return tuple(
        NotificationRow(
            seq=after.seq,
            kind=notice.kind,
            account_id=seat.account_id,
            dedup_key=notice.dedup_key,
            first_due_at=now,
            due_at=now,
        )
        for notice in notices
        for seat in notice.recipients
        if seat.account_id is not None
    )


def _notification_of_default(
    row: GameRow, clock: Clock, *, is_over: bool, now: datetime
) -> tuple[NotificationRow, ...]:
    """Return the email to the player on turn in ``row`` for whom the clock has played; none for an open seat.

    Its dedup key is the seat that is open now, or the number of strikes; 0 for an excused turn.
    """
    assert row.awaiting is not None
    seat, strikes = row.seats[row.awaiting], clock.players[row.awaiting].strikes
    if seat.account_id is None:
        return ()
    kind, dedup_key = "turn-missed", strikes if strikes > seat.strikes else 0
    if not is_over and is_lost_by_strikes(row, strikes) and row.late_rules.replacement != "bot":
        kind, dedup_key = "seat-opened", seat.number
    return (
        NotificationRow(
            seq=clock.seq,
            kind=kind,
            account_id=seat.account_id,
            dedup_key=dedup_key,
            first_due_at=now,
            due_at=now,
        ),
    )


def _notices_to_all(
    seats: tuple[SeatRow, ...], after: State, kinds: set[type[Event]]
) -> Iterator[_Notice]:
    """Yield what every player is notified of: the end of the game, or a deal, first or after a round."""
    if GameEnded in kinds:
        yield _Notice("game-over", 0, seats)
    elif Dealt in kinds and after.round == 1:
        yield _Notice("dealt", 0, seats)
    elif Dealt in kinds:
        yield _Notice("round-over", after.round - 1, seats)
