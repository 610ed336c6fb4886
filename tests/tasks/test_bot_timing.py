"""C6: the time from a turn to a bot's answer has one distribution for both roles."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from tasks import bot_turns
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB
from tests.support.deciders import (
    DecisionsWithUsualThinkingTime,
    InProcessDecider,
    longer_decisions_of_saboteurs,
)
from tests.support.distributions import distributions_differ
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import Guest, deal_game, play_turn, sign_in_guest, table_settings
from tests.support.fakes import FakeClock
from tests.support.transactions import pick_first, transaction
from webapp.kernel.tx import Database
from webapp.play.bots.thinking_time import USUAL_THINKING_TIME
from webapp.play.schema import Turn

SHORT_DECISION_TIME = timedelta(seconds=0.3)
"""Short enough for the usual range."""
LONG_DECISION_TIME = timedelta(seconds=1.3)
"""Longer than most thoughts."""


@pytest.mark.no_cover
def test_decision_time_does_not_show_in_the_time_of_the_answer(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    """The saboteurs need time to decide and the others at once; no one can tell from when they answer."""
    digger_seconds, saboteur_seconds = _answer_seconds(worker, database, clock, SHORT_DECISION_TIME)
    assert min(len(digger_seconds), len(saboteur_seconds)) >= 60
    assert not distributions_differ(digger_seconds, saboteur_seconds)
    assert USUAL_THINKING_TIME.shortest.total_seconds() <= min(digger_seconds + saboteur_seconds)
    assert (
        max(digger_seconds + saboteur_seconds) <= USUAL_THINKING_TIME.longest.total_seconds() + 0.01
    )


def test_slow_decisions_of_saboteurs_make_all_bots_think_longer(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    worker.recent_decisions.add_duration(LONG_DECISION_TIME, level="steady")
    digger_seconds, saboteur_seconds = _answer_seconds(worker, database, clock, LONG_DECISION_TIME)
    assert not distributions_differ(digger_seconds, saboteur_seconds)
    assert min(digger_seconds) > LONG_DECISION_TIME.total_seconds()


@pytest.mark.no_cover
def test_decision_time_does_not_show_where_one_person_plays_with_bots(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    worker.recent_decisions.add_duration(SHORT_DECISION_TIME, level="steady")
    digger_seconds, saboteur_seconds = _answer_seconds(
        worker, database, clock, SHORT_DECISION_TIME, addresses=(ALICE,)
    )
    assert not distributions_differ(digger_seconds, saboteur_seconds)
    assert max(digger_seconds + saboteur_seconds) < 1


@pytest.mark.no_cover
def test_comparison_finds_slow_decisions_for_which_no_time_is_left(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    leaking_worker = replace(worker, recent_decisions=DecisionsWithUsualThinkingTime())
    assert distributions_differ(
        *_answer_seconds(leaking_worker, database, clock, LONG_DECISION_TIME)
    )


def test_comparison_finds_answers_that_are_half_a_second_later() -> None:
    random_below = SeededRng(11).below
    honest_seconds = [0.8 + random_below(801) / 1000 for _ in range(200)]
    assert distributions_differ(honest_seconds, [seconds + 0.5 for seconds in honest_seconds[:60]])
    assert not distributions_differ(honest_seconds[:100], honest_seconds[100:])


def test_recent_decisions_exclude_the_thinking_pauses(
    worker: WorkerContext, database: Database, clock: FakeClock
) -> None:
    _answer_seconds(worker, database, clock, SHORT_DECISION_TIME, game_count=1)
    assert worker.recent_decisions.thinking_time("steady") == USUAL_THINKING_TIME
    _answer_seconds(worker, database, clock, LONG_DECISION_TIME, game_count=1)
    assert worker.recent_decisions.thinking_time("steady").shortest > LONG_DECISION_TIME


def _answer_seconds(
    worker: WorkerContext,
    database: Database,
    clock: FakeClock,
    decision_time: timedelta,
    *,
    game_count: int = 6,
    addresses: Sequence[str] = (ALICE, BOB),
) -> tuple[list[float], list[float]]:
    """Let bots play and return the seconds until the answers of gold-diggers and of saboteurs."""
    guests = [sign_in_guest(database, address) for address in addresses]
    decider = InProcessDecider(
        pick_first, clock=clock, decision_time_of=longer_decisions_of_saboteurs(decision_time)
    )
    timed_worker = replace(worker, decider=decider, random_below=SeededRng(10).below)
    for _ in range(game_count):
        slug = deal_game(
            database, guests, table_settings(seats=10, starter=len(guests)), now=clock.now
        )
        _play_some_turns(timed_worker, database, slug, guests, clock)
    return _seconds_by_role(database, decider)


def _play_some_turns(
    worker: WorkerContext, database: Database, slug: str, guests: list[Guest], clock: FakeClock
) -> None:
    for _ in range(4):
        _play_all_bots(worker)
        for guest in guests:
            play_turn(database, slug, guest, now=clock.now)
    _play_all_bots(worker)


def _play_all_bots(worker: WorkerContext) -> None:
    """Run twice, because a run ends after some seconds, and slow bots of a large table take longer."""
    for _ in range(2):
        bot_turns.play_bots(worker)


def _seconds_by_role(
    database: Database, decider: InProcessDecider
) -> tuple[list[float], list[float]]:
    """Return the seconds from the beginning of each bot's turn to its answer, by the bot's role."""
    with transaction(database) as tx:
        rows = tx.execute(select(Turn.game_id, Turn.seq, Turn.at))
        times = {(row[0], row[1]): row[2] for row in rows}
    seconds: dict[str, list[float]] = {"digger": [], "saboteur": []}
    for turn in decider.decided_turns:
        at = times[turn.game_id, turn.seq + 1] - times[turn.game_id, turn.seq]
        seconds[turn.view.role or ""].append(at.total_seconds())
    return seconds["digger"], seconds["saboteur"]
