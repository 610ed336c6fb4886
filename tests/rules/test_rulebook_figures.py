"""Section 4 of the rulebooks: figures that every implementation must reproduce."""

from collections import Counter
from fractions import Fraction

import pytest

from engine.actions import Action, Break, Discard, Lay, Look, Repair
from engine.cards import DECK, GOLD_CARDS, HAND_SIZES, PATH_CARDS, SABOTEUR_COUNTS, role_pile
from engine.events import RoundEnded, TurnBegan
from engine.gold import NUGGETS_PER_SABOTEUR, exact_change
from engine.rulebook import HouseRules
from engine.state import State
from tests.reference_model.gold import draw_one_by_one
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import cell_at, events_of, events_of_type, offered_actions, play
from tests.support.engine.random_players import random_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
from tests.support.rulebook_groups import (
    every_number_of_seats,
    every_rulebook,
    must_continue_path_rulebooks,
    passes_end_round_rulebooks,
)
from tests.support.sizes import case_count

# Slow tests of code that other tests cover line by line.
pytestmark = pytest.mark.no_cover

SHORTEST_ROUND_TURN_COUNTS = {3: 52, 4: 47, 5: 42, 6: 43, 7: 39, 8: 43, 9: 40, 10: 37}
TURNS_UNTIL_DECK_IS_EMPTY = {3: 49, 4: 43, 5: 37, 6: 37, 7: 32, 8: 35, 9: 31, 10: 27}
ONE_ROUND_RULES = HouseRules(rounds=1)


def random_round(rulebook: str, seats: int, seed: int) -> InMemoryGame:
    """Return a game of one round, played at random."""
    game, rng = (
        InMemoryGame(rulebook, seats=seats, house=ONE_ROUND_RULES, chance=ScriptedChance(seed)),
        SeededRng(seed),
    )
    while not game.is_over:
        game.play(random_action(game.state, rng))
    return game


def lengths_without_treasure(rulebook: str, seats: int) -> list[int]:
    """Return the number of turns of random rounds that no player ended by finding the treasure."""
    games = [
        random_round(rulebook, seats, seed) for seed in range(case_count("games_per_rulebook"))
    ]
    return [number_of_turns(game) for game in games if game.state.results[0].ending != "treasure"]


def number_of_turns(game: InMemoryGame) -> int:
    return 1 + sum(len(events_of_type(events, TurnBegan)) for events in game.log)


@every_number_of_seats
@must_continue_path_rulebooks
def test_round_until_empty_hands_takes_sixty_seven_turns_r32(rulebook: str, seats: int) -> None:
    assert set(lengths_without_treasure(rulebook, seats)) == {67}


@every_number_of_seats
@passes_end_round_rulebooks
def test_round_until_a_circle_of_passes_takes_up_to_sixty_seven_turns_e13(
    rulebook: str, seats: int
) -> None:
    lengths = lengths_without_treasure(rulebook, seats)
    assert lengths
    assert SHORTEST_ROUND_TURN_COUNTS[seats] <= min(lengths) <= max(lengths) <= 67


@every_number_of_seats
@passes_end_round_rulebooks
def test_round_of_passes_only_has_the_shortest_length_e13(rulebook: str, seats: int) -> None:
    game = InMemoryGame(rulebook, seats=seats, house=ONE_ROUND_RULES)
    while not game.is_over:
        game.play(_discards(game.offered_actions())[0])
    assert number_of_turns(game) == SHORTEST_ROUND_TURN_COUNTS[seats]


@passes_end_round_rulebooks
def test_round_with_a_card_played_in_every_circle_has_the_longest_length_e13(
    rulebook: str,
) -> None:
    """Every seat that can plays a card that changes little; in some deals even the last cards are played."""
    lengths = []
    for seed in range(20):
        game = InMemoryGame(rulebook, seats=3, house=ONE_ROUND_RULES, chance=ScriptedChance(seed))
        while not game.is_over:
            game.play(_least_useful_action(game.state))
        lengths.append(number_of_turns(game))
    assert max(lengths) == 67


def _discards(actions: tuple[Action, ...]) -> list[Action]:
    return [action for action in actions if isinstance(action, Discard)]


def _least_useful_action(state: State) -> Action:
    """Return a discard, path cards first, while the deck lasts; then an action card if one can be played."""
    playable_action_cards = [
        action for action in offered_actions(state) if isinstance(action, Look | Break | Repair)
    ]
    path_card_discards = [
        action for action in _discards(offered_actions(state)) if _discards_path_card(action)
    ]
    if state.deck or not playable_action_cards:
        return (path_card_discards or _discards(offered_actions(state)))[0]
    return playable_action_cards[0]


def _discards_path_card(action: Action) -> bool:
    return isinstance(action, Discard) and action.card in PATH_CARDS


@every_number_of_seats
@every_rulebook
def test_deck_is_empty_after_the_expected_number_of_turns_r5_r11(rulebook: str, seats: int) -> None:
    game, rng = InMemoryGame(rulebook, seats=seats, house=ONE_ROUND_RULES), SeededRng(0)
    while game.state.deck:
        game.play(rng.pick(_discards(game.offered_actions())))
    assert (
        len(game.log) - 1
        == TURNS_UNTIL_DECK_IS_EMPTY[seats]
        == len(DECK) - seats * HAND_SIZES[seats]
    )


@every_rulebook
@pytest.mark.parametrize(
    "drawing,cells",
    [
        ("S.......$", [(x, 0) for x in range(1, 8)]),
        ("........$\n.........\nS........", [(0, -1), (0, -2)] + [(x, -2) for x in range(1, 8)]),
        ("S........\n.........\n........$", [(0, 1), (0, 2)] + [(x, 2) for x in range(1, 8)]),
    ],
    ids=["middle", "upper", "lower"],
)
def test_shortest_path_takes_seven_cards_or_nine_to_an_outer_goal_r27(
    rulebook: str, drawing: str, cells: list[tuple[int, int]]
) -> None:
    state = drawn_state(drawing, rulebook, hands={seat: ["path-trbl"] * 3 for seat in range(3)})
    for cell in cells[:-1]:
        lay = Lay("path-trbl", cell_at(*cell))
        assert not events_of_type(events_of(state, lay), RoundEnded)
        state = play(state, lay)
    (round_ended,) = events_of_type(
        events_of(state, Lay("path-trbl", cell_at(*cells[-1]))), RoundEnded
    )
    assert round_ended.ending == "treasure"
    assert len(cells) == (7 if drawing.startswith("S.......$") else 9)


@every_number_of_seats
def test_role_set_aside_is_a_saboteur_as_often_as_the_rulebooks_say_r2_r3(seats: int) -> None:
    saboteur_chances = {
        3: (1, 4),
        4: (1, 5),
        5: (2, 6),
        6: (2, 7),
        7: (3, 8),
        8: (3, 9),
        9: (3, 10),
        10: (4, 11),
    }
    share = Fraction(*saboteur_chances[seats])
    assert Fraction(SABOTEUR_COUNTS[seats], len(role_pile(seats))) == share
    games = 400
    aside = Counter(
        InMemoryGame(seats=seats, chance=ScriptedChance(seed)).state.aside for seed in range(games)
    )
    assert abs(aside["saboteur"] / games - share) < 0.08


def test_random_play_finds_the_treasure_in_less_than_one_percent_of_rounds_r34() -> None:
    games = [
        random_round(("en-2004", "lv-2009", "uk-2017")[seed % 3], 3 + seed % 8, seed)
        for seed in range(40 * case_count("games_per_rulebook"))
    ]
    endings = Counter(game.state.results[0].ending for game in games)
    assert endings["treasure"] <= len(games) / 100
    assert endings["exhausted"] > endings["treasure"]


@pytest.mark.parametrize(
    "saboteur_win_percentage,min_failures,max_failures",
    [(50, 70, 130), (100, 150, 220)],
    ids=["even odds", "thrice"],
)
def test_gold_drawing_fails_in_a_tenth_of_ten_player_games_or_a_fifth_if_saboteurs_win_thrice_e1(
    saboteur_win_percentage: int, min_failures: int, max_failures: int
) -> None:
    rng = SeededRng(2004)
    stuck_count = sum(_gold_drawing_gets_stuck(rng, saboteur_win_percentage) for _ in range(1000))
    assert min_failures <= stuck_count <= max_failures


def _gold_drawing_gets_stuck(rng: SeededRng, saboteur_win_percentage: int) -> bool:
    """Play the payments of one game of ten and return whether drawing alone ever fails; saboteurs win that percentage of rounds."""
    pile = tuple(rng.shuffled(GOLD_CARDS))
    for _ in range(3):
        if rng.below(100) >= saboteur_win_percentage:
            pile = pile[9:]
            continue
        saboteurs = rng.shuffled(role_pile(10))[:10].count("saboteur")
        for _ in range(saboteurs):
            if draw_one_by_one(pile, owed_nuggets=NUGGETS_PER_SABOTEUR[saboteurs]) is None:
                return True
            pile = exact_change(pile, NUGGETS_PER_SABOTEUR[saboteurs]).pile
    return False
