"""The cells that a picture of the mine shows, where the viewer can act there, and the card that is chosen but not laid yet."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from math import ceil
from typing import Final, NamedTuple

from markupsafe import escape

from engine.cards import GOAL_SHAPES, TURNED_SHAPES, Card, Goal, Shape
from engine.cells import START_CELL, Cell, position
from engine.mine import Mine
from engine.view import View
from webapp.picture.palette import Palette
from webapp.picture.symbols import shared, shared_at
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH, laid_card

GUTTER: Final = 26
"""The height of the largest labels of pages: those of phones (``.mine__labels`` in the style sheet)."""
_LABEL_SIZE: Final = 14
_GUTTERS: Final = 2
_WIDTH_BY_LARGE_LABEL: Final = 24
"""The width of a picture with large labels, as a multiple of their height: 11 pixels of 270 are left for them."""
_MOST_COLUMNS_ON_PHONE: Final = 10
"""The number of columns above which a phone scrolls sideways instead of shrinking the cells further."""
LEAST_SCALE: Final = 0.575
"""Pixels for each unit of a picture that scrolls: cells are 34 pixels wide then."""
_COLUMNS_SHOWN_AT_ONCE: Final = 9
"""The number of columns that a phone shows of a picture that scrolls."""
_FINGER: Final = 97
"""The width of a finger, 44 pixels, where the picture is smallest: ten columns on a phone of 320 pixels."""


class Place(NamedTuple):
    """A cell where the viewer can act; a link if it has an address. ``name`` is its accessible name."""

    cell: Cell
    name: str
    href: str | None = None
    chosen: bool = False


class Preview(NamedTuple):
    """A card that is chosen but not laid yet, or a stone (its goal) in the orientation that is chosen."""

    cell: Cell
    card: Card | Goal
    turned: bool = False


class Box(NamedTuple):
    """The range of cells in a picture, in mine coordinates with both ends included."""

    left: int
    top: int
    right: int
    bottom: int
    label_size: int = _LABEL_SIZE
    gutter: int = GUTTER
    """The room for the labels at each side."""

    def contains(self, x: int, y: int) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def corner(self, cell: Cell) -> tuple[int, int]:
        """Return the upper left corner of a cell in the picture."""
        x, y = position(cell)
        return self.gutter + (x - self.left) * CARD_WIDTH, self.gutter + (
            y - self.top
        ) * CARD_HEIGHT

    def with_large_labels(self) -> "Box":
        """Return the box for a picture that no style sheet adapts to phones: its labels grow with its width."""
        size = ceil(self.columns * CARD_WIDTH / (_WIDTH_BY_LARGE_LABEL - _GUTTERS))
        return self._replace(label_size=size, gutter=max(GUTTER, size + 1))

    @property
    def columns(self) -> int:
        return self.right - self.left + 1

    @property
    def is_wide(self) -> bool:
        return self.columns > _MOST_COLUMNS_ON_PHONE

    @property
    def size(self) -> tuple[int, int]:
        rows = self.bottom - self.top + 1
        return self.columns * CARD_WIDTH + 2 * self.gutter, rows * CARD_HEIGHT + 2 * self.gutter


_EMPTY_MINE_BOX: Final = Box(0, -2, 8, 2)
"""Start and goals (R4): always in the picture."""


def draw_preview(preview: Preview, palette: Palette) -> str:
    """Draw the chosen card as it would lie, in a box of 60 by 80."""
    return _preview_of(_shape_of(preview), palette)


def _shape_of(preview: Preview) -> Shape:
    for goal, shapes in GOAL_SHAPES.items():
        if preview.card == goal:
            return shapes[preview.turned]
    return TURNED_SHAPES[preview.card] if preview.turned else preview.card


@cache
def _preview_of(shape: Shape, palette: Palette) -> str:
    return (
        f'<g opacity=".86">{_lit_card(shape, palette)}</g>'
        f'<rect x="2" y="2" width="56" height="76" rx="5" fill="none" stroke="{palette.place}"'
        ' stroke-width="4" stroke-dasharray="9 5"/>'
    )


def _lit_card(shape: Shape, palette: Palette) -> str:
    """Draw the card as in the hand; stones are in no hand."""
    draw = partial(laid_card, shape, is_lit=True)
    is_goal = shape.startswith("goal-")
    return draw(palette) if is_goal else shared(f"card-{shape}", draw, palette)


def opening_column(view: View, places: Sequence[Place] = (), preview: Preview | None = None) -> int:
    """Return where a picture that is too wide for a phone opens, in per cent of its width; 0 if it is not too wide.

    It opens at the newest card, so that it stays where it is while a card is chosen, or else at the chosen cell.
    """
    box = visible_box(view, places, preview)
    if not box.is_wide:
        return 0
    newest_cell = view.last_laid or START_CELL
    chosen_cells = [place.cell for place in places if place.chosen] or _preview_cells(preview)
    hidden_cells = [cell for cell in chosen_cells if not _are_seen_together(cell, newest_cell)]
    left, _ = box.corner((*hidden_cells, newest_cell)[0])
    width, _ = box.size
    return round(100 * left / width)


def _are_seen_together(cell: Cell, middle_cell: Cell) -> bool:
    (x, _), (middle_x, _) = position(cell), position(middle_cell)
    return abs(x - middle_x) <= _COLUMNS_SHOWN_AT_ONCE // 2


def visible_box(view: View, places: Sequence[Place], preview: Preview | None) -> Box:
    """Return the cells in the picture, with those where the next card may go: so it stays as it is while one is chosen."""
    return _box_around(
        [
            *view.mine.laid,
            *(() if view.winners else view.mine.open_cells),
            *(place.cell for place in places),
            *_preview_cells(preview),
        ]
    )


def finished_box(mine: Mine) -> Box:
    """Return the cells in the picture of a mine in which no more cards are laid."""
    return _box_around(mine.laid)


def _preview_cells(preview: Preview | None) -> list[Cell]:
    return [] if preview is None else [preview.cell]


def _box_around(cells: Iterable[Cell]) -> Box:
    positions = [position(cell) for cell in cells]
    columns, rows = [x for x, _ in positions], [y for _, y in positions]
    return Box(
        min(_EMPTY_MINE_BOX.left, *columns),
        min(_EMPTY_MINE_BOX.top, *rows),
        max(_EMPTY_MINE_BOX.right, *columns),
        max(_EMPTY_MINE_BOX.bottom, *rows),
    )


def draw_places(
    places: Sequence[Place], box: Box, palette: Palette, *, covered_cells: Collection[Cell]
) -> str:
    """Draw the mark of every place: on a card that can be picked only a frame, so that the card can be seen."""
    if not places:
        return ""
    positions = {position(place.cell) for place in places}
    marks = "".join(
        _linked(
            place,
            _target(place.cell, positions, box)
            + _mark(place, box, palette, is_covered=place.cell in covered_cells),
        )
        for place in places
    )
    names = _names(places, box, palette, covered_cells=covered_cells)
    return _mark_group(marks, palette) + names


def draw_free_place(cell: Cell, palette: Palette) -> str:
    """Draw the mark of one empty cell in a box of 60 by 80."""
    name = _name_group(f'<text x="30" y="40">{cell}</text>', palette)
    return _mark_group(empty_place_mark(palette), palette) + name


def _mark_group(marks: str, palette: Palette) -> str:
    return (
        f'<g fill="{palette.place}" fill-opacity=".14" stroke="{palette.place}" stroke-width="2.5"'
        f' stroke-dasharray="6 4">{marks}</g>'
    )


def _linked(place: Place, mark: str) -> str:
    """Return the mark as the link of its place."""
    if place.href is None:
        return mark
    current_attribute = ' aria-current="true"' if place.chosen else ""
    return f'<a class="mine__place" href="{escape(place.href)}" aria-label="{escape(place.name)}"{current_attribute}>{mark}</a>'


def _target(cell: Cell, positions: set[tuple[int, int]], box: Box) -> str:
    """Draw what a finger has to hit: the cell, grown to the middle of neighbours that are no places, so that targets never overlap.

    Invisible on pages, and only there: ``.mine__place`` in the style sheet.
    """
    (column, row), (x, y), size = position(cell), box.corner(cell), box.size

    def room(length: int, edge: int, *neighbours: tuple[int, int]) -> int:
        is_free = positions.isdisjoint((column + dx, row + dy) for dx, dy in neighbours)
        return min(length // 2, edge) if is_free else 0

    west = room(CARD_WIDTH, x, (-1, 0))
    east = room(CARD_WIDTH, size[0] - x - CARD_WIDTH, (1, 0))
    north = room(CARD_HEIGHT, y, (-1, -1), (0, -1), (1, -1))
    south = room(CARD_HEIGHT, size[1] - y - CARD_HEIGHT, (-1, 1), (0, 1), (1, 1))
    left, right = _growth(_FINGER - CARD_WIDTH, west, east)
    top, bottom = _growth(_FINGER - CARD_HEIGHT, north, south)
    width, height = left + CARD_WIDTH + right, top + CARD_HEIGHT + bottom
    return f'<path d="M{x - left} {y - top}h{width}v{height}h-{width}"/>'


def _growth(needed: int, room_before: int, room_after: int) -> tuple[int, int]:
    """Return how far a target grows in both directions: the same, if there is room for it."""
    before = min(room_before, max(needed // 2, needed - room_after))
    return before, min(room_after, needed - before)


def _mark(place: Place, box: Box, palette: Palette, *, is_covered: bool) -> str:
    corner = box.corner(place.cell)
    if place.chosen:
        return shared_at(corner, "place-chosen", chosen_place_mark, palette)
    if is_covered:
        return shared_at(corner, "place-card", card_place_mark, palette)
    return shared_at(corner, "place", empty_place_mark, palette)


def _names(
    places: Sequence[Place], box: Box, palette: Palette, *, covered_cells: Collection[Cell]
) -> str:
    """Write the names of empty cells, over the links: their texts do not repeat what is the same for all."""
    texts = "".join(_name_texts(places, box, covered_cells))
    return _name_group(texts, palette) if texts else ""


def _name_group(texts: str, palette: Palette) -> str:
    return (
        f'<g class="mine__place-name" aria-hidden="true" pointer-events="none" fill="{palette.place}" font-family="{escape(palette.font)}"'
        f' font-size="18" font-weight="700" text-anchor="middle" dominant-baseline="central">{texts}</g>'
    )


def _name_texts(
    places: Sequence[Place], box: Box, covered_cells: Collection[Cell]
) -> Iterator[str]:
    for place in places:
        if not place.chosen and place.cell not in covered_cells:
            x, y = box.corner(place.cell)
            yield f'<text x="{x + 30}" y="{y + 40}">{place.cell}</text>'


def empty_place_mark(_palette: Palette) -> str:
    """Draw the frame of an empty cell; its colours and dashes are those of all places, so that a focused link changes them."""
    return '<rect x="3" y="3" width="54" height="74" rx="5"/>'


def card_place_mark(palette: Palette) -> str:
    """Draw a frame around a card that can be picked, and nothing on it."""
    return (
        f'<rect x="3" y="3" width="54" height="74" rx="5" fill-opacity="0" stroke="{palette.place_label}" stroke-width="6.5" stroke-dasharray="none"/>'
        '<rect x="3" y="3" width="54" height="74" rx="5" fill-opacity="0"/>'
    )


def chosen_place_mark(palette: Palette) -> str:
    """Draw a frame and a tick, without a label, because the card itself is shown here."""
    return (
        '<rect x="2" y="2" width="56" height="76" rx="5" fill-opacity="0"/>'
        '<circle cx="48" cy="68" r="11" fill-opacity="1" stroke="none"/>'
        f'<path d="M43 68l4 4 7-8" fill="none" stroke="{palette.place_label}" stroke-width="3"'
        ' stroke-dasharray="none" stroke-linecap="round" stroke-linejoin="round"/>'
    )
