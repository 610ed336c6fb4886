"""The mine in a few hundred bytes, for lists of games: which cells hold cards and where the tunnels run, without any symbol.

It is drawn from what everyone at the table sees. The row beside it has the facts as text, so the picture has no name.
"""

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, TOP, Shape
from engine.cells import GOAL_CELLS, Cell, position
from engine.mine import Mine
from webapp.picture.palette import Palette

_WIDTH: Final = 6
_HEIGHT: Final = 8
_LEAST_COLUMNS: Final = (0, 8)
_LEAST_ROWS: Final = (-2, 2)
_ARMS: Final = {TOP: "v-4", RIGHT: "h3", BOTTOM: "v4", LEFT: "h-3"}
_STUBS: Final = {TOP: "m0-4v2", RIGHT: "m3 0h-1", BOTTOM: "m0 4v-2", LEFT: "m-3 0h1"}


def draw_thumbnail(mine: Mine, palette: Palette) -> Markup:
    """Return the picture of a mine, its lit tunnels in another colour than the others."""
    lit, unlit = (
        _tunnels(card for card in mine.laid.items() if _is_lit(card, mine) == is_lit)
        for is_lit in (True, False)
    )
    goals = "".join(_card(cell) for cell in GOAL_CELLS if cell not in mine.laid)
    return Markup(  # noqa: S704 - made of numbers and of colours of the palette
        f'<svg class="thumbnail" viewBox="{_view_box(mine.laid)}" aria-hidden="true" focusable="false">'
        f'<path fill="{palette.rock}" d="{"".join(map(_card, mine.laid))}"/>'
        f'<path fill="{palette.goal_card_back}" d="{goals}"/>'
        f'<g fill="none" stroke-width="2"><path stroke="{palette.unlit_floor}" d="{unlit}"/>'
        f'<path stroke="{palette.lit_floor}" d="{lit}"/></g></svg>'
    )


def _is_lit(card: tuple[Cell, Shape], mine: Mine) -> bool:
    cell, shape = card
    return CONNECTS_EDGES[shape] and cell not in mine.disconnected


def _view_box(cells: Iterable[Cell]) -> str:
    positions = [position(cell) for cell in cells]
    left = min(_LEAST_COLUMNS[0], *(x for x, _ in positions))
    right = max(_LEAST_COLUMNS[1], *(x for x, _ in positions))
    top = min(_LEAST_ROWS[0], *(y for _, y in positions))
    bottom = max(_LEAST_ROWS[1], *(y for _, y in positions))
    width, height = (right - left + 1) * _WIDTH, (bottom - top + 1) * _HEIGHT
    return f"{left * _WIDTH} {top * _HEIGHT} {width} {height}"


def _card(cell: Cell) -> str:
    x, y = position(cell)
    return f"M{x * _WIDTH} {y * _HEIGHT}h5.6v7.6h-5.6z"


def _tunnels(cards: Iterable[tuple[Cell, Shape]]) -> str:
    return "".join(_tunnel(cell, shape) for cell, shape in cards)


def _tunnel(cell: Cell, shape: Shape) -> str:
    """Return the lines from the middle of a card to its open sides; of a dead end only their outer halves."""
    x, y = position(cell)
    middle = f"M{x * _WIDTH + 3} {y * _HEIGHT + 4}"
    lines = _ARMS if CONNECTS_EDGES[shape] else _STUBS
    return "".join(middle + line for side, line in lines.items() if EDGES[shape] & side)
