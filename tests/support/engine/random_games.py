"""Games with random tables, played to the end by seeded random players."""

from collections.abc import Callable, Iterator
from typing import Final

from engine.actions import Action
from engine.rulebook import HouseRules
from engine.state import State
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import seats_in_play
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng

HOUSE_RULE_SETS: Final = (
    HouseRules(),
    HouseRules(intact_diggers_only=True),
    HouseRules(no_self_breaking=True, open_gold=True),
    HouseRules(rounds=1),
)


def random_dealt_game(rulebook: str, rng: SeededRng) -> InMemoryGame:
    """Return a game just dealt, with a random number of seats and random house rules."""
    return InMemoryGame(
        rulebook,
        seats=3 + rng.below(8),
        house=rng.pick(HOUSE_RULE_SETS),
        starter=None,
        chance=ScriptedChance(rng.below(1 << 30)),
    )


def unfinished_state(
    game: InMemoryGame, turns: int, choose: Callable[[State, SeededRng], Action], rng: SeededRng
) -> State:
    """Play up to ``turns`` actions and return the last state in which the game is not over."""
    for _ in range(turns):
        earlier_state = game.state
        game.play(choose(game.state, rng))
        if game.is_over:
            return earlier_state
    return game.state


def game_steps(rulebook: str, seed: int) -> Iterator[InMemoryGame]:
    """Yield one game just dealt and after every step to its end; now and then a seat is given up."""
    rng = SeededRng(seed)
    game = random_dealt_game(rulebook, rng)
    yield game
    while not game.is_over:
        if rng.happens_once_in(80) and len(seats_in_play(game.state)) > 1:
            game.give_up(rng.pick(seats_in_play(game.state)), random_below=rng.below)
        else:
            game.play(mostly_digging_action(game.state, rng))
        yield game
