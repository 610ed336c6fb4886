from dataclasses import replace

import pytest

from engine.bots.policy import LEVELS
from engine.view import Awaiting
from tests.support.perspectives import ENGLISH, NAMES, ONLOOKER
from tests.support.views import view_of
from webapp.kernel.bot_levels import OFFERED_LEVELS, USUAL_LEVEL
from webapp.wording.perspective import bot_label, level_choice
from webapp.wording.turns import awaiting_sentence

KEEN_BOT_LAST = replace(ONLOOKER, bot_levels=(*(None for _ in NAMES[1:]), "keen"))


def test_offered_levels_are_levels_of_the_bots_and_random_is_not_among_them() -> None:
    assert set(OFFERED_LEVELS) < set(LEVELS)
    assert "random" not in OFFERED_LEVELS
    assert USUAL_LEVEL in OFFERED_LEVELS


@pytest.mark.parametrize("level", OFFERED_LEVELS)
def test_every_offered_level_has_words(level: str) -> None:
    assert bot_label("Agate", level, ENGLISH) == f"Agate (bot, {level})"
    assert level_choice(level, ENGLISH).lower().startswith(f"{level}: ")


def test_level_of_another_release_is_left_out() -> None:
    assert bot_label("Agate", "brilliant", ENGLISH) == "Agate (bot)"


def test_game_says_that_a_bot_is_thinking() -> None:
    seat = len(NAMES) - 1
    view = view_of(awaiting=Awaiting(seat=seat, kind="turn"))
    assert awaiting_sentence(view, KEEN_BOT_LAST) == f"{NAMES[-1]} is thinking."
    assert awaiting_sentence(view, ONLOOKER).startswith(f"Waiting for {NAMES[-1]}")
