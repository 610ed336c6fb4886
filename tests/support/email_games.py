"""Random games that emails are about.

Its own module because :mod:`tests.support.email_contexts` is long enough. Each game is played once and kept, because
many tests use the same few.
"""

from functools import cache

from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng


@cache
def game_after_turns(
    turns: int, rulebook: str = "en-2004", seats: int = 5, seed: int = 1
) -> InMemoryGame:
    """Return a game after this many turns, or at its end; players make mistakes now and then."""
    rng, game = SeededRng(seed), InMemoryGame(rulebook, seats=seats)
    while not game.is_over and len(game.log) <= turns:
        game.play(mostly_digging_action(game.state, rng))
    return game


@cache
def game_in_round_two() -> InMemoryGame:
    """Return a game as soon as its first round is over."""
    turns = 30
    while game_after_turns(turns).state.round == 1:
        turns += 1
    return game_after_turns(turns)
