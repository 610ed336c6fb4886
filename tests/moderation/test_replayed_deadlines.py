"""Random sequences of acts, turns, pauses and maintenance: time left stays within its limits, and the records explain every deadline."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from tests.support.acts import HOUR, perform_act, undo_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest, deal_game, play_turn
from tests.support.sizes import case_count
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.schema import Maintenance
from webapp.clock.turn import FARTHEST_DEADLINE
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import Refused
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.new_table import TableSettings
from webapp.moderation.schema import LedgerEntry
from webapp.operations import maintenance
from webapp.play.schema import Game, Turn

EXTEND, PAUSE, RESUME = GameRight.EXTEND, GameRight.PAUSE, GameRight.RESUME
MAX_EXTENSIONS = 3
ALLOWANCE = DAY
TIME_TO_REACT = ALLOWANCE / 5
"""What is left when a game is resumed, at least."""


class SimulatedGame:
    """One game, and what happens to it as time passes."""

    def __init__(
        self, database: Database, guests: list[Guest], settings: TableSettings | None = None
    ) -> None:
        self.database, self.guests = database, guests
        self.slug, self.now = deal_game(database, guests, settings), NOON

    def take_step(self, step: str, hours: float) -> None:
        """Let time pass, and then do one thing; what is refused changes nothing."""
        self.now += timedelta(hours=hours, seconds=1)
        try:
            self._steps()[step](hours)
        except Refused:
            return

    def _steps(self) -> dict[str, Callable[[float], object]]:
        return {
            "turn": lambda _: self._play_turn(),
            "sweep": lambda _: self._sweep(),
            "extend": lambda hours: self._act(EXTEND, extra=timedelta(hours=hours)),
            "undo": lambda _: self._undo_last(),
            "pause": lambda _: self._act(PAUSE),
            "resume": lambda _: self._act(RESUME),
            "rewind": lambda _: self._act(GameRight.REWIND, turn=0),
            "maintenance": lambda _: self._run_in_transaction(maintenance.begin),
            "maintenance-end": lambda _: self._run_in_transaction(maintenance.end),
            "shift": lambda _: self._shift_clocks(),
        }

    def _act(self, act: GameRight, **input_fields: Any) -> None:
        perform_act(self.database, self.slug, act, now=self.now, **input_fields)

    def _run_in_transaction(self, change: Callable[..., object]) -> None:
        with transaction(self.database, self.now) as tx:
            change(tx)

    def _shift_clocks(self) -> None:
        """Shift the clocks of all games, those of earlier stories too."""
        has_more = True
        while has_more:
            with transaction(self.database, self.now) as tx:
                has_more = maintenance.shift_next_games(tx)

    def _play_turn(self) -> None:
        seat = self.game().awaiting
        if seat is not None:
            play_turn(self.database, self.slug, self.guests[seat], now=self.now)

    def _sweep(self) -> None:
        with transaction(self.database) as tx:
            if not maintenance.are_clocks_stopped(tx):
                sweep_with_calls_sent(tx, now=self.now, random_below=pick_first)

    def _undo_last(self) -> None:
        entries = self.entries()
        if entries:
            act = GameRight(entries[-1].act)
            undo_act(self.database, self.slug, act, entries[-1].id, now=self.now)

    def game(self) -> Any:
        with transaction(self.database) as tx:
            return tx.execute(select(Game).where(Game.slug == self.slug)).one()

    def entries(self) -> list[Any]:
        game_id = self.game().id
        query = select(LedgerEntry).where(LedgerEntry.game_id == game_id).order_by(LedgerEntry.id)
        with transaction(self.database) as tx:
            return list(tx.execute(query))

    def turns(self) -> list[Any]:
        query = select(Turn).where(Turn.game_id == self.game().id).order_by(Turn.seq)
        with transaction(self.database) as tx:
            return list(tx.execute(query))

    def maintenances(self) -> list[Any]:
        """Return every maintenance that began after the deal."""
        query = select(Maintenance).where(Maintenance.began_at > NOON).order_by(Maintenance.id)
        with transaction(self.database) as tx:
            return list(tx.execute(query))

    def end(self) -> None:
        """End the maintenance, which would stop the clocks of the next story too, and let the host open tables again."""
        self.take_step("maintenance-end", 0)
        self.take_step("shift", 0)
        with transaction(self.database) as tx:
            tx.execute(update(Game).values(opened_at=NOON - 2 * DAY))
            for table in (LedgerEntry.__table__, Maintenance.__table__):
                tx.connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
                tx.execute(table.delete())


@dataclass
class ReplayedClock:
    """The clock of a turn as the records tell: its time passes unless something stops it."""

    time_left: timedelta = ALLOWANCE
    extension_count: int = 0
    """Extensions of the turn that were not undone."""
    is_paused: bool = False
    is_stopped_by_maintenance: bool = False
    at: datetime = NOON

    def pass_until(self, instant: datetime) -> None:
        if not self.is_paused and not self.is_stopped_by_maintenance:
            self.time_left -= instant - self.at
        self.at = instant

    def apply(self, kind: str, record: Any) -> None:
        if kind == "turn":
            self.time_left, self.extension_count = ALLOWANCE, 0
        elif kind == EXTEND:
            self.time_left += _deadline(record.after) - _deadline(record.before)
            self.extension_count += 1 if record.undoes is None else -1
        elif kind in {PAUSE, RESUME}:
            self.is_paused = kind == PAUSE
            if kind == RESUME:
                self.time_left = max(self.time_left, TIME_TO_REACT)
        elif kind in {"begin", "end"}:
            self.is_stopped_by_maintenance = kind == "begin"


def _deadline(ledger_facts: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(ledger_facts["deadline_at"])


def _records(simulated_game: SimulatedGame) -> Iterator[tuple[datetime, int, str, Any]]:
    for turn in simulated_game.turns():
        yield turn.at, 1, "turn", turn
    for entry in simulated_game.entries():
        yield entry.at, 2, entry.act, entry
    for stop in simulated_game.maintenances():
        yield stop.began_at, 3, "begin", stop
        if stop.ended_at is not None:
            yield stop.ended_at, 3, "end", stop


def replay(simulated_game: SimulatedGame) -> ReplayedClock:
    """Compute the time that is left from turns, ledger and maintenance alone."""
    clock = ReplayedClock()
    for instant, _, kind, record in sorted(
        _records(simulated_game), key=lambda timed_record: timed_record[:2]
    ):
        clock.pass_until(instant)
        clock.apply(kind, record)
    clock.pass_until(simulated_game.now)
    return clock


def _max_time_left(step: str, hours: float, time_left_before: timedelta) -> timedelta:
    """Return the most time that may be left after a step: only a new turn, an extension or the end of a pause adds any."""
    if step == "extend":
        return max(time_left_before, timedelta(0)) + timedelta(hours=hours)
    if step in {"resume", "undo"}:
        return max(time_left_before, TIME_TO_REACT)
    return (
        max(time_left_before, ALLOWANCE)
        if step in {"turn", "sweep", "rewind"}
        else time_left_before
    )


def stored_time_left(simulated_game: SimulatedGame) -> timedelta:
    """Return what the stored row says is left of the turn, with the end of a maintenance still to be added."""
    game = simulated_game.game()
    at = game.paused_at or simulated_game.now
    stopped_time = timedelta(0)
    for stop in simulated_game.maintenances():
        if stop.shifted_at is None and game.id > stop.last_game_id:
            stop_end = at if stop.ended_at is None else min(at, stop.ended_at)
            stopped_time = max(stop_end - max(stop.began_at, game.turn_started_at), stopped_time)
    return game.deadline_at - (at - stopped_time)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=case_count("hypothesis_examples"),
)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "turn",
                    "sweep",
                    "extend",
                    "extend",
                    "undo",
                    "pause",
                    "resume",
                    "rewind",
                    "maintenance",
                    "maintenance-end",
                    "shift",
                ]
            ),
            st.floats(0.1, 200),
        ),
        max_size=14,
    )
)
def test_records_explain_every_deadline(
    database: Database, guests: list[Guest], steps: list[tuple[str, float]]
) -> None:
    simulated_game = SimulatedGame(database, guests)
    try:
        check_every_step(simulated_game, steps)
    finally:
        simulated_game.end()


def check_every_step(simulated_game: SimulatedGame, steps: list[tuple[str, float]]) -> None:
    before = ALLOWANCE
    for step, hours in steps:
        simulated_game.take_step(step, hours)
        if simulated_game.game().status not in {GameStatus.RUNNING, GameStatus.PAUSED}:
            return
        replayed_clock = replay(simulated_game)
        assert abs(stored_time_left(simulated_game) - replayed_clock.time_left) < timedelta(
            milliseconds=1
        )
        assert replayed_clock.time_left <= max(FARTHEST_DEADLINE, ALLOWANCE)
        assert replayed_clock.time_left <= _max_time_left(step, hours, before)
        assert replayed_clock.extension_count <= MAX_EXTENSIONS
        before = replayed_clock.time_left


def test_pause_within_maintenance_keeps_the_time_left(
    database: Database, guests: list[Guest]
) -> None:
    simulated_game = SimulatedGame(database, guests)
    steps = ("extend", "maintenance", "pause", "maintenance-end", "resume", "extend", "shift")
    for step in steps:
        simulated_game.take_step(step, 5)
    assert replay(simulated_game).time_left == stored_time_left(simulated_game)
    assert [entry.act for entry in simulated_game.entries()] == [
        "extend",
        "pause",
        "resume",
        "extend",
    ]
    # Four steps took time from the clock: before the extension, until the maintenance, after the resumption, until now.
    assert replay(simulated_game).time_left == ALLOWANCE + 10 * HOUR - 4 * (
        5 * HOUR + timedelta(seconds=1)
    )
