"""The edges that an empty cell requires of a path card, and how each card meets them, as precomputed tables."""

from typing import Final, TypeAlias

from engine.cards import CONNECTS_EDGES, EDGES, PATH_CARDS, SHAPES, TURNED_SHAPES, Card, Shape

EdgeMask: TypeAlias = int
"""The edges that an empty cell requires of a card (R15), as twelve bits.

The low four bits are edges that must be open, the next four are edges that must be wall. The high four bits (``PATH_BITS``)
are those of the open edges through which a path from the start leads into the cell.
"""

NO_REQUIREMENT: Final[EdgeMask] = 0
PATH_BITS: Final[EdgeMask] = 15 << 8

_STRICTEST_MASKS: Final[dict[Shape, EdgeMask]] = {
    shape: EDGES[shape] | (15 - EDGES[shape]) << 4 | EDGES[shape] << 8 for shape in SHAPES
}
"""The strictest mask that each shape meets."""

PATH_ENTRIES: Final[dict[Shape, EdgeMask]] = {
    shape: EDGES[shape] << 8 if CONNECTS_EDGES[shape] else 0 for shape in SHAPES
}
"""The ``PATH_BITS`` through which a path can enter each shape and continue; none for a dead end."""


def matches_mask(shape: Shape, mask: EdgeMask) -> bool:
    """Return whether the edges of a shape agree with a mask: open to open, wall to wall (R15)."""
    return _STRICTEST_MASKS[shape] & mask == mask


def _orientations(card: Card, mask: EdgeMask) -> tuple[bool, ...]:
    possible_orientations = (False,) if TURNED_SHAPES[card] == card else (False, True)
    return tuple(
        turned
        for turned in possible_orientations
        if matches_mask(TURNED_SHAPES[card] if turned else card, mask)
    )


ORIENTATIONS: Final[dict[Card, tuple[tuple[bool, ...], ...]]] = {
    card: tuple(_orientations(card, mask) for mask in range(256)) * 16 for card in PATH_CARDS
}
"""How each path card fits, indexed by edge mask: as printed (False), turned (True), both ways or not at all.

A card that looks the same both ways is listed as printed only (R16, E35). The ``PATH_BITS`` do not matter here, so the 256
entries are repeated for each of their 16 values.
"""

COUNT_SHIFTS: Final = {card: number * 24 for number, card in enumerate(PATH_CARDS)}
"""The position of each path card's 24 bits in a number of ``PLACEMENT_COUNTS``."""
COUNT_MASK: Final = (1 << 24) - 1
_PLACEMENT_COUNTS_BY_EDGES: Final = tuple(
    sum(len(ORIENTATIONS[card][mask]) << bit_shift for card, bit_shift in COUNT_SHIFTS.items())
    for mask in range(256)
)
PLACEMENT_COUNTS: Final = _PLACEMENT_COUNTS_BY_EDGES * 16
"""The number of orientations of every path card, indexed by edge mask; one sum over cells counts them for all cards.

Read the count of one card with ``number >> COUNT_SHIFTS[card] & COUNT_MASK``.
"""
