"""Role odds are those of the deal, weighed by how each seat has played, whatever the seats are numbered."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bots.belief import saboteur_probabilities, sampled_roles
from engine.cards import HAND_SIZES, SABOTEUR_COUNTS
from engine.rollouts import Dice
from tests.support.sizes import case_count

examples = settings(max_examples=case_count("hypothesis_examples"), deadline=None)
weights_of_seats = st.sampled_from(sorted(HAND_SIZES)).flatmap(
    lambda seats: st.lists(
        st.floats(min_value=0.002, max_value=400), min_size=seats, max_size=seats
    )
)


@examples
@given(weights_of_seats)
def test_probabilities_sum_to_the_saboteurs_of_the_pile_or_one_fewer(weights: list[float]) -> None:
    saboteurs_in_pile = SABOTEUR_COUNTS[len(weights)]
    assert saboteurs_in_pile - 1 < sum(saboteur_probabilities(weights, {})) < saboteurs_in_pile


@examples
@given(weights_of_seats, st.data())
def test_renumbering_the_seats_renumbers_the_probabilities(
    weights: list[float], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(weights))))
    renumbered_probabilities = saboteur_probabilities([weights[seat] for seat in order], {})
    expected = saboteur_probabilities(weights, {})
    assert all(
        isclose(probability, expected[seat], rel_tol=1e-9)
        for probability, seat in zip(renumbered_probabilities, order, strict=True)
    )


@examples
@given(weights_of_seats)
def test_no_seat_is_certain_without_knowledge(weights: list[float]) -> None:
    assert all(0 < probability < 1 for probability in saboteur_probabilities(weights, {}))


@pytest.mark.parametrize("seats", sorted(HAND_SIZES))
def test_probabilities_before_any_action_depend_on_the_deal_alone(seats: int) -> None:
    expected = SABOTEUR_COUNTS[seats] / (seats + 1)
    assert saboteur_probabilities([1.0] * seats, {}) == pytest.approx([expected] * seats)


def test_known_roles_are_certain_and_change_the_odds_of_the_others() -> None:
    weights = [1.0, 5.0, 1.0]
    probabilities_if_saboteur = saboteur_probabilities(weights, {0: "saboteur"})
    probabilities_if_digger = saboteur_probabilities(weights, {0: "digger"})
    assert probabilities_if_saboteur == (1.0, 0.0, 0.0)
    assert probabilities_if_digger[0] == 0.0
    assert probabilities_if_digger[1] == pytest.approx(5 / 7)


def test_a_seat_with_more_weight_is_more_suspicious() -> None:
    lowest_probability, *middle_probabilities, highest_probability = saboteur_probabilities(
        [0.1, 1.0, 1.0, 1.0, 10.0], {}
    )
    assert lowest_probability < min(middle_probabilities)
    assert max(middle_probabilities) < highest_probability


@pytest.mark.parametrize("seats", [3, 7, 10])
def test_sampled_roles_are_as_frequent_as_believed(seats: int) -> None:
    weights = [0.5 + seat for seat in range(seats)]
    dice, sample_count = Dice(seats), 4000
    samples = [sampled_roles(weights, {}, dice.fraction) for _ in range(sample_count)]
    shares = [
        sum(roles[seat] == "saboteur" for roles in samples) / sample_count for seat in range(seats)
    ]
    assert shares == pytest.approx(saboteur_probabilities(weights, {}), abs=0.04)
    saboteurs_in_pile = SABOTEUR_COUNTS[seats]
    assert {roles.count("saboteur") for roles in samples} == {
        saboteurs_in_pile - 1,
        saboteurs_in_pile,
    }


def test_sampled_roles_respect_what_is_known() -> None:
    dice = Dice(1)
    known_roles = {1: "saboteur", 3: "digger"}
    for _ in range(50):
        roles = sampled_roles([1.0] * 5, known_roles, dice.fraction)  # type: ignore[arg-type]
        assert (roles[1], roles[3]) == ("saboteur", "digger")
