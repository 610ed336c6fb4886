"""C6: the time from a turn to a bot's answer has one distribution for both roles."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select

from tasks import bot_turns
from tasks.context import WorkerContext
from tests.support.cast import ALICE
from tests.support.deciders import ForgetfulDecisions, InProcessDecider, longer_for_saboteurs
from tests.support.distributions import differ
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import (
    Guest,
    deal_game,
    pick_first,
    play_turn,
    sign_in_guest,
    table_settings,
)
from tests.support.fakes import FakeClock
from webapp.services.play.thinking_time import USUAL_THINKING_TIME
from webapp.services.tx import Database, transaction
from webapp.store.schema.play import Turn

HALF_A_SECOND = timedelta(seconds=0.5)
LONG = timedelta(seconds=1.3)
"""Longer than most thoughts."""


def test_decision_time_does_not_show_in_the_time_of_the_answer(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    """The saboteurs decide in half a second and the others at once; no one can tell from when they answer."""
    diggers, saboteurs = _answer_seconds(worker, database, clock, HALF_A_SECOND)
    assert min(len(diggers), len(saboteurs)) >= 60
    assert not differ(diggers, saboteurs)
    assert USUAL_THINKING_TIME.shortest.total_seconds() <= min(diggers + saboteurs)
    assert max(diggers + saboteurs) <= USUAL_THINKING_TIME.longest.total_seconds() + 0.01


def test_slow_decisions_of_saboteurs_make_all_bots_think_longer(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    worker.recent_decisions.note(LONG)
    diggers, saboteurs = _answer_seconds(worker, database, clock, LONG)
    assert not differ(diggers, saboteurs)
    assert min(diggers) > LONG.total_seconds()


def test_comparison_finds_slow_decisions_for_which_no_time_is_left(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    leaking_worker = replace(worker, recent_decisions=ForgetfulDecisions())
    assert differ(*_answer_seconds(leaking_worker, database, clock, LONG))


def test_comparison_finds_answers_that_are_half_a_second_later() -> None:
    pick = SeededRng(11).below
    honest = [0.8 + pick(801) / 1000 for _ in range(200)]
    assert differ(honest, [seconds + 0.5 for seconds in honest[:60]])
    assert not differ(honest[:100], honest[100:])


def test_only_decisions_are_remembered(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    _answer_seconds(worker, database, clock, HALF_A_SECOND, game_count=1)
    assert worker.recent_decisions.thinking_time() == USUAL_THINKING_TIME
    _answer_seconds(worker, database, clock, LONG, game_count=1)
    assert worker.recent_decisions.thinking_time().shortest > LONG


def _answer_seconds(
    worker: WorkerContext,
    database: Database,
    clock: FakeClock,
    decision_time: timedelta,
    *,
    game_count: int = 6,
) -> tuple[list[float], list[float]]:
    """Let bots play and return the seconds until the answers of gold-diggers and of saboteurs."""
    alice = sign_in_guest(database, ALICE)
    decider = InProcessDecider(pick_first, clock=clock, takes=longer_for_saboteurs(decision_time))
    timed_worker = replace(worker, decider=decider, pick=SeededRng(10).below)
    for _ in range(game_count):
        slug = deal_game(database, [alice], table_settings(seats=10, starter=1), now=clock.now)
        _play_some_turns(timed_worker, database, slug, alice, clock)
    return _seconds_by_role(database, decider)


def _play_some_turns(
    worker: WorkerContext, database: Database, slug: str, guest: Guest, clock: FakeClock
) -> None:
    for _ in range(4):
        bot_turns.play_bots(worker)
        play_turn(database, slug, guest, now=clock.now)
    bot_turns.play_bots(worker)


def _seconds_by_role(
    database: Database, decider: InProcessDecider
) -> tuple[list[float], list[float]]:
    """Return the seconds from the beginning of each bot's turn to its answer, by the bot's role."""
    with transaction(database) as tx:
        rows = tx.connection.execute(select(Turn.game_id, Turn.seq, Turn.at))
        times = {(row[0], row[1]): row[2] for row in rows}
    seconds: dict[str, list[float]] = {"digger": [], "saboteur": []}
    for turn in decider.decided:
        at = times[turn.game_id, turn.seq + 1] - times[turn.game_id, turn.seq]
        seconds[turn.view.role or ""].append(at.total_seconds())
    return seconds["digger"], seconds["saboteur"]
