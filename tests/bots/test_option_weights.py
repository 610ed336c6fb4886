"""Choices are weighed; a saboteur that hides shows each kind of action as often as a digger would."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Break, Discard, Lay
from engine.bots.option_weights import (
    choose_by_weight,
    disguised_weights,
    mixed_weights,
    weights_of_preferences,
)
from engine.bots.options import Option
from tests.support.sizes import case_count

examples = settings(max_examples=case_count("hypothesis_examples"), deadline=None)
value_lists = st.lists(st.floats(min_value=-20, max_value=20), min_size=1, max_size=20)
OPTIONS = [
    Option(Lay("path-rl", "B5"), 4.0, -2.0, 1.0),
    Option(Lay("path-trbl", "B5"), 4.5, -2.7, 1.0),
    Option(Discard("path-trbl"), -1.0, 0.8),
    Option(Discard("dead-l"), 0.9, -1.0),
    Option(Break("break-cart", 1), -1.0, 0.8),
]


@examples
@given(value_lists, st.floats(min_value=0.2, max_value=3))
def test_weights_are_probabilities_in_the_order_of_the_values(
    values: list[float], randomness: float
) -> None:
    weights = weights_of_preferences(values, randomness)
    assert sum(weights) == pytest.approx(1)
    ranked_indices = sorted(range(len(values)), key=values.__getitem__)
    assert [weights[index] for index in ranked_indices] == sorted(weights)


def test_disguise_keeps_the_frequency_of_each_kind_of_action() -> None:
    digger_weights = weights_of_preferences([option.digger_preference for option in OPTIONS], 1.5)
    weights = disguised_weights(OPTIONS, digger_weights)
    assert sum(weights) == pytest.approx(1)
    assert weights[0] + weights[1] == pytest.approx(digger_weights[0] + digger_weights[1])
    assert weights[2] + weights[3] == pytest.approx(digger_weights[2] + digger_weights[3])
    assert weights[4] == pytest.approx(digger_weights[4])


def test_disguised_saboteur_discards_cards_that_diggers_need() -> None:
    digger_weights = weights_of_preferences([option.digger_preference for option in OPTIONS], 1.5)
    weights = disguised_weights(OPTIONS, digger_weights)
    assert weights[2] > digger_weights[2]
    assert weights[3] < digger_weights[3]


def test_disguised_saboteur_helps_less_often_and_discards_instead() -> None:
    digger_weights = weights_of_preferences([option.digger_preference for option in OPTIONS], 1.5)
    weights = disguised_weights(OPTIONS, digger_weights, 0.25)
    assert sum(weights) == pytest.approx(1)
    assert weights[0] + weights[1] == pytest.approx(0.75 * (digger_weights[0] + digger_weights[1]))
    assert weights[4] == pytest.approx(digger_weights[4])


def test_mixed_weights_lie_between_the_mixed_lists() -> None:
    assert mixed_weights([1.0, 0.0], [0.0, 1.0], 0.25) == [0.75, 0.25]


def test_choice_follows_the_weights() -> None:
    draw_count = 1000
    choice_counts = Counter(
        choose_by_weight(
            OPTIONS[:3],
            [0.5, 0.3, 0.2],
            lambda bound, draw_number=draw_number: bound * draw_number // draw_count,
        )
        for draw_number in range(draw_count)
    )
    assert [choice_counts[option.action] for option in OPTIONS[:3]] == pytest.approx(
        [500, 300, 200], abs=2
    )


def test_zero_weights_still_select_an_option() -> None:
    assert choose_by_weight(OPTIONS[:2], [0.0, 0.0], lambda bound: bound - 1) == OPTIONS[1].action
