"""The engine and the oracle, which share nothing, agree on whole games and on positions that hardly ever come about."""

from collections import Counter
from itertools import product

import msgspec
import pytest

from engine.actions import Action, Lay
from engine.cards import TURNED
from engine.events import GoalsReached, GoalTurned, RoundEnded, StoneMisfit
from engine.rulebook import HouseRules
from engine.rules import decide
from engine.state import State
from tests.support.engine.followed_game import Follower
from tests.support.engine.strange_mines import strange_position
from tests.support.positions import (
    CHOOSING,
    Arranged,
    Dice,
    Game,
    erring_action,
    every_number_of_seats,
    every_rulebook,
    menu,
    still_in_play,
)
from tests.support.sizes import size_of

# Long simulations of what other tests cover line by line.
pytestmark = pytest.mark.no_cover

HOUSES = (
    HouseRules(),
    HouseRules(intact_diggers_only=True, no_self_breaking=True),
    HouseRules(rounds=2, open_gold=True),
    HouseRules(rounds=1),
)


@every_number_of_seats
@every_rulebook
def test_engine_and_oracle_agree_on_whole_games(rulebook: str, seats: int) -> None:
    for seed in range(size_of("games_per_rulebook") // 3):
        follow(rulebook, seats=seats, seed=seed, giving_up=False)


@every_rulebook
def test_engine_and_oracle_agree_on_who_ends_a_round_with_empty_hands_e13_r49_e2(
    rulebook: str,
) -> None:
    """Where empty hands pass, the next starter and the order of pay are compared in many exhausted rounds."""
    followers = [
        follow(rulebook, seats=3 + seed % 8, seed=2000 + seed, giving_up=seed % 2 == 1)
        for seed in range(size_of("games_per_rulebook") * 3)
    ]
    passes = sum(follower.automatic_passes for follower in followers)
    moved = sum(follower.moved_starts for follower in followers)
    assert (passes > 0, moved > 0) == ((True, True) if rulebook == "et-2007" else (False, False))


@every_rulebook
def test_engine_and_oracle_agree_on_games_that_people_leave_e12(rulebook: str) -> None:
    for seed in range(size_of("games_per_rulebook") * 2):
        follow(rulebook, seats=3 + seed % 8, seed=1000 + seed, giving_up=True)


def follow(rulebook: str, *, seats: int, seed: int, giving_up: bool) -> Follower:
    dice, house = Dice(seed), HOUSES[(seed + seats) % len(HOUSES)]
    game = Game(rulebook, seats=seats, house=house, starter=None, chance=Arranged(seed))
    follower = Follower(game)
    while not game.is_over:
        leaving = giving_up and game.state.choice is None and dice.once_in(60)
        if leaving and len(in_play := still_in_play(game.state)) > 1:
            follower.give_up(dice.pick(in_play))
        else:
            follower.play(held_either_way(erring_action(game.state, dice), dice))
    return follower


def held_either_way(action: Action, dice: Dice) -> Action:
    """A card that looks the same both ways is laid turned now and then (E35)."""
    if isinstance(action, Lay) and TURNED[action.card] == action.card and dice.once_in(2):
        return Lay(action.card, action.cell, turned=True)
    return action


@every_rulebook
def test_engine_and_oracle_agree_on_strange_mines(rulebook: str) -> None:
    met: Counter[str] = Counter()
    for seed in range(size_of("differential_positions") // 2):
        dice = Dice(seed)
        position = strange_position(rulebook, dice)
        for lay in telling_lays(position, dice):
            met.update(agree_on_lay(position, lay, dice))
    assert {"misfit", "treasure", "choice" if rulebook in CHOOSING else "two goals"} <= set(met)


def telling_lays(position: State, dice: Dice) -> list[Lay]:
    """Six legal lays, those first that lead to most."""
    lays = dice.shuffled(action for action in menu(position) if isinstance(action, Lay))
    return sorted(lays, key=lambda lay: -len(decide(position, 0, lay)))[:6]


def agree_on_lay(position: State, lay: Lay, dice: Dice) -> set[str]:
    game = Game(position.rulebook, seats=position.seats, chance=Arranged(1))
    game.state = position
    follower = Follower(game)
    follower.play(lay)
    while game.state.choice is not None and game.state.turn is not None:
        follower.play(dice.pick(game.menu()))
    return what_came(game)


def what_came(game: Game) -> set[str]:
    events = [event for turn in game.log[1:] for event in turn]
    kinds = Counter(map(type, events))
    met = {
        "misfit": kinds[StoneMisfit],
        "two goals": kinds[GoalTurned] >= 2,
        "treasure": kinds[RoundEnded],
        "choice": kinds[GoalsReached],
    }
    return {name for name, has_come in met.items() if has_come}


@pytest.mark.parametrize("rulebook,seats", list(product(("sv-web", "uk-2017"), (3, 10))))
def test_the_oracle_notices_a_rule_read_wrongly(rulebook: str, seats: int) -> None:
    """Were the two compared in nothing, the tests above could not fail: another rulebook's game must not pass."""
    game = Game("lv-2009" if rulebook == "uk-2017" else "en-2004", seats=seats)
    follower = Follower(game)
    game.state = _pretending(game.state, rulebook)
    with pytest.raises(AssertionError):
        _play_on(follower)


def _play_on(follower: Follower) -> None:
    dice = Dice(1)
    while not follower.game.is_over:
        follower.play(erring_action(follower.game.state, dice))


def _pretending(state: State, rulebook: str) -> State:
    """The same mine, whose switches are those of the rulebook dealt, under another name."""

    return msgspec.structs.replace(state, rulebook=rulebook)
