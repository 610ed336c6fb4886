"""Section 4 of the rulebooks: numbers to check an implementation against."""

from collections import Counter
from fractions import Fraction

import pytest

from engine.actions import Action, Break, Discard, Lay, Look, Repair
from engine.cards import DECK, GOLD, HAND_SIZES, PATH_CARDS, SABOTEURS, role_pile
from engine.events import RoundEnded, TurnBegan
from engine.gold import NUGGETS_EACH, exact_change
from engine.rulebook import HouseRules
from engine.state import State
from tests.reference_model.gold import draw_one_by_one
from tests.support.drawn_positions import drawn
from tests.support.positions import (
    CIRCLING,
    CONNECTING,
    Arranged,
    Dice,
    Game,
    at,
    every_number_of_seats,
    every_rulebook,
    happens,
    menu,
    play,
    random_action,
    told,
)
from tests.support.sizes import size_of

# Long, of what other tests cover line by line.
pytestmark = pytest.mark.no_cover

SHORTEST = {3: 52, 4: 47, 5: 42, 6: 43, 7: 39, 8: 43, 9: 40, 10: 37}
DECK_LASTS = {3: 49, 4: 43, 5: 37, 6: 37, 7: 32, 8: 35, 9: 31, 10: 27}
ONE_ROUND = HouseRules(rounds=1)


def round_of(rulebook: str, seats: int, seed: int) -> Game:
    """A round played at random."""
    game, dice = Game(rulebook, seats=seats, house=ONE_ROUND, chance=Arranged(seed)), Dice(seed)
    while not game.is_over:
        game.play(random_action(game.state, dice))
    return game


def turns_of(game: Game) -> int:
    return 1 + sum(len(told(events, TurnBegan)) for events in game.log)


@every_number_of_seats
@pytest.mark.parametrize("rulebook", CONNECTING)
def test_a_round_without_treasure_is_sixty_seven_turns_r32(rulebook: str, seats: int) -> None:
    for seed in range(size_of("games_per_rulebook")):
        game = round_of(rulebook, seats, seed)
        if game.state.results[0].ending != "treasure":
            assert turns_of(game) == 67


@every_number_of_seats
@pytest.mark.parametrize("rulebook", CIRCLING)
def test_a_round_until_a_circle_of_passes_is_up_to_sixty_seven_turns_e13(
    rulebook: str, seats: int
) -> None:
    for seed in range(size_of("games_per_rulebook")):
        game = round_of(rulebook, seats, seed)
        if game.state.results[0].ending != "treasure":
            assert SHORTEST[seats] <= turns_of(game) <= 67


@every_number_of_seats
@pytest.mark.parametrize("rulebook", CIRCLING)
def test_where_everybody_always_passes_the_round_is_as_short_as_can_be_e13(
    rulebook: str, seats: int
) -> None:
    game = Game(rulebook, seats=seats, house=ONE_ROUND)
    while not game.is_over:
        game.play(_discards(game.menu())[0])
    assert turns_of(game) == SHORTEST[seats]


@pytest.mark.parametrize("rulebook", CIRCLING)
def test_where_a_card_is_played_in_every_circle_the_round_is_as_long_as_can_be_e13(
    rulebook: str,
) -> None:
    """Whoever can plays a card that changes little; in some deals the last cards of all are played."""
    lengths = []
    for seed in range(20):
        game = Game(rulebook, seats=3, house=ONE_ROUND, chance=Arranged(seed))
        while not game.is_over:
            game.play(_thrifty(game.state))
        lengths.append(turns_of(game))
    assert max(lengths) == 67


def _discards(actions: tuple[Action, ...]) -> list[Action]:
    return [action for action in actions if isinstance(action, Discard)]


def _thrifty(state: State) -> Action:
    """Discards while there are cards to draw, path cards first; then plays what can be played."""
    played = [action for action in menu(state) if isinstance(action, Look | Break | Repair)]
    useless = [action for action in _discards(menu(state)) if _is_path(action)]
    if state.deck or not played:
        return (useless or _discards(menu(state)))[0]
    return played[0]


def _is_path(action: Action) -> bool:
    return isinstance(action, Discard) and action.card in PATH_CARDS


@every_number_of_seats
@every_rulebook
def test_the_deck_is_empty_after_as_many_turns_r5_r11(rulebook: str, seats: int) -> None:
    game, dice = Game(rulebook, seats=seats, house=ONE_ROUND), Dice(0)
    while game.state.deck:
        game.play(dice.pick(_discards(game.menu())))
    assert len(game.log) - 1 == DECK_LASTS[seats] == len(DECK) - seats * HAND_SIZES[seats]


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
def test_the_shortest_path_is_seven_cards_and_nine_to_an_outer_goal_r27(
    rulebook: str, drawing: str, cells: list[tuple[int, int]]
) -> None:
    state = drawn(drawing, rulebook, hands={seat: ["path-trbl"] * 3 for seat in range(3)})
    for cell in cells[:-1]:
        lay = Lay("path-trbl", at(*cell))
        assert not told(happens(state, lay), RoundEnded)
        state = play(state, lay)
    (ended,) = told(happens(state, Lay("path-trbl", at(*cells[-1]))), RoundEnded)
    assert ended.ending == "treasure"
    assert len(cells) == (7 if drawing.startswith("S.......$") else 9)


@every_number_of_seats
def test_the_card_aside_is_a_saboteur_as_often_as_the_rulebooks_say_r2_r3(seats: int) -> None:
    chances = {
        3: (1, 4),
        4: (1, 5),
        5: (2, 6),
        6: (2, 7),
        7: (3, 8),
        8: (3, 9),
        9: (3, 10),
        10: (4, 11),
    }
    share = Fraction(*chances[seats])
    assert Fraction(SABOTEURS[seats], len(role_pile(seats))) == share
    tries = 400
    aside = Counter(Game(seats=seats, chance=Arranged(seed)).state.aside for seed in range(tries))
    assert abs(aside["saboteur"] / tries - share) < 0.08


def test_playing_at_random_finds_the_treasure_in_less_than_one_round_of_a_hundred_r34() -> None:
    games = [
        round_of(("en-2004", "lv-2009", "uk-2017")[seed % 3], 3 + seed % 8, seed)
        for seed in range(400)
    ]
    endings = Counter(game.state.results[0].ending for game in games)
    assert endings["treasure"] < 4
    assert endings["exhausted"] > endings["treasure"]


@pytest.mark.parametrize(
    "saboteurs_win,least,most", [(50, 70, 130), (100, 150, 220)], ids=["even odds", "thrice"]
)
def test_exact_change_is_impossible_in_one_of_ten_games_of_ten_one_of_five_if_saboteurs_win_thrice_e1(
    saboteurs_win: int, least: int, most: int
) -> None:
    dice = Dice(2004)
    stuck = sum(_drawing_alone_fails(dice, saboteurs_win) for _ in range(1000))
    assert least <= stuck <= most


def _drawing_alone_fails(dice: Dice, saboteurs_win: int) -> bool:
    """Whether it ever does in a game of ten in which saboteurs win a round in so many of a hundred cases."""
    pile = tuple(dice.shuffled(GOLD))
    for _ in range(3):
        if dice.below(100) >= saboteurs_win:
            pile = pile[9:]
            continue
        saboteurs = dice.shuffled(role_pile(10))[:10].count("saboteur")
        for _ in range(saboteurs):
            if draw_one_by_one(pile, owed=NUGGETS_EACH[saboteurs]) is None:
                return True
            pile = exact_change(pile, NUGGETS_EACH[saboteurs]).pile
    return False
