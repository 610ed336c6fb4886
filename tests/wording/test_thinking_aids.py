"""Thinking aids: cards seen and left, and what each player did, from what a seat may know."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DECK
from engine.narration import Line, LineKey, narrate
from engine.rulebook import HouseRules
from engine.view import View, view_for
from tests.support.engine.counterfactual_games import (
    Move,
    PlayedGame,
    counterfactual_game,
    play_moves,
)
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import ScriptedChance, SeededRng
from tests.support.perspectives import ANNA, ENGLISH
from tests.support.views import view_of
from webapp.wording.perspective import Perspective
from webapp.wording.thinking_aids import card_counts, player_deeds

LAID = Line(key=LineKey.CARD_LAID, seat=1, card="path-trbl", cell="B5")
BROKEN = Line(key=LineKey.TOOL_BROKEN, seat=1, target=0, tool="lantern")
OWN_DISCARD = Line(key=LineKey.CARD_DISCARDED, seat=0, card="map")
HIDDEN_DISCARD = Line(key=LineKey.DISCARDED, seat=1)


def turn(seq: int, *lines: Line) -> Any:
    return SimpleNamespace(seq=seq, seat=1, by="player", lines=lines, former_names=())


def counts_of(view: View, *turns: Any) -> dict[str, tuple[int, int, int]]:
    return {
        count.name: (count.seen, count.in_hand, count.left)
        for count in card_counts(view, turns, ANNA)
    }


def test_counts_cover_the_whole_deck() -> None:
    counts = card_counts(view_of(), [], ANNA)
    assert sum(count.total for count in counts) == len(DECK)
    assert sum(count.in_hand for count in counts) == len(view_of().hand)


def test_cards_played_in_the_open_and_own_discards_are_seen() -> None:
    turns = turn(1, LAID), turn(2, BROKEN), turn(3, OWN_DISCARD), turn(4, HIDDEN_DISCARD)
    counts = counts_of(view_of(hand=("path-trbl", "map")), *turns)
    assert counts["Crossings"] == (1, 1, 3)
    assert counts["Broken tools"] == (1, 0, 8)
    assert counts["Maps"] == (1, 1, 4)


def test_cards_of_earlier_rounds_and_of_turns_taken_back_are_not_seen() -> None:
    dealt = Line(key=LineKey.ROUND_DEALT, round=2, seat=0)
    rewound = Line(key=LineKey.REWOUND, to_seq=2)
    turns = turn(1, LAID), turn(2, dealt), turn(3, LAID), turn(4, rewound), turn(5, BROKEN)
    counts = counts_of(view_of(hand=()), *turns)
    assert counts["Crossings"] == (0, 0, 5)
    assert counts["Broken tools"] == (1, 0, 8)


def test_deeds_name_what_was_laid_and_whose_tool_was_broken() -> None:
    turns = turn(1, LAID), turn(2, BROKEN), turn(3, HIDDEN_DISCARD)
    text = player_deeds(turns, ANNA)[1].text
    assert text == "1 path laid, 1 card discarded and broke lantern (Anna)"


@given(st.integers(0, 2**32))
def test_aids_are_the_same_in_games_that_a_seat_cannot_tell_apart(seed: int) -> None:
    rng = SeededRng(seed)
    game = InMemoryGame(
        "en-2004",
        seats=3 + rng.below(8),
        house=HouseRules(),
        starter=None,
        chance=ScriptedChance(rng.below(1 << 30)),
    )
    played_game = play_moves(
        game,
        rng.below(60),
        lambda game: Move("play", action=mostly_digging_action(game.state, rng)),
    )
    observer = rng.pick([None, *range(played_game.states[0].seats)])
    counterfactual = counterfactual_game(played_game, observer, rng)
    assert aids_of(played_game, observer) == aids_of(counterfactual, observer)


def aids_of(game: PlayedGame, observer: int | None) -> object:
    view = view_for(game.states[-1], observer)
    perspective = Perspective(language=ENGLISH, names=tuple("ABCDEFGHIJ"[: view.seats]))
    turns = [
        turn(seq, *(line for event in events for line in narrate(event, observer)))
        for seq, events in enumerate(game.game.log)
    ]
    counts = card_counts(view, turns, perspective)
    assert all(count.left >= 0 for count in counts)
    return counts, player_deeds(turns, perspective)
