"""C6: timestamps are whole seconds, because a bot decides some milliseconds slower with one role than with another."""

import json
from datetime import datetime, timedelta

import pytest

from tests.support.cast import ALICE
from tests.support.factories import NOON, pick_first
from tests.support.visitors import Site
from webapp import urls
from webapp.services.play.bots import play_next_bot
from webapp.services.tx import transaction

_DECISION_TIME = timedelta(milliseconds=7.3)


@pytest.mark.parametrize("is_onlooker", [False, True])
def test_timestamps_do_not_reveal_how_long_a_bot_took(site: Site, is_onlooker: bool) -> None:  # noqa: FBT001
    game = site.dealt_game(ALICE, starter=1, public=True)
    for turn in range(2):
        with transaction(site.database) as tx:
            now = NOON + turn * _DECISION_TIME
            assert play_next_bot(tx, now=now, pause=timedelta(0), pick=pick_first)
    reader = site.signed_out() if is_onlooker else game.visitors[0]
    history = json.loads(reader.get(urls.export(game.slug)).text)["history"]
    instants = [datetime.fromisoformat(turn["at"]) for turn in history]
    assert len(instants) == 3
    assert {instant.microsecond for instant in instants} == {0}
