"""What an empty cell asks of a card that is laid there, and how each card answers: tables in place of geometry."""

from typing import Final, TypeAlias

from engine.cards import CONNECTS_EDGES, EDGES, PATH_CARDS, SHAPES, TURNED, Card, Shape

EdgeMask: TypeAlias = int
"""What an empty cell asks of a card (R15), as twelve bits.

The low four are edges that must be open, the next four edges that must be wall; the last four (``FROM_START_MASK``) say through which
of the open ones a path from the start leads in.
"""

NO_EDGES: Final[EdgeMask] = 0
FROM_START_MASK: Final[EdgeMask] = 15 << 8

_FACES: Final[dict[Shape, EdgeMask]] = {
    shape: EDGES[shape] | (15 - EDGES[shape]) << 4 | EDGES[shape] << 8 for shape in SHAPES
}
"""The strictest demand that each laid card meets."""

REACHABLE_THROUGH: Final[dict[Shape, EdgeMask]] = {
    shape: EDGES[shape] << 8 if CONNECTS_EDGES[shape] else 0 for shape in SHAPES
}
"""Through which edges of each laid card a path can go on."""


def agrees(shape: Shape, demand: EdgeMask) -> bool:
    """Whether a card lying so agrees with all that is asked: open to open, wall to wall (R15)."""
    return _FACES[shape] & demand == demand


def _ways_to_lie(card: Card, demand: EdgeMask) -> tuple[bool, ...]:
    ways = (False,) if TURNED[card] == card else (False, True)
    return tuple(turned for turned in ways if agrees(TURNED[card] if turned else card, demand))


ORIENTATIONS: Final[dict[Card, tuple[tuple[bool, ...], ...]]] = {
    card: tuple(_ways_to_lie(card, demand) for demand in range(256)) * 16 for card in PATH_CARDS
}
"""How each path card can lie, by demand: as printed (False), turned (True), both or neither.

A card that looks alike both ways lies as printed only (R16, E35). Whether a path leads in decides nothing here: so all is said
sixteen times.
"""

COUNT_SHIFTS: Final = {card: number * 24 for number, card in enumerate(PATH_CARDS)}
COUNT_MASK: Final = (1 << 24) - 1
_WAYS: Final = tuple(
    sum(len(ORIENTATIONS[card][demand]) << column for card, column in COUNT_SHIFTS.items())
    for demand in range(256)
)
PLACEMENT_COUNTS: Final = _WAYS * 16
"""In how many ways each path card can lie, by demand: one number with a column for each card, so that one sum counts all."""
