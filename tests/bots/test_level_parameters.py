"""Levels differ in how random gold-diggers are and in when saboteurs stop hiding, at every number of seats."""

from collections.abc import Callable

import pytest

from engine.bots.belief import situation_of
from engine.bots.level_parameters import (
    LevelParameters,
    betrayal_chance,
    easy_parameters,
    keen_parameters,
    steady_parameters,
)
from engine.bots.options import Situation
from engine.cards import HAND_SIZES
from engine.view import view_for
from tests.bots.test_play import position


def situation(*, cards_needed: float, turns_taken: int, cards_left: int = 40) -> Situation:
    """Return the situation of a saboteur at a table of four."""
    current_situation = situation_of(view_for(position("saboteur", ("path-rl",)), 0), ())
    return current_situation._replace(
        ends=current_situation.ends._replace(cards_needed=cards_needed),
        turns_taken=turns_taken,
        cards_left=cards_left,
    )


@pytest.mark.parametrize("seats", HAND_SIZES)
def test_better_diggers_are_less_random(seats: int) -> None:
    keen, steady, easy = keen_parameters(seats), steady_parameters(seats), easy_parameters(seats)
    assert keen.digger_randomness < steady.digger_randomness < easy.digger_randomness
    assert keen.saboteur_randomness < steady.saboteur_randomness < easy.saboteur_randomness


def test_better_saboteurs_stop_hiding_earlier() -> None:
    halfway_situation = situation(cards_needed=5, turns_taken=3)
    easy, steady, keen = (
        betrayal_chance(halfway_situation, parameters(4))
        for parameters in (easy_parameters, steady_parameters, keen_parameters)
    )
    assert easy < steady < 0.2
    assert keen > 0.9


@pytest.mark.parametrize("parameters", [easy_parameters, steady_parameters, keen_parameters])
def test_saboteurs_hide_in_their_first_turns_and_as_long_as_there_is_time(
    parameters: Callable[[int], LevelParameters],
) -> None:
    assert betrayal_chance(situation(cards_needed=5, turns_taken=2), parameters(4)) < 0.05
    assert (
        betrayal_chance(situation(cards_needed=5, turns_taken=5, cards_left=66), parameters(4))
        < 0.05
    )
    assert betrayal_chance(situation(cards_needed=1, turns_taken=0), parameters(4)) > 0.8
