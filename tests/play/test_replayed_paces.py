"""Random sequences of turns, acts and maintenance at tables with time banks and playing hours: the records explain every deadline."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests.moderation.test_replayed_deadlines import SimulatedGame, _deadline, _records
from tests.support.factories import Guest, table_settings
from tests.support.sizes import case_count
from tests.support.transactions import NOON, transaction
from webapp.clock.pace.calendar import Calendar, elapsed_time
from webapp.clock.pace.pace import Pace, named_pace
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.game_status import GameStatus
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat

NO_TIME = timedelta(0)
PACES = (
    named_pace("brisk", "Europe/Riga"),
    named_pace("daily", "America/Havana"),
    Pace(
        time_per_turn=timedelta(hours=10),
        bank=timedelta(hours=5),
        refill=timedelta(minutes=90),
        zone="Australia/Lord_Howe",
        weekdays=(0, 2, 4, 5),
        opens=time(20),
        closes=time(3, 30),
    ),
)
STEPS = ("turn", "turn", "sweep", "extend", "undo", "pause", "resume", "rewind")


@dataclass
class ReplayedClock:
    """The clock of a turn and all time banks, as the records tell."""

    pace: Pace
    seat_by_turn: dict[int, int]
    """Whose turn began where, by the events of the deadlines."""
    banks: dict[int, timedelta]
    seat: int = 0
    time_left: timedelta = NO_TIME
    is_paused: bool = False
    stopped_at: datetime | None = None
    """Since when a maintenance stops the clock."""
    at: datetime = NOON

    @property
    def calendar(self) -> Calendar:
        return Calendar(self.pace.playing)

    def pass_until(self, instant: datetime) -> None:
        if not self.is_paused and self.stopped_at is None:
            time_passed = elapsed_time(self.at, instant, self.calendar)
            self.time_left = max(self.time_left - time_passed, NO_TIME)
        self.at = instant

    def apply(self, kind: str, record: Any) -> None:
        if kind == "turn":
            self._begin_turn(record)
        elif kind == GameRight.EXTEND:
            self._extend(_deadline(record.before), _deadline(record.after))
        elif kind in {GameRight.PAUSE, GameRight.RESUME}:
            self.is_paused = kind == GameRight.PAUSE
            if kind == GameRight.RESUME:
                # Who is on turn can still react to it.
                self.time_left = max(self.time_left, self.pace.time_per_turn / 5)
        elif kind == "begin":
            self.stopped_at = self.at
        elif kind == "end":
            self.stopped_at = None

    def _begin_turn(self, turn: Any) -> None:
        if turn.action is not None:
            self._settle_bank(player_took_turn=turn.by == "player")
        elif turn.seq:
            # Every rewind here goes back to the first turn, when all banks were full.
            self.banks = dict.fromkeys(self.banks, self.pace.bank)
        self.seat = self.seat_by_turn[turn.seq]
        self.time_left = self.pace.time_per_turn + self.banks[self.seat]
        # In a paused game the turn begins at the moment of the pause.
        if self.stopped_at is not None and not self.is_paused:
            self.stopped_at = self.at

    def _settle_bank(self, *, player_took_turn: bool) -> None:
        """The time per turn is used up first, and then the bank."""
        bank = min(self.banks[self.seat], self.time_left)
        if player_took_turn:
            bank = min(bank + self.pace.refill, self.pace.bank)
        self.banks[self.seat] = bank

    def _extend(self, before: datetime, after: datetime) -> None:
        if after < before:
            self.time_left -= elapsed_time(after, before, self.calendar)
        elif self.time_left:
            self.time_left += elapsed_time(before, after, self.calendar)
        else:
            self.time_left = elapsed_time(self.stopped_at or self.at, after, self.calendar)


def events_of(simulated_game: SimulatedGame) -> list[Any]:
    query = select(DeadlineEvent).where(DeadlineEvent.game_id == simulated_game.game().id)
    with transaction(simulated_game.database) as tx:
        return list(tx.execute(query.order_by(DeadlineEvent.id)))


def banks_of(simulated_game: SimulatedGame, pace: Pace) -> dict[int, timedelta]:
    query = select(Seat.number, Seat.bank).where(Seat.game_id == simulated_game.game().id)
    with transaction(simulated_game.database) as tx:
        rows = tx.execute(query).all()
    return {seat: pace.bank if bank is None else bank for seat, bank in rows}


def replay(simulated_game: SimulatedGame, pace: Pace) -> ReplayedClock:
    seats = {
        event.turn_seq: event.seat for event in events_of(simulated_game) if event.kind == "started"
    }
    clock = ReplayedClock(pace, seats, dict.fromkeys(range(3), pace.bank))
    records = sorted(_records(simulated_game), key=lambda timed_record: timed_record[:2])
    for instant, _, kind, record in records:
        clock.pass_until(instant)
        clock.apply(kind, record)
    clock.pass_until(simulated_game.now)
    return clock


def stored_time_left(simulated_game: SimulatedGame, clock: ReplayedClock) -> timedelta:
    """Return what the stored row says is left of the turn; a maintenance that lasts has stopped it."""
    game = simulated_game.game()
    at = game.paused_at or simulated_game.now
    if clock.stopped_at is not None:
        at = min(at, max(clock.stopped_at, game.turn_started_at))
    return elapsed_time(at, game.deadline_at, clock.calendar)


@example(
    pace=PACES[0],
    steps=[("turn", 1), ("pause", 1), ("maintenance", 1), ("rewind", 1), ("resume", 1)],
)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=case_count("hypothesis_examples"),
)
@given(
    pace=st.sampled_from(PACES),
    steps=st.lists(
        st.tuples(st.sampled_from((*STEPS, "maintenance", "maintenance-end")), st.floats(0.1, 90)),
        max_size=14,
    ),
)
def test_deadlines_and_time_banks_can_be_recomputed_from_stored_events(
    database: Database, guests: list[Guest], pace: Pace, steps: list[tuple[str, float]]
) -> None:
    simulated_game = SimulatedGame(database, guests, table_settings(pace=pace))
    try:
        for step, hours in steps:
            simulated_game.take_step(step, hours)
            if step == "maintenance-end":
                simulated_game.take_step("shift", 0)
            if simulated_game.game().status not in {GameStatus.RUNNING, GameStatus.PAUSED}:
                return
            assert_deadline_and_banks_are_explained(simulated_game, pace)
    finally:
        simulated_game.end()


def assert_deadline_and_banks_are_explained(simulated_game: SimulatedGame, pace: Pace) -> None:
    game, clock = simulated_game.game(), replay(simulated_game, pace)
    time_left = stored_time_left(simulated_game, clock)
    assert abs(time_left - clock.time_left) < timedelta(milliseconds=1)
    assert banks_of(simulated_game, pace) == clock.banks
    events = [event for event in events_of(simulated_game) if event.turn_seq == game.turn_seq]
    assert events[-1].deadline_at == game.deadline_at
