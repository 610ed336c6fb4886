"""The engine and the reference model, which share no code, agree on whole games and on positions rare in play."""

from collections import Counter
from itertools import product

import msgspec
import pytest

from engine.actions import Action, Lay
from engine.cards import TURNED_SHAPES
from engine.events import GoalsReached, GoalTurned, RoundEnded, StoneMisfit
from engine.rulebook import HouseRules
from engine.state import State
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.model_checker import ModelChecker
from tests.support.engine.positions import decide, offered_actions, seats_in_play
from tests.support.engine.random_mines import random_mine_state
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
from tests.support.rulebook_groups import ONE_GOAL_RULEBOOKS, every_number_of_seats, every_rulebook
from tests.support.sizes import case_count

# Slow tests of code that other tests cover line by line.
pytestmark = pytest.mark.no_cover

HOUSE_RULE_SETS = (
    HouseRules(),
    HouseRules(intact_diggers_only=True, no_self_breaking=True),
    HouseRules(rounds=2, open_gold=True),
    HouseRules(rounds=1),
)


@every_number_of_seats
@every_rulebook
def test_engine_and_reference_model_agree_on_whole_games(rulebook: str, seats: int) -> None:
    for seed in range(case_count("games_per_rulebook") // 3):
        check_game(rulebook, seats=seats, seed=seed, gives_up_seats=False)


@every_rulebook
def test_engine_and_reference_model_agree_on_who_ended_exhausted_rounds_e13_r49_e2(
    rulebook: str,
) -> None:
    """Compare the next starter and the order of payment in many exhausted rounds; empty hands pass in one rulebook."""
    games_per_rulebook = case_count("games_per_rulebook")
    checkers = [
        check_game(rulebook, seats=3 + seed % 8, seed=2000 + seed, gives_up_seats=seed % 2 == 1)
        for seed in range(games_per_rulebook * (3 if rulebook == "et-2007" else 1))
    ]
    automatic_pass_count = sum(checker.automatic_pass_count for checker in checkers)
    moved_start_count = sum(checker.moved_start_count for checker in checkers)
    assert (automatic_pass_count > 0, moved_start_count > 0) == (
        (True, True) if rulebook == "et-2007" else (False, False)
    )


@every_rulebook
def test_engine_and_reference_model_agree_on_games_with_given_up_seats_e12(rulebook: str) -> None:
    for seed in range(case_count("games_per_rulebook")):
        check_game(rulebook, seats=3 + seed % 8, seed=1000 + seed, gives_up_seats=True)


@every_rulebook
def test_engine_and_reference_model_agree_on_shortened_games_r47(rulebook: str) -> None:
    shortened_games = 0
    for seed in range(case_count("games_per_rulebook")):
        checker = check_game(
            rulebook, seats=3 + seed % 8, seed=3000 + seed, gives_up_seats=False, shortens_game=True
        )
        shortened_games += checker.rounds < checker.game.start.house.rounds
        assert checker.game.state.round == checker.rounds
    assert shortened_games > 0


def check_game(
    rulebook: str, *, seats: int, seed: int, gives_up_seats: bool, shortens_game: bool = False
) -> ModelChecker:
    rng, house = SeededRng(seed), HOUSE_RULE_SETS[(seed + seats) % len(HOUSE_RULE_SETS)]
    game = InMemoryGame(
        rulebook, seats=seats, house=house, starter=None, chance=ScriptedChance(seed)
    )
    checker = ModelChecker(game)
    while not game.is_over:
        gives_up_seat = gives_up_seats and game.state.choice is None and rng.happens_once_in(60)
        if gives_up_seat and len(seats_still_in_play := seats_in_play(game.state)) > 1:
            checker.give_up(rng.pick(seats_still_in_play))
        elif shortens_game and rng.happens_once_in(50) and game.state.round < checker.rounds:
            checker.shorten()
        else:
            checker.play(randomly_turned(mostly_digging_action(game.state, rng), rng))
    return checker


def randomly_turned(action: Action, rng: SeededRng) -> Action:
    """Return the action, with a card that looks alike both ways turned half of the time (E35)."""
    if (
        isinstance(action, Lay)
        and TURNED_SHAPES[action.card] == action.card
        and rng.happens_once_in(2)
    ):
        return Lay(action.card, action.cell, turned=True)
    return action


@every_rulebook
def test_engine_and_reference_model_agree_on_random_mines(rulebook: str) -> None:
    event_counts: Counter[str] = Counter()
    for seed in range(case_count("differential_positions") // 2):
        rng = SeededRng(seed)
        position = random_mine_state(rulebook, rng)
        for lay in consequential_lays(position, rng):
            event_counts.update(check_lay(position, lay, rng))
    assert {
        "misfit",
        "treasure",
        "choice" if rulebook in ONE_GOAL_RULEBOOKS else "two goals",
    } <= set(event_counts)


def consequential_lays(position: State, rng: SeededRng) -> list[Lay]:
    """Return up to six ways to lay a card that cause the most events."""
    lays = rng.shuffled(action for action in offered_actions(position) if isinstance(action, Lay))
    return sorted(lays, key=lambda lay: -len(decide(position, 0, lay)))[:6]


def check_lay(position: State, lay: Lay, rng: SeededRng) -> set[str]:
    game = InMemoryGame(position.rulebook, seats=position.seats, chance=ScriptedChance(1))
    game.state = position
    checker = ModelChecker(game)
    checker.play(lay)
    while game.state.choice is not None and game.state.turn is not None:
        checker.play(rng.pick(game.offered_actions()))
    return notable_events(game)


def notable_events(game: InMemoryGame) -> set[str]:
    events = [event for turn in game.log[1:] for event in turn]
    kinds = Counter(map(type, events))
    counts = {
        "misfit": kinds[StoneMisfit],
        "two goals": kinds[GoalTurned] >= 2,
        "treasure": kinds[RoundEnded],
        "choice": kinds[GoalsReached],
    }
    return {name for name, count in counts.items() if count}


@pytest.mark.parametrize("rulebook,seats", list(product(("sv-web", "uk-2017"), (3, 10))))
def test_comparison_fails_when_the_engine_plays_another_rulebook(rulebook: str, seats: int) -> None:
    """Prove that the comparison is effective: a game played by another rulebook must not pass."""
    game = InMemoryGame("lv-2009" if rulebook == "uk-2017" else "en-2004", seats=seats)
    checker = ModelChecker(game)
    game.state = _renamed_rulebook(game.state, rulebook)
    with pytest.raises(AssertionError):
        _check_to_the_end(checker)


def _check_to_the_end(checker: ModelChecker) -> None:
    rng = SeededRng(1)
    while not checker.game.is_over:
        checker.play(mostly_digging_action(checker.game.state, rng))


def _renamed_rulebook(state: State, rulebook: str) -> State:
    """Return the state under another rulebook; its mine keeps the switches of the rulebook it was dealt for."""
    return msgspec.structs.replace(state, rulebook=rulebook)
