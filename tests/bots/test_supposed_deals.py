"""Supposed deals agree with everything that a seat knows, and vary in the rest."""

from collections import Counter

import msgspec
import pytest

from engine.bots.keen import RolloutTrial
from engine.bots.supposed_deals import DealKnowledge, passes_in_a_row
from engine.cards import DECK, GOALS
from engine.narration import Line, LineKey
from engine.rollouts import Dice
from engine.view import view_for
from tests.support.engine.in_memory_game import dealt_state


@pytest.mark.parametrize("seats", [3, 10])
def test_supposed_deal_has_every_card_once_and_the_own_hand_and_role(seats: int) -> None:
    state = dealt_state("en-2004", seats=seats)
    knowledge = DealKnowledge.from_view(view_for(state, 1), ())
    for seed in range(5):
        deal = knowledge.sampled_deal(Dice(seed))
        assert deal.hands[1] == state.hands[1]
        assert deal.roles[1] == state.roles[1]
        assert [*map(len, deal.hands)] == [*map(len, state.hands)]
        assert Counter([*deal.deck, *(card for hand in deal.hands for card in hand)]) == Counter(
            DECK
        )
        assert sorted(deal.goals) == sorted(GOALS)


def test_supposed_deals_vary() -> None:
    knowledge = DealKnowledge.from_view(view_for(dealt_state("en-2004", seats=5), 0), ())
    deals = [knowledge.sampled_deal(Dice(seed)) for seed in range(20)]
    assert len({tuple(deal.deck) for deal in deals}) == 20
    assert {deal.goals for deal in deals} > {deals[0].goals}
    assert len({deal.roles for deal in deals}) > 5


def test_goal_seen_with_a_map_is_supposed_as_it_is() -> None:
    state = msgspec.structs.replace(
        dealt_state("en-2004", seats=3), seen=(("I3",), (), ()), goals=("stone-tr", *GOALS[:2])
    )
    knowledge = DealKnowledge.from_view(view_for(state, 0), ())
    goals = {knowledge.sampled_deal(Dice(seed)).goals for seed in range(20)}
    assert goals == {("stone-tr", "treasure", "stone-tl"), ("stone-tr", "stone-tl", "treasure")}


def test_cards_missing_from_a_rewound_history_are_made_up() -> None:
    view = view_for(dealt_state("en-2004", seats=3), 0)
    knowledge = DealKnowledge.from_view(view, ())._replace(unknown_cards=DECK[:10])
    deal = knowledge.sampled_deal(Dice(3))
    assert len(deal.deck) == view.deck_size
    assert [*map(len, deal.hands)] == list(view.hand_sizes)


def test_passes_count_only_with_the_deck_empty_and_without_a_card_played_since() -> None:
    view = view_for(dealt_state("en-2004", seats=3), 0)
    pass_lines = [Line(key=LineKey.DISCARDED, seat=1), Line(key=LineKey.PASSED, seat=2)]
    look_line = Line(key=LineKey.GOAL_LOOKED_AT, seat=0, cell="I3")
    drawn_line = Line(key=LineKey.CARD_DRAWN, seat=0, card="map")
    late_view = msgspec.structs.replace(view, deck_size=0, hand_sizes=(3, 3, 3))
    assert passes_in_a_row(view, pass_lines) == 0
    assert passes_in_a_row(late_view, pass_lines) == 2
    assert passes_in_a_row(late_view, [pass_lines[0], look_line, drawn_line, pass_lines[1]]) == 1
    nearly_late_view = msgspec.structs.replace(view, deck_size=0, hand_sizes=(6, 6, 5))
    assert passes_in_a_row(nearly_late_view, pass_lines) == 1


def test_trial_without_a_first_action_plays_the_deal_as_it_is() -> None:
    trial = RolloutTrial(view_for(dealt_state("en-2004", seats=4), 0), (), Dice(1))
    have_diggers_won = set()
    for _ in range(40):
        trial.deal_again()
        # Diggers who win are worth one or a little more, and saboteurs who win nothing or a little less.
        have_diggers_won.add(trial.play_once() > 0.5)
    assert have_diggers_won == {True, False}
