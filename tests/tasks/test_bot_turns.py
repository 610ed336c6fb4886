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
from tests.support.factories import Guest, deal_game, sign_in_guest, stored_game, table_settings
from tests.support.fakes import FakeClock
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.operations import maintenance
from webapp.play.bots.bot_turns import CLAIM_DURATION, BotTurn
from webapp.play.bots.thinking_time import THINKING_TIME_WITH_ONE_PERSON, USUAL_THINKING_TIME
from webapp.play.schema import Turn


@pytest.fixture
def table(database: Database) -> tuple[str, Guest]:
    """Alice and two bots; a bot is on turn."""
    alice = sign_in_guest(database, ALICE)
    return deal_game(database, [alice], table_settings(starter=1)), alice


def _log_of(database: Database) -> list[tuple[int | None, str, datetime]]:
    with transaction(database) as tx:
        rows = tx.execute(select(Turn.seat, Turn.by, Turn.at).order_by(Turn.seq))
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


def test_each_bot_answers_after_its_thinking_time(
    worker: WorkerContext, database: Database, table: tuple[str, Guest], clock: FakeClock
) -> None:
    bot_turns.play_bots(worker)
    seats, _, times = zip(*_log_of(database), strict=True)
    assert seats == (None, 1, 2)
    # Once it is known how long such a bot decides, it answers soon: one person plays with bots only.
    assert times[1] - times[0] == USUAL_THINKING_TIME.shortest
    assert times[2] - times[1] == THINKING_TIME_WITH_ONE_PERSON.shortest
    assert clock.now == times[2]


def test_bots_of_different_games_think_at_the_same_time(
    worker: WorkerContext, database: Database, table: tuple[str, Guest]
) -> None:
    for _ in range(9):
        deal_game(database, [table[1]], table_settings(starter=2))
    bot_turns.play_bots(worker)
    times = [at for _, by, at in _log_of(database) if by == "bot"]
    assert len(times) == 11
    assert max(times) - NOON <= 2 * USUAL_THINKING_TIME.longest


def test_bot_that_exceeds_its_budget_plays_the_neutral_action(
    worker: WorkerContext,
    database: Database,
    table: tuple[str, Guest],
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    decider = SilentDecider(clock)
    bot_turns.play_bots(replace(worker, decider=decider))
    [_, first_entry, second_entry] = _log_of(database)
    assert (first_entry[:2], second_entry[:2]) == ((1, "bot"), (2, "bot"))
    assert decider.stop_count == 2
    assert (
        first_entry[2] - NOON < DECISION_BUDGET + 2 * USUAL_THINKING_TIME.longest < CLAIM_DURATION
    )
    reason = "plays the neutral action: no decision within 5 seconds."
    assert f"The bot in seat 2 of game {table[0]} {reason}" in caplog.text


def test_bot_that_fails_plays_the_neutral_action_when_its_answer_is_due(
    worker: WorkerContext,
    database: Database,
    table: tuple[str, Guest],
    caplog: pytest.LogCaptureFixture,
) -> None:
    bot_turns.play_bots(replace(worker, decider=FaultyDecider()))
    [_, first_entry, _] = _log_of(database)
    assert first_entry == (1, "bot", NOON + USUAL_THINKING_TIME.shortest)
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
        tx.execute(update(Seat).where(is_second).values(bot_level="brilliant"))
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
    stopping_worker = replace(worker, is_stopping=lambda: clock.now > NOON)
    bot_turns.play_bots(stopping_worker)
    assert len(_log_of(database)) == 1
    bot_turns.play_bots(worker)
    assert _log_of(database)[1][2] < NOON + 2 * USUAL_THINKING_TIME.longest


def test_answer_that_becomes_due_during_maintenance_is_not_played(
    worker: WorkerContext, database: Database, table: tuple[str, Guest], clock: FakeClock
) -> None:
    def begin_maintenance(seconds: float) -> None:
        clock.pause(seconds)
        with transaction(database, clock.now) as tx:
            maintenance.begin(tx)

    bot_turns.play_bots(replace(worker, pause=begin_maintenance))
    assert len(_log_of(database)) == 1


def test_long_run_ends_with_a_nudge_for_the_next_one(
    worker: WorkerContext, database: Database, table: tuple[str, Guest], clock: FakeClock
) -> None:
    nudges: list[str] = []

    def take_very_long(_: BotTurn) -> timedelta:
        clock.move(timedelta(seconds=21))
        return timedelta(0)

    slow_decider = InProcessDecider(pick_first, clock=clock, decision_time_of=take_very_long)
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
    dying_command = [sys.executable, "-m", "tests.tasks.dying_bot_worker", database_url, step]
    assert subprocess.run(dying_command, check=False).returncode == 9
    assert [seat for seat, _, _ in _log_of(database)] == expected_seats
    clock.move(CLAIM_DURATION + USUAL_THINKING_TIME.longest)
    bot_turns.play_bots(worker)
    assert [seat for seat, _, _ in _log_of(database)] == [None, 1, 2]
