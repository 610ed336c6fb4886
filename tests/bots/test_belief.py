"""Beliefs are probabilities, certain only of what the seat knows, and do not depend on how seats are numbered."""

from math import isclose

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bots.policy import belief_of
from engine.bots.role_odds import saboteur_probabilities, weighed_role_sets
from engine.bots.simulation import SimulationSettings, simulate
from engine.cards import HAND_SIZES, SABOTEUR_COUNTS
from engine.state import State
from engine.view import view_for
from tests.support.engine.in_memory_game import dealt_state
from tests.support.sizes import case_count

examples = settings(max_examples=case_count("hypothesis_examples"), deadline=None)
weights_of_seats = st.sampled_from(sorted(HAND_SIZES)).flatmap(
    lambda seats: st.lists(
        st.floats(min_value=0.002, max_value=400), min_size=seats, max_size=seats
    )
)


@examples
@given(weights_of_seats)
def test_role_sets_sum_to_one_and_have_the_number_of_saboteurs_of_the_deal(
    weights: list[float],
) -> None:
    role_sets = weighed_role_sets(weights, {})
    in_pile = SABOTEUR_COUNTS[len(weights)]
    assert isclose(sum(role_sets.values()), 1)
    assert {len(role_set) for role_set in role_sets} == {in_pile - 1, in_pile}


@examples
@given(weights_of_seats, st.data())
def test_renumbering_the_seats_renumbers_the_probabilities(
    weights: list[float], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(weights))))
    renumbered = _probabilities([weights[seat] for seat in order])
    expected = _probabilities(weights)
    assert all(
        isclose(probability, expected[seat])
        for probability, seat in zip(renumbered, order, strict=True)
    )


@examples
@given(weights_of_seats)
def test_no_seat_is_certain_without_knowledge(weights: list[float]) -> None:
    assert all(0 < probability < 1 for probability in _probabilities(weights))


@pytest.mark.parametrize("seats", sorted(HAND_SIZES))
def test_before_any_action_the_deal_alone_counts(seats: int) -> None:
    expected = SABOTEUR_COUNTS[seats] / (seats + 1)
    assert _probabilities([1.0] * seats) == pytest.approx([expected] * seats)


@pytest.mark.parametrize("seats", sorted(HAND_SIZES))
def test_seat_knows_its_own_role_and_doubts_the_others(seats: int) -> None:
    state = dealt_state("en-2004", seats=seats)
    belief = belief_of(view_for(state, 0), ())
    assert belief.saboteur[0] == (state.roles[0] == "saboteur")
    assert all(0 <= probability < 1 for probability in belief.saboteur[1:])


def test_seen_goals_are_certain_and_the_others_share_the_rest() -> None:
    state = dealt_state("en-2004", seats=3)
    assert belief_of(view_for(state, 0), ()).treasure == pytest.approx((1 / 3,) * 3)
    for goal_cell, goal in zip(("I3", "I5", "I7"), state.goals, strict=True):
        seen = msgspec.structs.replace(state, seen=((goal_cell,), (), ()))
        treasure = belief_of(view_for(seen, 0), ()).treasure
        assert sum(treasure) == pytest.approx(1)
        assert (1.0 in treasure) is (goal == "treasure")
        assert (treasure.count(0.5) == 2) is (goal != "treasure")


def test_hidden_cards_are_those_of_the_other_hands_the_deck_and_their_discards() -> None:
    state = dealt_state("en-2004", seats=4)
    cards = belief_of(view_for(state, 0), ()).cards
    hidden = [*sum(state.hands[1:], ()), *state.deck]
    assert sum(cards.values()) == pytest.approx(1)
    assert cards == pytest.approx({card: hidden.count(card) / len(hidden) for card in set(hidden)})


def test_roles_shown_at_the_end_are_certain() -> None:
    game = simulate(
        SimulationSettings(
            rulebook="en-2004", players=5, levels={"digger": "random", "saboteur": "random"}
        ),
        name="certain",
        seed=b"beliefs",
    )
    assert belief_of(view_for(game.state, None), ()).saboteur == _certain(game.state)


def _certain(state: State) -> tuple[float, ...]:
    return tuple(float(role == "saboteur") for role in state.roles)


def _probabilities(weights: list[float]) -> tuple[float, ...]:
    return saboteur_probabilities(weighed_role_sets(weights, {}), len(weights))
