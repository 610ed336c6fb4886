"""C6: how long a bot decides depends on its role, so it shows neither in timestamps nor in the time of any answer.

``tests/tasks/test_bot_timing.py`` tests the stored times; here a player reads them over HTTP.
"""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tasks import bot_turns
from tasks.context import WorkerContext
from tests.support import page_robot
from tests.support.bots import play_next_bot
from tests.support.cast import ALICE
from tests.support.deciders import (
    DecisionsWithUsualThinkingTime,
    InProcessDecider,
    longer_decisions_of_saboteurs,
)
from tests.support.distributions import distributions_differ
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import play_turn, stored_game
from tests.support.fakes import FakeClock
from tests.support.transactions import NOON, pick_first, transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.kernel.bot_levels import USUAL_LEVEL

_DECISION_TIME = timedelta(milliseconds=7.3)


@pytest.mark.parametrize("is_onlooker", [False, True])
def test_timestamps_do_not_reveal_how_long_a_bot_took(site: Site, is_onlooker: bool) -> None:  # noqa: FBT001
    game = site.dealt_game(ALICE, starter=1, public=True)
    for turn in range(2):
        with transaction(site.database) as tx:
            now = NOON + turn * _DECISION_TIME
            assert play_next_bot(tx, now=now, random_below=pick_first)
    reader = site.signed_out() if is_onlooker else game.visitors[0]
    history = json.loads(reader.get(urls.export(game.slug)).text)["history"]
    instants = [datetime.fromisoformat(turn["at"]) for turn in history]
    assert len(instants) == 3
    assert {instant.microsecond for instant in instants} == {0}


class WatchingPlayer:
    """A player who reads the game again and again, and notes when each turn is there."""

    def __init__(self, reader: Visitor, slug: str, clock: FakeClock) -> None:
        self._reader, self._slug, self._clock = reader, slug, clock
        self.seen_turn_times: list[datetime] = []

    def pause(self, seconds: float) -> None:
        """Pass for ``time.sleep`` of the worker."""
        self.read_game_page()
        self._clock.pause(seconds)

    def read_game_page(self) -> None:
        history = json.loads(self._reader.get(urls.export(self._slug)).text)["history"]
        self.seen_turn_times += [self._clock.now] * (len(history) - len(self.seen_turn_times))


@pytest.mark.parametrize("decision_time", [timedelta(seconds=0.5), timedelta(seconds=1.3)])
def test_player_cannot_tell_roles_from_when_answers_arrive(
    site: Site, worker: WorkerContext, decision_time: timedelta
) -> None:
    diggers, saboteurs = _observed_seconds(site, worker, decision_time)
    assert not distributions_differ(diggers, saboteurs)


def test_player_could_tell_roles_if_no_time_were_left_for_slow_decisions(
    site: Site, worker: WorkerContext
) -> None:
    leaking_worker = replace(worker, recent_decisions=DecisionsWithUsualThinkingTime())
    assert distributions_differ(*_observed_seconds(site, leaking_worker, timedelta(seconds=1.3)))


def _observed_seconds(
    site: Site, worker: WorkerContext, decision_time: timedelta
) -> tuple[list[float], list[float]]:
    """Let bots play at tables of ten; return the seconds until answers of gold-diggers and of saboteurs are seen."""
    decision_time_of = longer_decisions_of_saboteurs(decision_time)
    # As if the worker had played before.
    worker.recent_decisions.add_duration(decision_time, level=USUAL_LEVEL)
    random_below = SeededRng(12).below
    seconds: dict[str, list[float]] = {"digger": [], "saboteur": []}
    for seed in ("one", "two", "three"):
        game = site.dealt_game(ALICE, seed=seed, seats=10, starter=1)
        player = WatchingPlayer(game.visitors[0], game.slug, site.clock)
        decider = InProcessDecider(
            random_below, clock=site.clock, pause=player.pause, decision_time_of=decision_time_of
        )
        watched_worker = replace(
            worker, decider=decider, random_below=random_below, pause=player.pause
        )
        _play_some_turns(site, game, watched_worker, player)
        for turn in decider.decided_turns:
            waiting_time = player.seen_turn_times[turn.seq + 1] - player.seen_turn_times[turn.seq]
            seconds[turn.view.role or ""].append(waiting_time.total_seconds())
    return seconds["digger"], seconds["saboteur"]


def _play_some_turns(
    site: Site, game: DealtGame, worker: WorkerContext, player: WatchingPlayer
) -> None:
    for _ in range(3):
        _play_all_bots(worker, player)
        play_turn(site.database, game.slug, game.guests[0], now=site.clock.now)
        player.read_game_page()
    _play_all_bots(worker, player)


def _play_all_bots(worker: WorkerContext, player: WatchingPlayer) -> None:
    """Run twice, because a run ends after some seconds, and slow bots of a large table take longer."""
    for _ in range(2):
        bot_turns.play_bots(worker)
        player.read_game_page()


def test_request_of_a_player_ends_before_the_next_bot_decides(site: Site) -> None:
    game = site.dealt_game(ALICE, starter=0)
    alice = game.visitors[0]
    earlier_seq = stored_game(site.database, game.slug, game.guests[0]).seq
    page_robot.take_turn(alice, game.slug, page_robot.seeded_random_below("a turn"))
    later_game = stored_game(site.database, game.slug, game.guests[0])
    assert (later_game.seq, later_game.row.awaiting) == (earlier_seq + 1, 1)
    assert "Agate is thinking" in alice.page(urls.game(game.slug)).text
    assert stored_game(site.database, game.slug, game.guests[0]).seq == later_game.seq


def test_web_process_cannot_decide_for_bots() -> None:
    code = "import sys, webapp.app; print([m for m in sys.modules if m.startswith('engine.bots.policy')])"
    finished_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished_process.stdout == "[]\n"
