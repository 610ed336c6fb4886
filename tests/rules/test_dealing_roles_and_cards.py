"""R2-R6, R48, E29, E30, E32: number of players, roles and cards dealt, and the starter."""

from collections import Counter

import pytest

from engine.cards import (
    ACTION_CARDS,
    BREAKS,
    DECK,
    GOAL_SHAPES,
    GOALS,
    GOLD_CARDS,
    HAND_SIZES,
    PATH_CARDS,
    REPAIRS,
    SABOTEUR_COUNTS,
    role_pile,
)
from engine.cells import GOAL_CELLS, START_CELL, is_cell, label, position
from engine.events import Dealt
from engine.game import start_game
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK, RULEBOOKS
from engine.view import View, view_for
from tests.reference_model import cards as printed
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import events_of_type
from tests.support.engine.seeded_random import ScriptedChance
from tests.support.rulebook_groups import every_number_of_seats, every_rulebook


def test_deck_has_forty_path_and_twenty_seven_action_cards_r5() -> None:
    assert sum(PATH_CARDS.values()) == 40
    assert sum(ACTION_CARDS.values()) == 27
    assert Counter(DECK) == Counter(printed.DECK)


def test_goals_and_gold_are_not_in_the_deck_r4() -> None:
    assert Counter(GOLD_CARDS) == Counter(printed.GOLD)
    assert (len(GOLD_CARDS), sum(GOLD_CARDS)) == (28, 44)
    assert set(GOALS) == set(printed.GOALS)
    assert GOAL_SHAPES["treasure"] == ("goal-trbl", "goal-trbl")


def test_every_tool_has_three_break_cards_and_four_repair_cards_r17_r21() -> None:
    breaks = Counter(BREAKS[card] for card in DECK if card in BREAKS)
    repairs = Counter(tool for card in DECK for tool in REPAIRS.get(card, ()))
    assert set(breaks.values()) == {3}
    assert set(repairs.values()) == {4}


@every_number_of_seats
def test_role_pile_has_one_card_more_than_players_r2(seats: int) -> None:
    pile = role_pile(seats)
    assert len(pile) == seats + 1
    assert pile.count("saboteur") == SABOTEUR_COUNTS[seats] == printed.SABOTEUR_COUNTS[seats]
    assert pile.count("digger") == printed.DIGGER_COUNTS[seats]


@every_number_of_seats
@every_rulebook
def test_every_seat_gets_one_role_and_one_is_set_aside_r3_e30(rulebook: str, seats: int) -> None:
    state = InMemoryGame(rulebook, seats=seats).state
    assert len(state.roles) == seats
    assert Counter((*state.roles, state.aside)) == Counter(role_pile(seats))


@every_number_of_seats
def test_hand_size_depends_on_the_number_of_seats_r5(seats: int) -> None:
    state = InMemoryGame(seats=seats).state
    assert {len(hand) for hand in state.hands} == {HAND_SIZES[seats]} == {printed.HAND_SIZES[seats]}
    held_cards = [card for hand in state.hands for card in hand]
    assert Counter(held_cards) + Counter(state.deck) == Counter(DECK)


@pytest.mark.parametrize("seats", [-1, 0, 1, 2, 11, 100])
def test_opening_a_game_for_fewer_than_three_or_more_than_ten_raises_r2(seats: int) -> None:
    with pytest.raises(ValueError, match="three to ten"):
        start_game("en-2004", HouseRules(), seats=seats, starter=0, chance=ScriptedChance())


def test_opening_a_game_with_an_unknown_rulebook_raises() -> None:
    with pytest.raises(KeyError):
        start_game("fr-1999", HouseRules(), seats=3, starter=0, chance=ScriptedChance())


def test_mine_begins_with_the_start_and_three_goals_face_down_r4() -> None:
    state = InMemoryGame().state
    assert dict(state.mine.laid) == {"A5": "start"}
    assert set(state.goals) == set(GOALS)
    assert tuple(map(position, GOAL_CELLS)) == ((8, -2), (8, 0), (8, 2)) == printed.GOAL_CELLS
    assert position(START_CELL) == (0, 0)
    view = view_for(state, 0)
    assert (view.goals, view.turned) == ((None, None, None), (False, False, False))


@pytest.mark.parametrize(
    "cell,x,y",
    [
        ("A5", 0, 0),
        ("D5", 3, 0),
        ("-A5", -1, 0),
        ("-B6", -2, 1),
        ("C0", 2, -5),
        ("C-1", 2, -6),
        ("Z5", 25, 0),
        ("AA5", 26, 0),
        ("AZ45", 51, 40),
        ("BA-35", 52, -40),
        ("-AA1", -27, -4),
    ],
)
def test_cell_labels_count_from_the_start_card_r4(cell: str, x: int, y: int) -> None:
    assert label(x, y) == cell
    assert position(cell) == (x, y)
    assert is_cell(cell)


@pytest.mark.parametrize(
    "text", ["", "5", "A", "a5", "A05", "A-0", "--A5", "AAA5", "A5 ", "A5\n", "A1000"]
)
def test_malformed_cell_label_is_refused_r4(text: str) -> None:
    assert not is_cell(text)
    with pytest.raises(ValueError, match="such as D5"):
        position(text)


def test_every_cell_has_one_label_of_its_own_r4() -> None:
    coordinates = range(-60, 61)
    labels = {label(x, y): (x, y) for x in coordinates for y in coordinates}
    assert len(labels) == len(coordinates) ** 2
    assert all(position(cell) == expected_position for cell, expected_position in labels.items())


@every_rulebook
def test_named_seat_starts_r6_e29(rulebook: str) -> None:
    state = InMemoryGame(rulebook, seats=5, starter=3).state
    assert (state.turn, state.first_starter) == (3, 3)


@pytest.mark.parametrize("starter", [-1, 3, 99])
def test_starter_that_is_not_at_the_table_raises_r6(starter: int) -> None:
    with pytest.raises(ValueError, match="one of the seats"):
        InMemoryGame(seats=3, starter=starter)


def test_chance_picks_the_starter_when_none_is_named_r6_e29() -> None:
    starters = {
        InMemoryGame(seats=4, starter=None, chance=ScriptedChance(seed)).state.turn
        for seed in range(60)
    }
    assert starters == {0, 1, 2, 3}


def test_youngest_player_starts_in_two_rulebooks_and_an_agreed_one_elsewhere_r6() -> None:
    starter_rules = {key: rulebook.first_starter for key, rulebook in RULEBOOKS.items()}
    assert {key for key, starter_rule in starter_rules.items() if starter_rule == "youngest"} == {
        "en-2004",
        "uk-2017",
    }
    assert {key for key, starter_rule in starter_rules.items() if starter_rule == "anyone"} == {
        "et-2007"
    }
    assert set(starter_rules.values()) == {"youngest", "agreed", "anyone"}


def test_default_rulebook_is_the_english_first_edition() -> None:
    assert DEFAULT_RULEBOOK == "en-2004"


def test_same_chance_deals_the_same_game_r48() -> None:
    game, other_game = (
        InMemoryGame(chance=ScriptedChance(1)),
        InMemoryGame(chance=ScriptedChance(1)),
    )
    (dealt,) = events_of_type(game.log[0], Dealt)
    assert game.log == other_game.log
    assert Counter(dealt.pile) == Counter(GOLD_CARDS)


def test_every_pile_is_shuffled_under_its_own_label_r3_r4_r5() -> None:
    game = InMemoryGame(starter=None)
    assert isinstance(game.chance, ScriptedChance)
    assert set(game.chance.used_orders) == {
        "gold",
        "round-1/roles",
        "round-1/goals",
        "round-1/deck",
        "round-1/starter",
    }


def test_view_shows_only_its_own_hand_and_role_e32() -> None:
    """A view holds one hand and one role, its own, until the round ends (R33)."""
    state = InMemoryGame(seats=5).state
    for seat in range(5):
        view = view_for(state, seat)
        assert view.hand == state.hands[seat]
        assert [role for role in view.roles if role] == [state.roles[seat]]
    hands_of_a_view = {name for name in View.__struct_fields__ if "hand" in name}
    assert hands_of_a_view == {"hand", "hand_sizes"}
