"""Every history line has a whole sentence, which says "you" to the player it concerns."""

import re
from types import SimpleNamespace
from typing import Any, get_args

import msgspec
import pytest

from engine import events
from engine.cards import PATH_CARDS, TOOLS, Card, Role
from engine.narration import Line, LineKey
from tests.support.perspectives import ANNA, BOB, NAMES, ONLOOKER, is_whole_sentence
from webapp.wording.history import narrate, narrate_line, played_card, saboteurs_sentence
from webapp.wording.history_messages import LINE_MESSAGES
from webapp.wording.perspective import Perspective
from webapp.wording.results import round_sentence

SAMPLE_LINES_BY_KEY = {
    LineKey.ROUND_DEALT: Line(key=LineKey.ROUND_DEALT, round=2, seat=1),
    LineKey.ROLE_DEALT: Line(
        key=LineKey.ROLE_DEALT, seat=1, role="digger", cards=("map", "path-rl")
    ),
    LineKey.CARD_LAID: Line(key=LineKey.CARD_LAID, seat=1, card="path-tr", cell="D5", turned=True),
    LineKey.GOALS_REACHED: Line(key=LineKey.GOALS_REACHED, seat=1, cells=("I3", "I5")),
    LineKey.STONE_MISFIT: Line(key=LineKey.STONE_MISFIT, seat=1, cell="I3", goal="stone-tl"),
    LineKey.TREASURE_TURNED: Line(key=LineKey.TREASURE_TURNED, seat=1, cell="I5", goal="treasure"),
    LineKey.STONE_TURNED: Line(key=LineKey.STONE_TURNED, seat=1, cell="I5", goal="stone-tr"),
    LineKey.TOOL_BROKEN: Line(key=LineKey.TOOL_BROKEN, seat=1, target=0, tool="lantern"),
    LineKey.OWN_TOOL_BROKEN: Line(key=LineKey.OWN_TOOL_BROKEN, seat=1, tool="cart"),
    LineKey.TOOL_REPAIRED: Line(
        key=LineKey.TOOL_REPAIRED, seat=1, target=0, tool="cart", card="repair-cart"
    ),
    LineKey.OWN_TOOL_REPAIRED: Line(
        key=LineKey.OWN_TOOL_REPAIRED, seat=1, tool="cart", card="repair-cart"
    ),
    LineKey.ROCK_FELL: Line(key=LineKey.ROCK_FELL, seat=1, cell="D5", card="path-rl"),
    LineKey.GOAL_LOOKED_AT: Line(key=LineKey.GOAL_LOOKED_AT, seat=1, cell="I3"),
    LineKey.GOAL_SEEN: Line(key=LineKey.GOAL_SEEN, seat=1, cell="I3", goal="treasure"),
    LineKey.DISCARDED: Line(key=LineKey.DISCARDED, seat=1),
    LineKey.CARD_DISCARDED: Line(key=LineKey.CARD_DISCARDED, seat=1, card="dead-l"),
    LineKey.PASSED: Line(key=LineKey.PASSED, seat=1),
    LineKey.CARD_DRAWN: Line(key=LineKey.CARD_DRAWN, seat=1, card="rockfall"),
    LineKey.ROUND_ENDED: Line(
        key=LineKey.ROUND_ENDED,
        round=1,
        ending="exhausted",
        side="saboteurs",
        roles=("digger", "saboteur", "digger", "digger"),
        aside="digger",
    ),
    LineKey.GOLD_DRAWN: Line(key=LineKey.GOLD_DRAWN, seat=1, count=4),
    LineKey.GOLD_HELD: Line(key=LineKey.GOLD_HELD, seat=1, gold=(3, 1, 1)),
    LineKey.GOLD_TAKEN: Line(key=LineKey.GOLD_TAKEN, seat=1),
    LineKey.GOLD_KEPT: Line(key=LineKey.GOLD_KEPT, seat=1, nuggets=3),
    LineKey.PAID: Line(key=LineKey.PAID, seat=1, nuggets=4),
    LineKey.PAID_IN_CARDS: Line(
        key=LineKey.PAID_IN_CARDS, seat=1, nuggets=4, gold=(2, 2), overshot=(3,)
    ),
    LineKey.GAME_ENDED: Line(key=LineKey.GAME_ENDED, gold=(1, 9, 4, 0), seats=(1,)),
    LineKey.SEAT_GIVEN_UP: Line(key=LineKey.SEAT_GIVEN_UP, seat=1),
    LineKey.SEAT_HANDED_OVER: Line(key=LineKey.SEAT_HANDED_OVER, seat=1),
    LineKey.GAME_SHORTENED: Line(key=LineKey.GAME_SHORTENED, round=2),
    LineKey.REWOUND: Line(key=LineKey.REWOUND, to_seq=12),
}
LINE_KEYS_WITHOUT_NAME = {LineKey.GAME_SHORTENED, LineKey.REWOUND}


def changed_sample_line(key: LineKey, **fields: Any) -> Line:
    return msgspec.structs.replace(SAMPLE_LINES_BY_KEY[key], **fields)


def turn(*lines: Line, by: str = "player") -> SimpleNamespace:
    return SimpleNamespace(seat=1, by=by, lines=lines, former_names=())


def test_samples_and_sentences_cover_every_history_key() -> None:
    assert set(SAMPLE_LINES_BY_KEY) == set(LineKey)
    assert {key for key, _ in LINE_MESSAGES} == set(LineKey)


@pytest.mark.parametrize("timed_out", [False, True])
@pytest.mark.parametrize("key", LineKey)
@pytest.mark.parametrize("perspective", [ANNA, BOB, ONLOOKER], ids=["other", "actor", "onlooker"])
def test_every_line_is_a_whole_sentence_for_every_reader(
    key: LineKey, perspective: Perspective, *, timed_out: bool
) -> None:
    assert is_whole_sentence(
        narrate_line(SAMPLE_LINES_BY_KEY[key], perspective, timed_out=timed_out)
    )


@pytest.mark.parametrize("key", sorted(set(LineKey) - LINE_KEYS_WITHOUT_NAME))
def test_others_read_the_actor_s_name_and_the_actor_reads_you(key: LineKey) -> None:
    others_sentences, own_sentences = (
        narrate_line(SAMPLE_LINES_BY_KEY[key], ANNA),
        narrate_line(SAMPLE_LINES_BY_KEY[key], BOB),
    )
    assert NAMES[1] in others_sentences
    assert own_sentences == others_sentences or re.search(
        r"\b([Yy]ou|[Yy]our|You're)\b", own_sentences
    )


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("key", [LineKey.TOOL_BROKEN, LineKey.TOOL_REPAIRED])
def test_target_of_an_action_reads_your(key: LineKey, tool: str) -> None:
    line = changed_sample_line(key, tool=tool)
    assert f"your {tool}" in narrate_line(line, ANNA)
    assert f"Anna's {tool}" in narrate_line(line, BOB)
    assert f"Anna's {tool}" in narrate_line(line, ONLOOKER)


@pytest.mark.parametrize("tool", TOOLS)
def test_actions_on_own_tools_have_their_own_sentences(tool: str) -> None:
    broken_line, repaired_line = (
        changed_sample_line(key, tool=tool)
        for key in (LineKey.OWN_TOOL_BROKEN, LineKey.OWN_TOOL_REPAIRED)
    )
    assert f"broke their own {tool}" in narrate_line(broken_line, ANNA)
    assert f"broke your own {tool}" in narrate_line(broken_line, BOB)
    assert f"repaired their {tool}" in narrate_line(repaired_line, ANNA)
    assert f"repaired your {tool}" in narrate_line(repaired_line, BOB)


@pytest.mark.parametrize(
    "card, expected_words",
    [
        ("path-trbl", "a crossing"),
        ("path-trb", "a T-junction"),
        ("path-tb", "a straight tunnel"),
        ("path-rl", "a straight tunnel"),
        ("path-tl", "a bend"),
        ("dead-trbl", "a dead end"),
        ("dead-l", "a dead end"),
    ],
)
def test_laid_card_is_named_by_its_kind(card: str, expected_words: str) -> None:
    assert (
        narrate_line(changed_sample_line(LineKey.CARD_LAID, card=card), BOB)
        == f"You laid {expected_words} at D5."
    )


@pytest.mark.parametrize("card", PATH_CARDS)
def test_every_path_card_can_be_narrated(card: str) -> None:
    assert is_whole_sentence(narrate_line(changed_sample_line(LineKey.CARD_LAID, card=card), ANNA))


@pytest.mark.parametrize(
    "goal, expected_words", [("treasure", "the treasure"), ("stone-tr", "only stone")]
)
def test_goal_seen_with_a_map_is_named(goal: str, expected_words: str) -> None:
    assert narrate_line(changed_sample_line(LineKey.GOAL_SEEN, goal=goal), BOB).endswith(
        f"saw {expected_words}."
    )


@pytest.mark.parametrize("ending", get_args(events.Ending))
@pytest.mark.parametrize("side", get_args(events.Side))
def test_every_ending_and_every_winner_has_a_sentence(ending: Any, side: Any) -> None:
    assert is_whole_sentence(
        narrate_line(changed_sample_line(LineKey.ROUND_ENDED, ending=ending, side=side), ANNA)
    )
    result = SimpleNamespace(
        round=1, ending=ending, winners=side, roles=("digger", "saboteur", "digger", "digger")
    )
    assert is_whole_sentence(round_sentence(result, ANNA))


def test_round_end_names_the_saboteurs_and_the_unused_role() -> None:
    one_saboteur_sentence = narrate_line(SAMPLE_LINES_BY_KEY[LineKey.ROUND_ENDED], ANNA)
    assert "The saboteur was Bob & Co <b>." in one_saboteur_sentence
    assert "Unused role card: gold-digger." in one_saboteur_sentence
    roles: tuple[Role, ...] = ("saboteur", "saboteur", "digger", "digger")
    two_saboteurs_sentence = narrate_line(
        changed_sample_line(LineKey.ROUND_ENDED, roles=roles), ONLOOKER
    )
    assert "The saboteurs were Anna and Bob & Co <b>." in two_saboteurs_sentence
    no_saboteurs_sentence = narrate_line(
        changed_sample_line(LineKey.ROUND_ENDED, roles=("digger",) * 4), ANNA
    )
    assert "There was no saboteur among the players." in no_saboteurs_sentence


def test_saboteur_reads_you_when_the_roles_are_shown() -> None:
    assert saboteurs_sentence((0,), ANNA) == "You were the saboteur."
    assert saboteurs_sentence((0, 2), ANNA) == "The saboteurs were you and Carol."
    assert saboteurs_sentence((0, 2), BOB) == "The saboteurs were Anna and Carol."


def test_sentences_use_the_plural_form_of_their_number() -> None:
    assert "with 1 nugget." in narrate_line(changed_sample_line(LineKey.GOLD_KEPT, nuggets=1), ANNA)
    assert "with 3 nuggets." in narrate_line(SAMPLE_LINES_BY_KEY[LineKey.GOLD_KEPT], ANNA)
    assert "share 4 gold cards" in narrate_line(SAMPLE_LINES_BY_KEY[LineKey.GOLD_DRAWN], BOB)


@pytest.mark.parametrize("key", [LineKey.PAID, LineKey.PAID_IN_CARDS])
def test_unpaid_saboteur_reads_the_reason(key: LineKey) -> None:
    sentence = narrate_line(changed_sample_line(key, nuggets=0, gold=(), overshot=()), BOB)
    assert "no cards add up" in sentence


def test_drawer_reads_which_gold_cards_were_too_large() -> None:
    sentence = narrate_line(SAMPLE_LINES_BY_KEY[LineKey.PAID_IN_CARDS], BOB)
    assert sentence.endswith("One card was too large and went under the pile: 3.")


def test_restored_pile_is_explained_e1() -> None:
    sentence = narrate_line(
        changed_sample_line(LineKey.PAID_IN_CARDS, overshot=(3, 3), restored=True), BOB
    )
    assert "Cards that were too large, in order: 3 and 3." in sentence
    assert sentence.endswith("the pile was put back as it was and the payment was picked from it.")
    assert "under the pile" not in sentence


def test_shared_win_names_all_winners() -> None:
    line = changed_sample_line(LineKey.GAME_ENDED, seats=(0, 2), gold=(5, 1, 5, 0))
    sentence = narrate_line(line, ANNA)
    assert "Anna and Carol share first place." in sentence
    assert "Anna 5, Bob & Co <b> 1, Carol 5 and 100% Dave %(x)s 0." in sentence


def test_discard_by_the_clock_says_whose_time_ran_out() -> None:
    line_without_card, line_with_card = (
        SAMPLE_LINES_BY_KEY[LineKey.DISCARDED],
        SAMPLE_LINES_BY_KEY[LineKey.CARD_DISCARDED],
    )
    assert narrate(turn(line_without_card, by="clock"), ANNA) == (
        "Bob & Co <b>'s time ran out; a card was discarded face down.",
    )
    assert narrate(turn(line_with_card, by="clock"), BOB) == (
        "Your time ran out; your dead end (left) card was discarded.",
    )
    assert narrate(turn(line_without_card), ANNA) == ("Bob & Co <b> discarded a card face down.",)


def test_pass_by_the_clock_mentions_no_discarded_card() -> None:
    passed_line = SAMPLE_LINES_BY_KEY[LineKey.PASSED]
    assert narrate(turn(passed_line, by="clock"), ANNA) == (
        "Bob & Co <b>'s time ran out; they had no cards left and passed.",
    )
    assert narrate(turn(passed_line, by="clock"), BOB) == (
        "Your time ran out; you had no cards left and passed.",
    )
    assert narrate(turn(passed_line), BOB) == ("You had no cards left and passed.",)


def test_choice_by_the_clock_first_says_whose_time_ran_out() -> None:
    gold_taken_line = SAMPLE_LINES_BY_KEY[LineKey.GOLD_TAKEN]
    assert narrate(turn(gold_taken_line, by="clock"), BOB) == (
        "Your time ran out.",
        "You kept a gold card.",
    )
    assert narrate(turn(gold_taken_line, by="clock"), ANNA)[0] == "Bob & Co <b>'s time ran out."
    assert narrate(turn(gold_taken_line), BOB) == ("You kept a gold card.",)


@pytest.mark.parametrize(
    "line, card",
    [
        (Line(key=LineKey.CARD_LAID, card="path-rb", cell="B5", turned=True), ("path-rb", True)),
        (Line(key=LineKey.TOOL_BROKEN, tool="cart"), ("break-cart", False)),
        (
            Line(key=LineKey.TOOL_REPAIRED, card="repair-lantern-cart"),
            ("repair-lantern-cart", False),
        ),
        (Line(key=LineKey.ROCK_FELL, card="path-rb", cell="B5"), ("rockfall", False)),
        (Line(key=LineKey.GOAL_LOOKED_AT, cell="I5"), ("map", False)),
    ],
)
def test_turn_has_a_card_to_show(line: Line, card: tuple[Card, bool]) -> None:
    drawn_line = Line(key=LineKey.CARD_DRAWN, seat=0, card="path-tb")
    assert played_card((line, drawn_line)) == card


@pytest.mark.parametrize("key", [LineKey.DISCARDED, LineKey.CARD_DISCARDED, LineKey.PASSED])
def test_turn_without_a_played_card_has_none_to_show(key: LineKey) -> None:
    assert played_card((SAMPLE_LINES_BY_KEY[key],)) is None


def test_what_a_former_player_did_is_not_said_of_the_viewer() -> None:
    line = Line(key=LineKey.DISCARDED, seat=0)
    entry: Any = SimpleNamespace(seat=0, by="player", lines=(line,), former_names=((0, "Dora"),))
    assert narrate(entry, ANNA) == ("Dora discarded a card face down.",)
