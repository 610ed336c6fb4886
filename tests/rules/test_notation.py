import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import notation
from engine.actions import Action, Break, Discard, Lay, TakeGold
from engine.errors import ExpectedText, ParseError
from engine.events import Event, Rewound
from engine.notation import read_action, read_event, write_action, write_event
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.notation_samples import ACTION_TEXTS, EVENT_TEXTS
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.engine.strategies import (
    ACTION_TYPES,
    EVENT_TYPES,
    any_action,
    any_event,
    instances_of,
)
from tests.support.rulebook_groups import every_rulebook


@pytest.mark.parametrize("text,action", ACTION_TEXTS)
def test_action_has_its_pinned_text(text: str, action: Action) -> None:
    assert write_action(action) == text
    assert read_action(text) == action


@pytest.mark.parametrize("text,event", EVENT_TEXTS)
def test_event_has_its_pinned_text(text: str, event: Event) -> None:
    assert write_event(event) == text
    assert read_event(text) == event


def test_every_type_of_action_and_event_has_a_pinned_text() -> None:
    assert {type(action) for _, action in ACTION_TEXTS} == set(ACTION_TYPES)
    assert {type(event) for _, event in EVENT_TEXTS} == set(EVENT_TYPES)


@given(any_action)
def test_every_action_is_read_as_it_was_written(action: Action) -> None:
    assert read_action(write_action(action)) == action


@given(any_event)
def test_every_event_is_read_as_it_was_written(event: Event) -> None:
    assert read_event(write_event(event)) == event


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_every_type_of_event_is_read_as_it_was_written(kind: type[Event]) -> None:
    @given(instances_of(kind))
    def check_event(event: Event) -> None:
        assert read_event(write_event(event)) == event

    check_event()


@given(any_action, any_action)
def test_different_actions_have_different_texts(action: Action, other_action: Action) -> None:
    assert (write_action(action) == write_action(other_action)) == (action == other_action)


@pytest.mark.no_cover
@every_rulebook
def test_every_action_and_event_of_a_game_can_be_written(rulebook: str) -> None:
    game, rng = InMemoryGame(rulebook, seats=4), SeededRng(4)
    while not game.is_over:
        offered = game.offered_actions()
        texts = [write_action(action) for action in offered]
        assert tuple(map(read_action, texts)) == offered
        game.play(mostly_digging_action(game.state, rng))
    for events in game.log:
        assert tuple(read_event(write_event(event)) for event in events) == events


@pytest.mark.parametrize(
    "text,expected,found_text",
    [
        ("", ExpectedText.ACTION, ""),
        ("play path-trb D5", ExpectedText.ACTION, "play"),
        ("Lay path-trb D5", ExpectedText.ACTION, "Lay"),
        (" pass", ExpectedText.ACTION, ""),
        ("lay", ExpectedText.PATH_CARD, ""),
        ("lay map D5", ExpectedText.PATH_CARD, "map"),
        ("lay path-trb", ExpectedText.CELL, ""),
        ("lay path-trb d5", ExpectedText.CELL, "d5"),
        ("lay path-trb  D5", ExpectedText.CELL, ""),
        ("lay path-trb D05", ExpectedText.CELL, "D05"),
        ("lay path-trb D5 upside", ExpectedText.END, "upside"),
        ("lay path-trb D5 turned turned", ExpectedText.END, "turned"),
        ("lay path-trb D5 ", ExpectedText.END, ""),
        ("break hammer 2", ExpectedText.TOOL, "hammer"),
        ("break lantern 0", ExpectedText.SEAT, "0"),
        ("break lantern 11", ExpectedText.SEAT, "11"),
        ("break lantern 02", ExpectedText.SEAT, "02"),
        ("break lantern two", ExpectedText.SEAT, "two"),
        ("break lantern \u0662", ExpectedText.SEAT, "\u0662"),
        ("repair cart 3 with", ExpectedText.REPAIR_CARD, ""),
        ("repair cart 3 with cart-pickaxe", ExpectedText.REPAIR_CARD, "cart-pickaxe"),
        ("repair cart 3 by cart", ExpectedText.END, "by"),
        ("repair cart 3 with cart", ExpectedText.SPELLING, "repair cart 3 with cart"),
        ("discard joker", ExpectedText.CARD, "joker"),
        ("way up", ExpectedText.ORIENTATION, "up"),
        ("gold 4", ExpectedText.GOLD, "4"),
        ("pass\n", ExpectedText.ACTION, "pass\n"),
        ("goal I5\n", ExpectedText.CELL, "I5\n"),
    ],
)
def test_malformed_action_is_refused_with_the_expected_part(
    text: str, expected: ExpectedText, found_text: str
) -> None:
    with pytest.raises(ParseError) as error_info:
        read_action(text)
    assert (error_info.value.expected, error_info.value.found) == (expected, found_text)
    assert error_info.value.line is None


@pytest.mark.parametrize(
    "text,expected",
    [
        ("", ExpectedText.EVENT),
        ("2", ExpectedText.EVENT),
        ("2 flew", ExpectedText.EVENT),
        ("laid path-trb D5", ExpectedText.SEAT),
        ("0 passed", ExpectedText.SEAT),
        ("\u00b2 passed", ExpectedText.SEAT),
        ("2 turn 2", ExpectedText.WORD),
        ("rewound 12", ExpectedText.WORD),
        ("rewound to 012", ExpectedText.NUMBER),
        ("rewound to 1000000000", ExpectedText.NUMBER),
        ("2 discarded map to-circle", ExpectedText.END),
        ("2 paid 4 overshot pile", ExpectedText.GOLD),
        ("2 paid 1 pile 2", ExpectedText.GOLD),
        ("2 paid 1", ExpectedText.WORD),
        ("2 revealed gold I3", ExpectedText.GOAL),
        ("dealt round 4", ExpectedText.ROUND),
        ("dealt round 1 starter 1 roles miner", ExpectedText.ROLE),
        (
            "dealt round 1 starter 1 roles aside digger goals treasure hands / / deck",
            ExpectedText.COUNT,
        ),
        ("ended round 1 bored", ExpectedText.ENDING),
        ("ended round 1 treasure winners me", ExpectedText.SIDE),
    ],
)
def test_malformed_event_is_refused_with_the_expected_part(
    text: str, expected: ExpectedText
) -> None:
    with pytest.raises(ParseError) as error_info:
        read_event(text)
    assert error_info.value.expected is expected


def test_refusal_shows_the_expected_form() -> None:
    with pytest.raises(ParseError) as error_info:
        read_action("lay path-trb 5D")
    assert error_info.value.form == "lay PATH-CARD CELL [turned]"
    with pytest.raises(ParseError) as error_info:
        read_event("2 holds 1 2 9")
    assert error_info.value.form == "SEAT holds GOLD..."
    with pytest.raises(ParseError) as error_info:
        read_action("dig")
    verbs = dict.fromkeys(text.split()[0] for text, _ in ACTION_TEXTS)
    assert error_info.value.form.split() == list(verbs)


def test_refusal_truncates_a_long_word() -> None:
    with pytest.raises(ParseError) as error_info:
        read_action("x" * 10_000)
    assert len(error_info.value.found) == 60


@pytest.mark.no_cover
@given(st.text(max_size=40) | st.from_regex(r"[a-z]+( [a-zA-Z0-9-]{1,9}){0,4}", fullmatch=True))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read, write in ((read_action, write_action), (read_event, write_event)):
        assert is_refused_or_read_exactly(text, read, write)


def is_refused_or_read_exactly(text: str, read: Any, write: Any) -> bool:
    try:
        value = read(text)
    except ParseError:
        return True
    return bool(write(value) == text)


@pytest.mark.parametrize(
    "action",
    [
        Lay("map", "D5"),
        Lay("path-trb", "5D"),
        Lay("path-trb\n2 drew map", "D5"),
        Break("map", 1),
        Break("break-cart", 10),
        Break("break-cart", -1),
        Discard("joker"),
        TakeGold(0),
    ],
)
def test_writing_an_action_that_cannot_be_read_back_raises(action: Action) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        write_action(action)


@pytest.mark.parametrize("to_seq", [-1, 1_000_000_000])
def test_writing_a_number_out_of_bounds_raises(to_seq: int) -> None:
    with pytest.raises(ValueError, match="number"):
        write_event(Rewound(to_seq))


def test_every_documented_example_is_valid_notation() -> None:
    assert notation.__doc__ is not None
    texts = re.findall(r"^``(.*?)``(?:, ``(.*?)``)?  ", notation.__doc__, re.MULTILINE)
    shown_texts = [text for pair in texts for text in pair if text]
    assert len(shown_texts) == 13
    for text in shown_texts:
        assert write_action(read_action(text)) == text
    assert {type(read_action(text)) for text in shown_texts} == set(ACTION_TYPES)
