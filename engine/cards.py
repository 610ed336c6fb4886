"""The card catalogue: the code of every card, its open edges, and how many copies there are.

A card is a short text code, the same in memory, on the wire and in the game file: ``path-trb`` is the path card open to the
top, right and bottom. The code of a *laid* card gives its edges as they lie, so ``path-trb`` turned by 180 degrees lies as
``path-tbl``, and the mine is a plain map from cells to such codes. Edges are bit masks (T=1, R=2, B=4, L=8).
"""

from typing import Final, Literal, TypeAlias

Card: TypeAlias = str
"""A card of the draw deck, as printed: ``path-trb``, ``dead-l``, ``break-cart``, ``map`` ..."""
Shape: TypeAlias = str
"""A laid card as it lies: ``start``, ``path-tbl``, ``dead-r``, ``goal-treasure``, ``goal-tl`` ..."""

Role: TypeAlias = Literal["digger", "saboteur"]
Tool: TypeAlias = Literal["pickaxe", "lantern", "cart"]
Goal: TypeAlias = Literal["treasure", "stone-tl", "stone-tr"]

ROLES: Final[tuple[Role, Role]] = ("saboteur", "digger")
TOOLS: Final[tuple[Tool, ...]] = ("pickaxe", "lantern", "cart")
GOALS: Final[tuple[Goal, ...]] = ("treasure", "stone-tl", "stone-tr")

TOP, RIGHT, BOTTOM, LEFT = 1, 2, 4, 8
SIDES: Final = (TOP, RIGHT, BOTTOM, LEFT)
_EDGE_CODES: Final = "trbl"
OPPOSITE_SIDE: Final = {TOP: BOTTOM, RIGHT: LEFT, BOTTOM: TOP, LEFT: RIGHT}

START_SHAPE: Final = "start"
ROCKFALL: Final = "rockfall"
MAP: Final = "map"

PATH_CARDS: Final[dict[Card, int]] = {
    "path-trbl": 5,
    "path-trb": 5,
    "path-rbl": 5,
    "path-tb": 4,
    "path-rl": 3,
    "path-tr": 5,
    "path-rb": 4,
    "dead-b": 1,
    "dead-l": 1,
    "dead-tb": 1,
    "dead-rl": 1,
    "dead-tr": 1,
    "dead-rb": 1,
    "dead-trb": 1,
    "dead-rbl": 1,
    "dead-trbl": 1,
}
"""The number of copies of each path card in the draw deck: 40 in all."""

BREAKS: Final[dict[Card, Tool]] = {f"break-{tool}": tool for tool in TOOLS}
"""The tool broken by each broken-tool card (R17)."""

REPAIRS: Final[dict[Card, tuple[Tool, ...]]] = {
    "repair-pickaxe": ("pickaxe",),
    "repair-lantern": ("lantern",),
    "repair-cart": ("cart",),
    "repair-pickaxe-lantern": ("pickaxe", "lantern"),
    "repair-pickaxe-cart": ("pickaxe", "cart"),
    "repair-lantern-cart": ("lantern", "cart"),
}
"""Each repair card repairs one of its tools (R21-R23)."""

ACTION_CARDS: Final[dict[Card, int]] = (
    dict.fromkeys(BREAKS, 3)
    | {card: 2 if len(tools) == 1 else 1 for card, tools in REPAIRS.items()}
    | {ROCKFALL: 3, MAP: 6}
)
"""The number of copies of each action card in the draw deck: 27 in all."""

DECK: Final[tuple[Card, ...]] = tuple(
    card for card, count in (PATH_CARDS | ACTION_CARDS).items() for _ in range(count)
)
"""The whole draw deck in catalogue order, 67 cards. Shuffles start from this order; it never changes."""

GOLD_CARDS: Final[tuple[int, ...]] = (1,) * 16 + (2,) * 8 + (3,) * 4
"""The gold pile in catalogue order: 28 cards, 44 nuggets. Shuffles start from this order; it never changes."""

HAND_SIZES: Final = {3: 6, 4: 6, 5: 6, 6: 5, 7: 5, 8: 4, 9: 4, 10: 4}
"""The number of cards in a hand, by number of players (R5)."""

SABOTEUR_COUNTS: Final = {3: 1, 4: 1, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 4}
"""The number of saboteurs in the role pile, by number of players (R2)."""


def role_pile(players: int) -> tuple[Role, ...]:
    """Return the role cards for a number of players: one more than there are players (R2), saboteurs first.

    Raises KeyError for a number of players other than 3 to 10.
    """
    saboteur, digger = ROLES
    saboteurs = SABOTEUR_COUNTS[players]
    return (saboteur,) * saboteurs + (digger,) * (players + 1 - saboteurs)


def _edges(codes: str) -> int:
    return sum(side for side, code in zip(SIDES, _EDGE_CODES, strict=True) if code in codes)


def _edge_codes(edges: int) -> str:
    return "".join(code for side, code in zip(SIDES, _EDGE_CODES, strict=True) if edges & side)


def _turn_edges(edges: int) -> int:
    """Return the edge mask after a turn by 180 degrees: T and B swap, R and L swap (R16)."""
    return (edges << 2 | edges >> 2) & 15


def _turned_shape(card: Card) -> Shape:
    family, _, codes = card.partition("-")
    return f"{family}-{_edge_codes(_turn_edges(_edges(codes)))}"


TURNED_SHAPES: Final[dict[Card, Shape]] = {card: _turned_shape(card) for card in PATH_CARDS}
"""The shape of each path card turned by 180 degrees; a card that looks the same both ways maps to itself (E35)."""

CARD_BY_SHAPE: Final[dict[Shape, Card]] = {shape: card for card, shape in TURNED_SHAPES.items()} | {
    card: card for card in PATH_CARDS
}
"""The printed card for every laid path card: a rockfall puts it into the discards (R24)."""

GOAL_SHAPES: Final[dict[Goal, tuple[Shape, Shape]]] = {
    "treasure": ("goal-trbl", "goal-trbl"),
    "stone-tl": ("goal-tl", "goal-rb"),
    "stone-tr": ("goal-tr", "goal-bl"),
}
"""The two shapes of each goal lying face up: as printed, and turned by 180 degrees."""

SHAPES: Final[tuple[Shape, ...]] = (
    START_SHAPE,
    *CARD_BY_SHAPE,
    *dict.fromkeys(shape for shapes in GOAL_SHAPES.values() for shape in shapes),
)
"""Every shape that a laid card can have."""

EDGES: Final[dict[Shape, int]] = {
    shape: 15 if shape == START_SHAPE else _edges(shape.partition("-")[2]) for shape in SHAPES
}
"""The open edges of every shape, as a bit mask."""

CONNECTS_EDGES: Final[dict[Shape, bool]] = {
    shape: not shape.startswith("dead-") for shape in SHAPES
}
"""Whether the open edges of a shape connect through its middle; in a dead end none do (E27)."""
