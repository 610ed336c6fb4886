"""Beliefs are probabilities, certain only of what the seat knows."""

import msgspec
import pytest

from engine.bots.policy import belief_of
from engine.bots.simulation import SimulationSettings, simulate
from engine.cards import HAND_SIZES
from engine.narration import Line, LineKey
from engine.state import State
from engine.view import view_for
from tests.support.engine.in_memory_game import dealt_state


@pytest.mark.parametrize("seats", sorted(HAND_SIZES))
def test_seat_knows_its_own_role_and_doubts_the_others(seats: int) -> None:
    state = dealt_state("en-2004", seats=seats)
    belief = belief_of(view_for(state, 0), ())
    assert belief.saboteur_probabilities[0] == (state.roles[0] == "saboteur")
    assert all(0 <= probability < 1 for probability in belief.saboteur_probabilities[1:])


def test_seen_goals_are_certain_and_hidden_goals_share_the_remaining_probability() -> None:
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
    hidden_cards = [*sum(state.hands[1:], ()), *state.deck]
    assert sum(cards.values()) == pytest.approx(1)
    assert cards == pytest.approx(
        {card: hidden_cards.count(card) / len(hidden_cards) for card in set(hidden_cards)}
    )


def test_roles_shown_at_the_end_are_certain() -> None:
    game = simulate(
        SimulationSettings(
            rulebook="en-2004", players=5, levels={"digger": "random", "saboteur": "random"}
        ),
        name="certain",
        seed=b"beliefs",
    )
    assert belief_of(
        view_for(game.state, None), ()
    ).saboteur_probabilities == _saboteurs_with_certainty(game.state)


def _saboteurs_with_certainty(state: State) -> tuple[float, ...]:
    return tuple(float(role == "saboteur") for role in state.roles)


def test_history_changes_beliefs_about_others_and_not_about_oneself() -> None:
    state = dealt_state("en-2004", seats=5)
    attack = Line(key=LineKey.TOOL_BROKEN, seat=1, target=2, tool="cart")
    lines = [Line(key=LineKey.ROUND_DEALT, round=1, seat=0), attack]
    belief_before, belief_after = (
        belief_of(view_for(state, 0), history) for history in ((), lines)
    )
    assert belief_after.saboteur_probabilities[1] > belief_before.saboteur_probabilities[1]
    assert belief_after.saboteur_probabilities[0] == belief_before.saboteur_probabilities[0]
    assert belief_after.cards["break-cart"] < belief_before.cards["break-cart"]
