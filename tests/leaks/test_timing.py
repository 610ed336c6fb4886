"""C6: how long a bot decides depends on its role, so it shows neither in timestamps nor in the time of any answer.

That bots answer after a time from one distribution is tested in ``tests/tasks/test_bot_turns.py``.
"""

import json
import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from tests.support import page_robot
from tests.support.bots import play_next_bot
from tests.support.cast import ALICE
from tests.support.factories import NOON, pick_first, stored_game
from tests.support.visitors import Site
from webapp import urls
from webapp.services.tx import transaction

_DECISION_TIME = timedelta(milliseconds=7.3)


@pytest.mark.parametrize("is_onlooker", [False, True])
def test_timestamps_do_not_reveal_how_long_a_bot_took(site: Site, is_onlooker: bool) -> None:  # noqa: FBT001
    game = site.dealt_game(ALICE, starter=1, public=True)
    for turn in range(2):
        with transaction(site.database) as tx:
            now = NOON + turn * _DECISION_TIME
            assert play_next_bot(tx, now=now, pick=pick_first)
    reader = site.signed_out() if is_onlooker else game.visitors[0]
    history = json.loads(reader.get(urls.export(game.slug)).text)["history"]
    instants = [datetime.fromisoformat(turn["at"]) for turn in history]
    assert len(instants) == 3
    assert {instant.microsecond for instant in instants} == {0}


def test_request_of_a_player_ends_before_the_next_bot_decides(site: Site) -> None:
    game = site.dealt_game(ALICE, starter=0)
    alice = game.visitors[0]
    before = stored_game(site.database, game.slug, game.guests[0]).seq
    page_robot.take_turn(alice, game.slug, page_robot.seeded_pick("a turn"))
    after = stored_game(site.database, game.slug, game.guests[0])
    assert (after.seq, after.row.awaiting) == (before + 1, 1)
    assert "Agate (bot, steady) is thinking." in alice.page(urls.game(game.slug)).text
    assert stored_game(site.database, game.slug, game.guests[0]).seq == after.seq


def test_web_process_cannot_decide_for_bots() -> None:
    code = "import sys, webapp.app; print([m for m in sys.modules if m.startswith('engine.bots.policy')])"
    finished_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished_process.stdout == "[]\n"
