"""The cards, listed one by one: section 1 of the rulebooks.

A cell is ``(x, y)``: x grows to the right, y grows downwards. Edges are the characters T R B L.
A laid card is ``(x, y, open edges, joined, kind)`` with kind ``start``, ``path`` or ``goal``
(a goal that lies face up); ``joined`` says whether its open edges meet in the middle.
"""

Cell = tuple[int, int]
Edges = frozenset[str]
LaidCard = tuple[int, int, Edges, bool, str]

OPPOSITE_EDGES = {"T": "B", "B": "T", "R": "L", "L": "R"}
EDGE_OFFSETS = {"T": (0, -1), "B": (0, 1), "R": (1, 0), "L": (-1, 0)}

GOAL_CELLS: tuple[Cell, ...] = ((8, -2), (8, 0), (8, 2))

PATH_CARD_COUNTS = {
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
BREAKS = {"break-pickaxe": 3, "break-lantern": 3, "break-cart": 3}
REPAIRS = {
    "repair-pickaxe": 2,
    "repair-lantern": 2,
    "repair-cart": 2,
    "repair-pickaxe-lantern": 1,
    "repair-pickaxe-cart": 1,
    "repair-lantern-cart": 1,
}
DECK = PATH_CARD_COUNTS | BREAKS | REPAIRS | {"rockfall": 3, "map": 6}

GOALS = {
    "treasure": frozenset("TRBL"),
    "stone-tl": frozenset("TL"),
    "stone-tr": frozenset("TR"),
}
GOLD = {1: 16, 2: 8, 3: 4}

SABOTEUR_COUNTS = {3: 1, 4: 1, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 4}
DIGGER_COUNTS = {3: 3, 4: 4, 5: 4, 6: 5, 7: 5, 8: 6, 9: 7, 10: 7}
HAND_SIZES = {3: 6, 4: 6, 5: 6, 6: 5, 7: 5, 8: 4, 9: 4, 10: 4}


def printed_edges(code: str) -> Edges:
    """Return the open edges of a path card or a goal as it is printed."""
    if code in GOALS:
        return GOALS[code]
    return frozenset(code.split("-")[1].upper())


def edges_of(code: str, *, turned: bool) -> Edges:
    """Return the open edges of a card held this way round: by 180 degrees, never by 90 (R16)."""
    edges = printed_edges(code)
    return frozenset(OPPOSITE_EDGES[edge] for edge in edges) if turned else edges


def is_joined(code: str) -> bool:
    """Tell whether the open edges meet in the middle: nothing is joined on a dead end."""
    return not code.startswith("dead-")


def orientations(code: str) -> tuple[bool, ...]:
    """Return the values of ``turned`` that make a difference."""
    is_symmetric = edges_of(code, turned=True) == edges_of(code, turned=False)
    return (False,) if is_symmetric else (False, True)


def recorded_orientation(code: str, *, turned: bool) -> bool:
    """Return the ``turned`` that is written down: a card the same both ways lies as printed (E35)."""
    return turned in orientations(code) and turned


def tools_of(code: str) -> tuple[str, ...]:
    """Return the tools a break or repair card names: ``repair-lantern-cart`` names two."""
    return tuple(code.split("-")[1:])


def neighbour_cell(cell: Cell, edge: str) -> Cell:
    """Return the cell on the other side of an edge."""
    return (cell[0] + EDGE_OFFSETS[edge][0], cell[1] + EDGE_OFFSETS[edge][1])


def cell_of(card: LaidCard) -> Cell:
    """Return where a laid card lies."""
    return (card[0], card[1])


def face_up_card_at(laid: list[LaidCard], cell: Cell) -> LaidCard | None:
    """Return the face-up card on a cell."""
    for card in laid:
        if cell_of(card) == cell:
            return card
    return None
