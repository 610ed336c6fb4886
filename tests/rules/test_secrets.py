"""R3, R26, R33, R41, R46, R52, E31: what each seat reads in the history, and what its view shows."""

from typing import get_args

import msgspec
import pytest

from engine.actions import Discard, Lay
from engine.events import (
    CardLaid,
    Dealt,
    Discarded,
    Drawn,
    Event,
    GameEnded,
    GameShortened,
    GoalSeen,
    GoalsReached,
    GoalTurned,
    GoldDrawn,
    GoldPaid,
    GoldPassed,
    GoldTaken,
    Passed,
    Rewound,
    RockFell,
    RoundEnded,
    SeatGivenUp,
    SeatHandedOver,
    StoneMisfit,
    ToolBroken,
    ToolRepaired,
    TurnBegan,
)
from engine.narration import Line, LineKey, narrate
from engine.plans import Plan
from engine.rulebook import HouseRules
from engine.view import view_for
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng

DEAL_EVENT = Dealt(
    round=2,
    starter=1,
    roles=("digger", "saboteur", "digger"),
    aside="digger",
    goals=("treasure", "stone-tl", "stone-tr"),
    hands=(("map",), ("rockfall",), ("path-tb",)),
    deck=("dead-b",),
)
ROUND_END_EVENT = RoundEnded(
    round=2,
    ending="exhausted",
    winners="saboteurs",
    ended_by=0,
    roles=("digger", "saboteur", "digger"),
    aside="digger",
)
PAID = GoldPaid(0, (2, 1), (3,), (1, 1))

PUBLIC_EVENTS: list[tuple[Event, Line]] = [
    (
        CardLaid(0, "path-tr", "B5", turned=True),
        Line(key=LineKey.CARD_LAID, seat=0, card="path-tr", cell="B5", turned=True),
    ),
    (
        GoalsReached(0, ("I3", "I5")),
        Line(key=LineKey.GOALS_REACHED, seat=0, cells=("I3", "I5")),
    ),
    (
        StoneMisfit(0, "I5", "stone-tl"),
        Line(key=LineKey.STONE_MISFIT, seat=0, cell="I5", goal="stone-tl"),
    ),
    (
        GoalTurned(0, "I5", "stone-tl", turned=True),
        Line(key=LineKey.STONE_TURNED, seat=0, cell="I5", goal="stone-tl", turned=True),
    ),
    (
        GoalTurned(0, "I5", "treasure"),
        Line(key=LineKey.TREASURE_TURNED, seat=0, cell="I5", goal="treasure"),
    ),
    (
        ToolBroken(0, "break-cart", 1),
        Line(key=LineKey.TOOL_BROKEN, seat=0, target=1, tool="cart"),
    ),
    (ToolBroken(0, "break-cart", 0), Line(key=LineKey.OWN_TOOL_BROKEN, seat=0, tool="cart")),
    (
        ToolRepaired(0, "repair-cart", 1, "cart"),
        Line(key=LineKey.TOOL_REPAIRED, seat=0, target=1, tool="cart", card="repair-cart"),
    ),
    (
        ToolRepaired(0, "repair-pickaxe-cart", 0, "cart"),
        Line(key=LineKey.OWN_TOOL_REPAIRED, seat=0, tool="cart", card="repair-pickaxe-cart"),
    ),
    (RockFell(0, "B5", "dead-b"), Line(key=LineKey.ROCK_FELL, seat=0, cell="B5", card="dead-b")),
    (Passed(0), Line(key=LineKey.PASSED, seat=0)),
    (
        ROUND_END_EVENT,
        Line(
            key=LineKey.ROUND_ENDED,
            round=2,
            ending="exhausted",
            side="saboteurs",
            roles=("digger", "saboteur", "digger"),
            aside="digger",
        ),
    ),
    (
        GameEnded((3, 4, 4), (1, 2)),
        Line(key=LineKey.GAME_ENDED, gold=(3, 4, 4), seats=(1, 2)),
    ),
    (SeatGivenUp(0), Line(key=LineKey.SEAT_GIVEN_UP, seat=0)),
    (SeatHandedOver(0), Line(key=LineKey.SEAT_HANDED_OVER, seat=0)),
    (GameShortened(2), Line(key=LineKey.GAME_SHORTENED, round=2)),
    (Rewound(5), Line(key=LineKey.REWOUND, to_seq=5)),
]
"""Events that read the same for every viewer."""

SECRET_EVENTS: list[tuple[Event, tuple[Line, ...], tuple[Line, ...]]] = [
    (
        GoalSeen(0, "I5", "treasure"),
        (Line(key=LineKey.GOAL_SEEN, seat=0, cell="I5", goal="treasure"),),
        (Line(key=LineKey.GOAL_LOOKED_AT, seat=0, cell="I5"),),
    ),
    (
        Discarded(0, "rockfall"),
        (Line(key=LineKey.CARD_DISCARDED, seat=0, card="rockfall"),),
        (Line(key=LineKey.DISCARDED, seat=0),),
    ),
    (Drawn(0, "map"), (Line(key=LineKey.CARD_DRAWN, seat=0, card="map"),), ()),
    (
        GoldDrawn(0, (3, 1)),
        (
            Line(key=LineKey.GOLD_DRAWN, seat=0, count=2),
            Line(key=LineKey.GOLD_HELD, seat=0, gold=(3, 1)),
        ),
        (Line(key=LineKey.GOLD_DRAWN, seat=0, count=2),),
    ),
    (
        GoldTaken(0, 3, 2),
        (Line(key=LineKey.GOLD_KEPT, seat=0, nuggets=3),),
        (Line(key=LineKey.GOLD_TAKEN, seat=0),),
    ),
    (
        PAID,
        (Line(key=LineKey.PAID_IN_CARDS, seat=0, nuggets=3, gold=(2, 1), overshot=(3,)),),
        (Line(key=LineKey.PAID, seat=0, nuggets=3),),
    ),
]
"""Events with the history entries of their own seat, and those of all other viewers."""

SILENT_EVENTS: list[Event] = [TurnBegan(0), GoldPassed(0, 1)]
"""Events without a history entry, because the view shows their effect."""


@pytest.mark.parametrize("viewer", [0, 1, 2, None])
@pytest.mark.parametrize("event,line", PUBLIC_EVENTS, ids=lambda value: type(value).__name__)
def test_public_event_reads_the_same_for_every_viewer(
    event: Event, line: Line, viewer: int | None
) -> None:
    assert narrate(event, viewer) == (line,)


@pytest.mark.parametrize(
    "event,own_lines,public_lines",
    SECRET_EVENTS,
    ids=[type(event).__name__ for event, _, _ in SECRET_EVENTS],
)
def test_secret_event_is_shown_only_to_its_own_seat_r26_r41_r52_e31(
    event: Event, own_lines: tuple[Line, ...], public_lines: tuple[Line, ...]
) -> None:
    assert narrate(event, 0) == own_lines
    assert narrate(event, 1) == narrate(event, 2) == narrate(event, None) == public_lines


@pytest.mark.parametrize(
    "event,own_lines",
    [(event, own_lines) for event, own_lines, _ in SECRET_EVENTS],
    ids=lambda value: type(value).__name__,
)
def test_opened_event_shows_its_secrets_to_every_viewer(
    event: Event, own_lines: tuple[Line, ...]
) -> None:
    assert {narrate(event, viewer, reveal_all=True) for viewer in (0, 1, None)} == {own_lines}


@pytest.mark.parametrize("viewer", [0, 1, 2])
def test_deal_shows_a_seat_its_own_role_and_hand_r3_e32(viewer: int) -> None:
    public_lines, own_lines = narrate(DEAL_EVENT, viewer)
    assert public_lines == Line(key=LineKey.ROUND_DEALT, round=2, seat=1)
    assert own_lines == Line(
        key=LineKey.ROLE_DEALT,
        seat=viewer,
        role=DEAL_EVENT.roles[viewer],
        cards=DEAL_EVENT.hands[viewer],
    )


def test_deal_shows_an_onlooker_only_that_a_round_began_r3() -> None:
    assert narrate(DEAL_EVENT, None) == (Line(key=LineKey.ROUND_DEALT, round=2, seat=1),)
    assert len(narrate(DEAL_EVENT, None, reveal_all=True)) == 4


@pytest.mark.parametrize("event", SILENT_EVENTS, ids=lambda event: type(event).__name__)
def test_silent_event_has_no_history_entry(event: Event) -> None:
    assert narrate(event, 0) == narrate(event, 1, reveal_all=True) == ()


def test_every_event_type_and_history_key_is_listed_above() -> None:
    events = [
        DEAL_EVENT,
        *(event for event, _ in PUBLIC_EVENTS),
        *(event for event, _, _ in SECRET_EVENTS),
        *SILENT_EVENTS,
    ]
    assert {type(event) for event in events} == set(get_args(Event))
    line_keys = {line.key for event in events for seat in (0, 1) for line in narrate(event, seat)}
    assert line_keys == set(LineKey)


def test_view_shows_gold_only_to_its_owner_r46() -> None:
    state = drawn_state("S", gold=((3,), (2, 1), ()))
    assert view_for(state, 1).gold == (None, (2, 1), None)
    assert view_for(state, None).gold == (None, None, None)


def test_house_rule_shows_gold_to_every_viewer_r46() -> None:
    state = drawn_state("S", gold=((3,), (2, 1), ()), house=HouseRules(open_gold=True))
    for seat in (0, 1, 2, None):
        assert view_for(state, seat).gold == ((3,), (2, 1), ())


def test_role_is_hidden_from_other_viewers_until_the_round_ends_r3_r33() -> None:
    state = drawn_state("S", roles="dsd")
    assert view_for(state, 1).role == "saboteur"
    assert view_for(state, 1).roles == (None, "saboteur", None)
    assert view_for(state, None).role is None
    assert view_for(state, None).roles == (None, None, None)


@pytest.mark.parametrize("seat", [-1, -3, 3, 10])
def test_view_of_a_missing_seat_raises_lookup_error(seat: int) -> None:
    with pytest.raises(LookupError):
        view_for(drawn_state("S"), seat)


def test_view_counts_the_deck_the_discards_and_the_hands() -> None:
    state = drawn_state("S", hand=["map"], deck=["map"] * 7, discards=("map", "rockfall"))
    view = view_for(state, 1)
    assert (view.deck_size, view.discard_count) == (7, 2)
    assert view.hand_sizes == tuple(map(len, state.hands))


def test_view_is_independent_of_the_gold_pile_r48() -> None:
    """The number of cards that saboteurs drew would reveal which cards they drew (E31)."""
    game, rng = InMemoryGame(seats=5), SeededRng(1)
    while not game.is_over:
        for seat in (0, None):
            without_pile = msgspec.structs.replace(game.state, pile=())
            assert view_for(game.state, seat) == view_for(without_pile, seat)
        game.play(mostly_digging_action(game.state, rng))


def test_repr_of_a_plan_shows_no_card() -> None:
    assert repr(Plan((Lay("path-trbl", "D5"), Discard("map")))) == "<Plan: 2>"
