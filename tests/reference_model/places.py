"""Where a path card may be laid: R13-R16, E6, E9, E23-E25."""

from collections.abc import Collection

from tests.reference_model.cards import (
    OPPOSITE_EDGES,
    Cell,
    Edges,
    LaidCard,
    cell_of,
    edges_of,
    face_up_card_at,
    neighbour_cell,
    orientations,
)
from tests.reference_model.differences import (
    R13_MUST_CONTINUE_FROM_START,
    R14_PATH_CARD_MAY_TOUCH_ONLY_A_STONE,
)
from tests.reference_model.reaching import CellEdge, edges_joined_to_start, matches_neighbours

Placement = tuple[int, int, bool]


def legal_places(
    rulebook: str, laid: list[LaidCard], *, face_down_goals: Collection[Cell], card: str
) -> set[Placement]:
    """Return every (x, y, turned) at which the path card may be laid.

    A card that looks alike when turned is listed with ``turned=False`` only; see ``recorded_orientation``.
    """
    joined_cells = edges_joined_to_start(laid)
    return {
        (cell[0], cell[1], turned)
        for cell in _empty_cells_beside(laid, face_down_goals)
        for turned in orientations(card)
        if _may_be_placed(
            rulebook,
            laid,
            joined_cells=joined_cells,
            cell=cell,
            edges=edges_of(card, turned=turned),
        )
    }


def _empty_cells_beside(laid: list[LaidCard], face_down_goals: Collection[Cell]) -> set[Cell]:
    """Return the free cells next to a face-up card.

    Face-down goals occupy their cells but are no neighbours to build from (R14, E23).
    """
    neighbour_cells = {neighbour_cell(cell_of(card), edge) for card in laid for edge in "TRBL"}
    return neighbour_cells - {cell_of(card) for card in laid} - set(face_down_goals)


def _may_be_placed(
    rulebook: str, laid: list[LaidCard], *, joined_cells: set[CellEdge], cell: Cell, edges: Edges
) -> bool:
    """Return whether a card may lie in one cell, one way round.

    Every edge must match every face-up neighbour, disconnected and dead ones included; face-down
    goals require nothing (R15, E6, E24). Neighbour rulebooks require no more than that: a wall against a
    wall is enough (E23). The others require the card to continue a path from the start (R13, R25),
    and one of them not from goals alone (E25).
    """
    if not matches_neighbours(laid, cell, edges):
        return False
    if not R13_MUST_CONTINUE_FROM_START[rulebook]:
        return True
    continued_cards = _continued_cards(laid, joined_cells, cell=cell, edges=edges)
    if R14_PATH_CARD_MAY_TOUCH_ONLY_A_STONE[rulebook]:
        return bool(continued_cards)
    return any(kind != "goal" for (_, _, _, _, kind) in continued_cards)


def _continued_cards(
    laid: list[LaidCard], joined_cells: set[CellEdge], *, cell: Cell, edges: Edges
) -> list[LaidCard]:
    """Return the cards whose open edge, joined to the start, meets an open edge here (E24)."""
    neighbour_cards = [
        face_up_card_at(laid, neighbour_cell(cell, edge))
        for edge in sorted(edges)
        if (neighbour_cell(cell, edge), OPPOSITE_EDGES[edge]) in joined_cells
    ]
    return [card for card in neighbour_cards if card is not None]
