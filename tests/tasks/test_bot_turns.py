import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from tasks import bot_turns
from tasks.bot_turns import DECISION_BUDGET
from tasks.context import WorkerContext
from tasks.decider import Decision, Fault
from tests.support.cast import ALICE
from tests.support.deciders import InProcessDecider
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import (
    NOON,
    Guest,
    deal_game,
    pick_first,
    play_turn,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.fakes import FakeClock
from webapp.services.operations import maintenance
from webapp.services.play.bot_turns import (
    CLAIM_DURATION,
    LONGEST_THOUGHT,
    SHORTEST_THOUGHT,
    BotTurn,
)
from webapp.services.tx import Database, transaction
from webapp.store.schema.lobby import Seat
from webapp.store.schema.play import Turn


@pytest.fixture
def table(database: Database) -> tuple[str, Guest]:
    """Alice and two bots; a bot is on turn."""
    alice = sign_in_guest(database, ALICE)
    return deal_game(database, [alice], table_settings(starter=1)), alice


def _log_of(database: Database) -> list[tuple[int | None, str, datetime]]:
    with transaction(database) as tx:
        rows = tx.connection.execute(select(Turn.seat, Turn.by, Turn.at).order_by(Turn.seq))
        return [(row[0], row[1], row[2]) for row in rows]


class SilentDecider(InProcessDecider):
    """Never decides, and lets the clock run while it is waited for."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(pick_first, clock=clock)
        self.stop_count = 0

    def wait(self, seconds: float) -> Decision | None:
        assert self._clock is not None
        self._clock.pause(max(seconds, 0.01))
        return None

    def stop(self) -> None:
        self.stop_count += 1


class FaultyDecider(InProcessDecider):
    def __init__(self) -> None:
        super().__init__(pick_first)

    def wait(self, seconds: float) -> Decision | None:  # noqa: ARG002 - it has failed
        return Fault("ValueError in policy.py, line 7")


def test_each_bot_answers_after_a_thought(
    worker: WorkerContext, database: Database, table: tuple[str, Guest], clock: FakeClock
) -> None:
    bot_turns.play_bots(worker)
    seats, _, times = zip(*_log_of(database), strict=True)
    assert seats == (None, 1, 2)
    assert times[1] - times[0] == times[2] - times[1] == SHORTEST_THOUGHT
    assert clock.now == times[2]


def test_bots_of_different_games_think_at_the_same_time(
    worker: WorkerContext, database: Database, table: tuple[str, Guest]
) -> None:
    for _ in range(9):
        deal_game(database, [table[1]], table_settings(starter=2))
    bot_turns.play_bots(worker)
    times = [at for _, by, at in _log_of(database) if by == "bot"]
    assert len(times) == 11
    assert max(times) - NOON <= 2 * LONGEST_THOUGHT


def test_decision_time_does_not_show_in_the_time_of_the_answer(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    """The saboteurs decide in half a second and the others at once; no one can tell from when they answer."""
    alice = sign_in_guest(database, ALICE)
    decider = InProcessDecider(pick_first, clock=clock, takes=_longer_for_saboteurs)
    pick = SeededRng(10).below
    timed_worker = replace(worker, decider=decider, pick=pick)
    for _ in range(6):
        slug = deal_game(database, [alice], table_settings(seats=10, starter=1), now=clock.now)
        _play_some_turns(timed_worker, database, slug, alice, clock)
    thoughts = _thoughts_by_role(database, decider)
    assert min(map(len, thoughts.values())) >= 60
    assert not _differ(thoughts["digger"], thoughts["saboteur"])
    all_thoughts = [*thoughts["digger"], *thoughts["saboteur"]]
    assert SHORTEST_THOUGHT.total_seconds() <= min(all_thoughts)
    assert max(all_thoughts) <= LONGEST_THOUGHT.total_seconds() + 0.01


def test_comparison_finds_answers_that_are_half_a_second_later() -> None:
    pick = SeededRng(11).below
    honest_thoughts = [0.8 + pick(801) / 1000 for _ in range(200)]
    assert _differ(honest_thoughts, [seconds + 0.5 for seconds in honest_thoughts[:60]])
    assert not _differ(honest_thoughts[:100], honest_thoughts[100:])


def _longer_for_saboteurs(turn: BotTurn) -> timedelta:
    return timedelta(seconds=0.5 if turn.view.role == "saboteur" else 0)


def _play_some_turns(
    worker: WorkerContext, database: Database, slug: str, guest: Guest, clock: FakeClock
) -> None:
    for _ in range(4):
        bot_turns.play_bots(worker)
        play_turn(database, slug, guest, now=clock.now)
    bot_turns.play_bots(worker)


def _thoughts_by_role(database: Database, decider: InProcessDecider) -> dict[str, list[float]]:
    """Return the seconds from the beginning of each bot's turn to its answer, by the bot's role."""
    with transaction(database) as tx:
        rows = tx.connection.execute(select(Turn.game_id, Turn.seq, Turn.at))
        times = {(row[0], row[1]): row[2] for row in rows}
    thoughts: dict[str, list[float]] = {"digger": [], "saboteur": []}
    for turn in decider.decided:
        at = times[turn.game_id, turn.seq + 1] - times[turn.game_id, turn.seq]
        thoughts[turn.view.role or ""].append(at.total_seconds())
    return thoughts


def _differ(first: list[float], second: list[float]) -> bool:
    """Return whether two samples come from different distributions (Kolmogorov and Smirnov, at 0.1 percent)."""
    distance = max(
        abs(_share_below(first, at) - _share_below(second, at)) for at in [*first, *second]
    )
    sizes = len(first), len(second)
    return distance > 1.95 * (sum(sizes) / (sizes[0] * sizes[1])) ** 0.5


def _share_below(sample: list[float], at: float) -> float:
    return sum(value <= at for value in sample) / len(sample)


def test_bot_that_exceeds_its_budget_plays_the_neutral_action(
    worker: WorkerContext,
    database: Database,
    table: tuple[str, Guest],
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    decider = SilentDecider(clock)
    bot_turns.play_bots(replace(worker, decider=decider))
    [_, first, second] = _log_of(database)
    assert (first[:2], second[:2]) == ((1, "bot"), (2, "bot"))
    assert decider.stop_count == 2
    assert first[2] - NOON < DECISION_BUDGET + 2 * LONGEST_THOUGHT < CLAIM_DURATION
    reason = "plays the neutral action: no decision within 5 seconds."
    assert f"The bot in seat 2 of game {table[0]} {reason}" in caplog.text


def test_bot_that_fails_plays_the_neutral_action_when_its_answer_is_due(
    worker: WorkerContext,
    database: Database,
    table: tuple[str, Guest],
    caplog: pytest.LogCaptureFixture,
) -> None:
    bot_turns.play_bots(replace(worker, decider=FaultyDecider()))
    [_, first, _] = _log_of(database)
    assert first == (1, "bot", NOON + SHORTEST_THOUGHT)
    assert stored_game(database, *table).row.awaiting == 0
    assert "plays the neutral action: ValueError in policy.py, line 7." in caplog.text


def test_unknown_stored_level_is_logged_with_those_that_are_known(
    worker: WorkerContext,
    database: Database,
    table: tuple[str, Guest],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with transaction(database) as tx:
        is_second = Seat.number == 1
        tx.connection.execute(update(Seat).where(is_second).values(bot_level="brilliant"))
    bot_turns.play_bots(worker)
    assert [by for _, by, _ in _log_of(database)] == ["player", "bot", "bot"]
    assert (
        "its level is stored as 'brilliant', but it must be one of easy, steady, keen"
        in caplog.text
    )


def test_second_loop_of_a_process_returns_at_once(
    worker: WorkerContext, database: Database, table: tuple[str, Guest]
) -> None:
    with worker.bots_lock:
        bot_turns.play_bots(worker)
    assert len(_log_of(database)) == 1


def test_worker_that_stops_gives_its_claims_back(
    worker: WorkerContext, database: Database, table: tuple[str, Guest], clock: FakeClock
) -> None:
    stops = replace(worker, is_stopping=lambda: clock.now > NOON)
    bot_turns.play_bots(stops)
    assert len(_log_of(database)) == 1
    bot_turns.play_bots(worker)
    assert _log_of(database)[1][2] < NOON + 2 * LONGEST_THOUGHT


def test_answer_that_becomes_due_during_maintenance_is_not_played(
    worker: WorkerContext, database: Database, table: tuple[str, Guest], clock: FakeClock
) -> None:
    def begin_maintenance(seconds: float) -> None:
        clock.pause(seconds)
        with transaction(database) as tx:
            maintenance.begin(tx, now=clock.now)

    bot_turns.play_bots(replace(worker, pause=begin_maintenance))
    assert len(_log_of(database)) == 1


def test_long_run_ends_with_a_nudge_for_the_next_one(
    worker: WorkerContext, database: Database, table: tuple[str, Guest], clock: FakeClock
) -> None:
    nudges: list[str] = []
    slow_decider = InProcessDecider(pick_first, clock=clock, takes=lambda _: timedelta(seconds=21))
    bot_turns.play_bots(replace(worker, decider=slow_decider, nudge=nudges.extend))
    assert [seat for seat, _, _ in _log_of(database)] == [None, 1]
    assert nudges == ["bots"]


@pytest.mark.parametrize("step, expected_seats", [("claimed", [None]), ("played", [None, 1])])
def test_worker_that_is_killed_loses_nothing_and_plays_nothing_twice(
    database: Database,
    database_url: str,
    table: tuple[str, Guest],
    worker: WorkerContext,
    clock: FakeClock,
    step: str,
    expected_seats: list[int | None],
) -> None:
    dying_command = [sys.executable, "-m", "tests.support.dying_bot_worker", database_url, step]
    assert subprocess.run(dying_command, check=False).returncode == 9
    assert [seat for seat, _, _ in _log_of(database)] == expected_seats
    clock.move(CLAIM_DURATION + LONGEST_THOUGHT)
    bot_turns.play_bots(worker)
    assert [seat for seat, _, _ in _log_of(database)] == [None, 1, 2]
