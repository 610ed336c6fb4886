"""States built from a sketch of the mine, in the characters of the reference model's ``sketch``.

Light lines are path cards, heavy ones dead ends, double ones goals lying face up; ``$ a b`` are goals lying face down
(treasure, stone-tl, stone-tr).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.cards import (
    CARD_BY_SHAPE,
    DECK,
    GOALS,
    HAND_SIZES,
    START_SHAPE,
    Card,
    Goal,
    Role,
    Shape,
)
from engine.cells import GOAL_CELLS, Cell, label
from engine.mine import Mine
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.state import State
from tests.reference_model.sketch import read_sketch
from tests.support.engine.in_memory_game import dealt_state
from tests.support.engine.positions import DEFAULT_HOUSE


def drawn_state(
    drawing: str,
    rulebook: str = "en-2004",
    *,
    hand: Sequence[Card] = (),
    hands: Mapping[int, Sequence[Card]] | None = None,
    roles: str = "dds",
    turn: int = 0,
    house: HouseRules = DEFAULT_HOUSE,
    deck: Sequence[Card] | None = None,
    **changes: Any,
) -> State:
    """Return the state with the mine of a drawing; ``roles`` holds d or s for every seat, and so sets how many there are.

    ``hand`` is that of the seat on turn. The other hands, and the deck unless it is given, hold the remaining cards.
    A drawing may show more cards of a kind than the deck has; ``changes`` are other fields of the state.
    """
    mine, goals = _mine_and_goals(drawing, rulebook)
    dealt_position = dealt_state(rulebook, seats=len(roles), house=house)
    remaining_cards = _remaining_cards(
        mine, [*hand, *(card for held_hands in (hands or {}).values() for card in held_hands)]
    )
    held_hands = _all_hands(remaining_cards, len(roles), {turn: hand} | dict(hands or {}))
    changes = {
        "turn": turn,
        "last_turn": (turn - 1) % len(roles),
        "roles": tuple(_ROLES[role] for role in roles),
        "goals": goals,
        "mine": mine,
        "hands": held_hands,
        "deck": tuple(remaining_cards) if deck is None else tuple(deck),
        **changes,
    }
    return msgspec.structs.replace(dealt_position, **changes)


def last_cards_state(rulebook: str, cards: int = 1, roles: str = "dds", **changes: Any) -> State:
    """Return a state with an empty deck in which every seat holds a few maps; seat 0 is on turn."""
    hands = {seat: ["map"] * cards for seat in range(len(roles))}
    return drawn_state("S", rulebook, hands=hands, deck=[], roles=roles, **changes)


_ROLES: Final[dict[str, Role]] = {"d": "digger", "s": "saboteur"}


def _mine_and_goals(drawing: str, rulebook: str) -> tuple[Mine, tuple[Goal, ...]]:
    """Return the mine of a drawing, and the goals at the three goal places."""
    sketch = read_sketch(drawing)
    rules = RULEBOOKS[rulebook]
    laid = {
        label(x, y): _shape_of(edges, kind, joined=joined)
        for x, y, edges, joined, kind in sketch.laid
    }
    mine = Mine(
        continue_path=rules.continue_path,
        build_from_goal_alone=rules.build_from_goal_alone,
        laid=dict(sorted(laid.items(), key=lambda card: card[1] != START_SHAPE)),
    )
    face_down = {label(*cell): goal for cell, goal in sketch.face_down.items()}
    return mine, _all_goals(laid, face_down)


def _shape_of(edges: Iterable[str], kind: str, *, joined: bool) -> Shape:
    if kind == "start":
        return START_SHAPE
    edge_characters = "".join(side for side in "trbl" if side.upper() in set(edges))
    shape_prefix = "goal" if kind == "goal" else "path" if joined else "dead"
    return f"{shape_prefix}-{edge_characters}"


_FACE_UP_GOALS_BY_SHAPE: Final[dict[Shape, Goal]] = {
    "goal-trbl": "treasure",
    "goal-tl": "stone-tl",
    "goal-rb": "stone-tl",
    "goal-tr": "stone-tr",
    "goal-bl": "stone-tr",
}


def _all_goals(laid: Mapping[Cell, Shape], face_down: Mapping[Cell, str]) -> tuple[Goal, ...]:
    shown_goals = {cell: _FACE_UP_GOALS_BY_SHAPE[laid[cell]] for cell in GOAL_CELLS if cell in laid}
    known_goals: dict[Cell, Any] = {**face_down, **shown_goals}
    remaining_cards = [goal for goal in GOALS if goal not in known_goals.values()]
    return tuple(known_goals.get(cell) or remaining_cards.pop(0) for cell in GOAL_CELLS)


def _remaining_cards(mine: Mine, held_hands: Sequence[Card]) -> list[Card]:
    used_cards = [
        *held_hands,
        *(CARD_BY_SHAPE[shape] for shape in mine.laid.values() if shape in CARD_BY_SHAPE),
    ]
    return list((Counter(DECK) - Counter(used_cards)).elements())


def _all_hands(
    remaining_cards: list[Card], seats: int, held_hands: Mapping[int, Sequence[Card]]
) -> tuple[tuple[Card, ...], ...]:
    size = HAND_SIZES[seats]
    return tuple(
        tuple(held_hands[seat])
        if seat in held_hands
        else tuple(remaining_cards.pop() for _ in range(size))
        for seat in range(seats)
    )
