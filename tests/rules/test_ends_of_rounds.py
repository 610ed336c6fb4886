"""R32, E13, E14: when a round ends, by empty hands or by a circle of passes."""

import pytest

from engine.actions import Discard, Lay, Look
from engine.cells import GOAL_CELLS
from engine.events import Dealt, Event, GoldPaid, Passed, RoundEnded, TurnBegan
from engine.narration import LineKey, narrate
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from engine.wire import decode_events, encode_events
from tests.support.engine.drawn_positions import drawn_state, last_cards_state
from tests.support.engine.positions import cell_at, events_of_type
from tests.support.engine.vectors import events_of, offered_actions
from tests.support.rulebook_groups import (
    every_rulebook,
    must_continue_path_rulebooks,
    passes_end_round_rulebooks,
)

DISCARD = Discard("map")


def endings(state: State, *actions: Discard | Lay) -> list[str]:
    return [event.ending for event in events_of_type(events_of(state, *actions), RoundEnded)]


@every_rulebook
def test_round_ends_when_deck_and_all_hands_are_empty_r32(rulebook: str) -> None:
    state = last_cards_state(rulebook)
    assert endings(state, DISCARD, DISCARD) == []
    assert endings(state, DISCARD, DISCARD, DISCARD) == ["exhausted"]


@must_continue_path_rulebooks
def test_circle_of_passes_does_not_end_a_round_that_needs_empty_hands_r32(rulebook: str) -> None:
    assert endings(last_cards_state(rulebook, cards=3), *[DISCARD] * 5) == []
    assert endings(last_cards_state(rulebook, cards=3), *[DISCARD] * 9) == ["exhausted"]


@passes_end_round_rulebooks
def test_full_circle_of_passes_ends_the_round_r32_e13(rulebook: str) -> None:
    assert endings(last_cards_state(rulebook, cards=3), DISCARD, DISCARD) == []
    assert endings(last_cards_state(rulebook, cards=3), *[DISCARD] * 3) == ["circle-of-passes"]


def events_of_last_turn(rulebook: str, turn_characters: str, **changes: object) -> list[Event]:
    """Return the events of the last turn when each seat spends its last card: ``c`` plays a map, ``p`` discards it."""
    moves: dict[str, Look | Discard] = {"c": Look(GOAL_CELLS[0]), "p": DISCARD}
    state = last_cards_state(rulebook, **changes)  # type: ignore[arg-type]
    return list(events_of(state, *map(moves.__getitem__, turn_characters)))


@pytest.mark.parametrize(
    "turn_characters,passers,ended_by",
    [
        ("ccc", [0, 1, 2], 2),
        ("cpc", [0, 1, 2], 2),
        ("ccp", [0, 1], 1),
        ("pcp", [0, 1], 1),
        ("cpp", [0], 0),
        ("ppp", [], 2),
    ],
)
def test_empty_hands_pass_until_the_circle_is_complete_in_one_rulebook_r12_r32_e13(
    turn_characters: str, passers: list[int], ended_by: int
) -> None:
    events = events_of_last_turn("et-2007", turn_characters)
    assert events_of_type(events, Passed) == [Passed(seat) for seat in passers]
    assert events_of_type(events, TurnBegan) == []
    (round_ended,) = events_of_type(events, RoundEnded)
    assert (round_ended.ending, round_ended.ended_by) == ("exhausted", ended_by)
    assert [event.starter for event in events_of_type(events, Dealt)] == [(ended_by + 1) % 3]


@pytest.mark.parametrize("rulebook", [key for key in RULEBOOKS if key != "et-2007"])
@pytest.mark.parametrize("turn_characters", ["ccc", "ccp", "cpp", "ppp"])
def test_round_ends_without_automatic_passes_in_the_other_rulebooks_r12_e13(
    rulebook: str, turn_characters: str
) -> None:
    events = events_of_last_turn(rulebook, turn_characters)
    assert events_of_type(events, Passed) == []
    (round_ended,) = events_of_type(events, RoundEnded)
    assert (round_ended.ending, round_ended.ended_by) == ("exhausted", 2)


@pytest.mark.parametrize("rulebook,order", [("et-2007", [4, 0, 2]), ("uk-2017", [0, 2, 4])])
def test_payment_begins_left_of_the_seat_that_completes_the_circle_e13_e2(
    rulebook: str, order: list[int]
) -> None:
    payments = events_of_type(events_of_last_turn(rulebook, "cccpp", roles="sdsds"), GoldPaid)
    assert [event.seat for event in payments] == order


def test_treasure_ends_the_round_before_any_automatic_pass_r31_e13() -> None:
    hands: dict[int, list[str]] = {0: ["path-rl"], 1: [], 2: []}
    state = drawn_state("S──────.$", "et-2007", hands=hands, deck=[])
    events = events_of(state, Lay("path-rl", cell_at(7, 0)))
    assert events_of_type(events, Passed) == []
    assert [event.ended_by for event in events_of_type(events, RoundEnded)] == [0]


def test_automatic_passes_are_stored_and_shown_to_every_viewer_e13() -> None:
    events = events_of_last_turn("et-2007", "ccc")
    assert decode_events(encode_events(tuple(events))) == tuple(events)
    for seat in (0, 1, 2, None):
        lines = [line for event in events for line in narrate(event, seat)]
        assert [line.seat for line in lines if line.key == LineKey.PASSED] == [0, 1, 2]


@passes_end_round_rulebooks
def test_any_card_played_restarts_the_circle_of_passes_e13(rulebook: str) -> None:
    hands = {0: ["map"] * 3, 1: ["map"] * 3, 2: ["path-rl", "map", "map"]}
    state = drawn_state("S", rulebook, hands=hands, deck=[])
    lay = Lay("path-rl", cell_at(1, 0))
    assert endings(state, DISCARD, DISCARD, lay, DISCARD, DISCARD) == []
    assert endings(state, DISCARD, DISCARD, lay, *[DISCARD] * 3) == ["circle-of-passes"]


@passes_end_round_rulebooks
def test_only_passes_with_an_empty_deck_count_for_the_circle_e13(rulebook: str) -> None:
    hands = {seat: ["map"] * 3 for seat in range(3)}
    state = drawn_state("S", rulebook, hands=hands, deck=["map"])
    assert endings(state, *[DISCARD] * 3) == []
    assert endings(state, *[DISCARD] * 4) == ["circle-of-passes"]


@passes_end_round_rulebooks
def test_discarding_a_playable_card_counts_as_a_pass_e13(rulebook: str) -> None:
    hands = {seat: ["path-trbl", "path-trbl"] for seat in range(3)}
    state = drawn_state("S", rulebook, hands=hands, deck=[])
    assert Lay("path-trbl", cell_at(1, 0)) in offered_actions(state)
    assert endings(state, *[Discard("path-trbl")] * 3) == ["circle-of-passes"]


@every_rulebook
def test_round_continues_when_the_treasure_is_walled_off_e14(rulebook: str) -> None:
    drawing = """
........━
S────┘.━$━
........━
"""
    state = drawn_state(drawing, rulebook, hand=["map"])
    assert events_of_type(events_of(state, DISCARD), TurnBegan) == [TurnBegan(1)]
