"""The mine as a picture: laid cards, goals, the places of possible actions and a preview of the chosen card."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from markupsafe import Markup, escape

from engine.cards import GOAL_SHAPES, TURNED_SHAPES, Card, Goal, Shape
from engine.cells import GOAL_CELLS, Cell, label, position
from engine.view import View
from webapp.i18n import Language
from webapp.picture.cards import face_down_goal_picture, undecided_stone
from webapp.picture.palette import Palette
from webapp.picture.symbols import picture_at
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH, laid_card
from webapp.wording.mine import mine_description, mine_title

_GUTTER: Final = 22
_NARROW_COLUMNS: Final = 4
_WIDE_COLUMNS: Final = 12
"""With this many columns or more, a phone scrolls sideways instead of shrinking the cells further."""


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


class _Box(NamedTuple):
    """The range of cells in a picture, in mine coordinates with both ends included, and the margin for labels."""

    left: int
    top: int
    right: int
    bottom: int
    gutter: int = _GUTTER

    def contains(self, x: int, y: int) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def corner(self, cell: Cell) -> tuple[int, int]:
        """Return the upper left corner of a cell in the picture."""
        x, y = position(cell)
        return self.gutter + (x - self.left) * CARD_WIDTH, self.gutter + (
            y - self.top
        ) * CARD_HEIGHT

    @property
    def size(self) -> tuple[int, int]:
        columns, rows = self.right - self.left + 1, self.bottom - self.top + 1
        return columns * CARD_WIDTH + 2 * self.gutter, rows * CARD_HEIGHT + 2 * self.gutter


_EMPTY_MINE_BOX: Final = _Box(0, -2, 8, 2)
"""Start and goals (R4): always in the picture."""


def draw_mine(
    view: View,
    palette: Palette,
    *,
    language: Language,
    places: Sequence[Place] = (),
    preview: Preview | None = None,
    id_prefix: str = "mine",
) -> Markup:
    """Draw the whole mine as this view knows it. ``id_prefix`` must differ between pictures on one page.

    With links among the places, the root is a group that holds the drawing as an image, because an image hides its children.
    """
    visible_box = _box_around(
        [*view.mine.laid, *(place.cell for place in places), *_preview_cells(preview)]
    )
    drawing = (
        _ground_picture(visible_box, palette)
        + "".join(_card_pictures(view, visible_box, palette))
        + _preview_picture(preview, visible_box, palette)
    )
    place_marks = "".join(_place_picture(place, visible_box, palette) for place in places)
    description = _description_element(
        id_prefix, mine_title(view, language), mine_description(view, language)
    )
    return _svg(drawing, place_marks, visible_box, description=description, id_prefix=id_prefix)


def draw_surroundings(
    view: View, cell: Cell, palette: Palette, *, language: Language, id_prefix: str
) -> Markup:
    """Draw the cell and its eight neighbours: the small picture beside a line of the history."""
    x, y = position(cell)
    visible_box = _Box(x - 1, y - 1, x + 1, y + 1, gutter=_NARROW_COLUMNS)
    drawing = _ground_picture(visible_box, palette) + "".join(
        _card_pictures(view, visible_box, palette)
    )
    title = language.gettext("Around %(cell)s, as it is now", cell=cell)
    return _svg(
        drawing,
        "",
        visible_box,
        description=_description_element(id_prefix, title),
        id_prefix=id_prefix,
    )


def _preview_cells(preview: Preview | None) -> tuple[Cell, ...]:
    return () if preview is None else (preview.cell,)


def _box_around(cells: Iterable[Cell]) -> _Box:
    positions = [position(cell) for cell in cells]
    columns, rows = [x for x, _ in positions], [y for _, y in positions]
    return _Box(
        min(_EMPTY_MINE_BOX.left, *columns),
        min(_EMPTY_MINE_BOX.top, *rows),
        max(_EMPTY_MINE_BOX.right, *columns),
        max(_EMPTY_MINE_BOX.bottom, *rows),
    )


@cache
def _ground_picture(visible_box: _Box, palette: Palette) -> str:
    width, height = visible_box.size
    labels = "" if visible_box.gutter < _GUTTER else "".join(_label_texts(visible_box))
    return (
        f'<rect width="{width}" height="{height}" rx="10" fill="{palette.earth}"/>'
        f'<path d="{_grid_lines(visible_box)}" fill="none" stroke="{palette.grid}" stroke-width="1"/>'
        f'<g fill="{palette.label}" font-family="{escape(palette.font)}" font-size="14" text-anchor="middle">'
        f"{labels}</g>"
    )


def _grid_lines(visible_box: _Box) -> str:
    width, height = visible_box.size
    gutter = visible_box.gutter
    vertical_lines = "".join(
        f"M{x} {gutter}V{height - gutter}" for x in range(gutter, width, CARD_WIDTH)
    )
    horizontal_lines = "".join(
        f"M{gutter} {y}H{width - gutter}" for y in range(gutter, height, CARD_HEIGHT)
    )
    return vertical_lines + horizontal_lines


def _label_texts(visible_box: _Box) -> Iterator[str]:
    width, height = visible_box.size
    for x in range(visible_box.left, visible_box.right + 1):
        middle = _GUTTER + (x - visible_box.left) * CARD_WIDTH + CARD_WIDTH / 2
        column = label(x, 0).removesuffix("5")
        yield from (_text_element(middle, y, column) for y in (16, height - 6))
    for y in range(visible_box.top, visible_box.bottom + 1):
        middle = _GUTTER + (y - visible_box.top) * CARD_HEIGHT + CARD_HEIGHT / 2 + 5
        row = label(0, y).removeprefix("A")
        yield from (_text_element(x, middle, row) for x in (11, width - 11))


def _text_element(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{text}</text>'


def _card_pictures(view: View, visible_box: _Box, palette: Palette) -> Iterator[str]:
    for index, cell in enumerate(GOAL_CELLS):
        if cell not in view.mine.laid and visible_box.contains(*position(cell)):
            yield picture_at(*visible_box.corner(cell), _goal_picture(view, index, palette))
    reached_cells = view.mine.reached_cells
    for cell, shape in view.mine.laid.items():
        if visible_box.contains(*position(cell)):
            yield _laid_card_picture(
                cell, shape, visible_box, palette, is_lit=cell in reached_cells
            )
    if view.last_laid is not None and visible_box.contains(*position(view.last_laid)):
        yield picture_at(*visible_box.corner(view.last_laid), _last_card_mark(palette))


def _goal_picture(view: View, index: int, palette: Palette) -> str:
    """Draw a goal outside the mine: face down, or a stone whose orientation is still to be chosen."""
    if view.turned[index] and not view.winners:
        return undecided_stone(palette)
    return face_down_goal_picture(view.goals[index], palette)


@cache
def _laid_card_picture(
    cell: Cell, shape: Shape, visible_box: _Box, palette: Palette, *, is_lit: bool
) -> str:
    return picture_at(*visible_box.corner(cell), laid_card(shape, palette, is_lit=is_lit))


@cache
def _last_card_mark(palette: Palette) -> str:
    """Draw brackets around the corners, leaving tunnels open, and a small flag."""
    return (
        '<path d="M2 22V7q0-5 5-5h10M43 2h10q5 0 5 5v15M58 58v15q0 5-5 5h-10M17 78H7q-5 0-5-5v-15"'
        f' fill="none" stroke="{palette.last_card_frame}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="M60 1v20L40 1z" fill="{palette.last_card_frame}"/>'
    )


def _preview_picture(preview: Preview | None, visible_box: _Box, palette: Palette) -> str:
    if preview is None:
        return ""
    return picture_at(*visible_box.corner(preview.cell), _preview_of(_shape_of(preview), palette))


def _shape_of(preview: Preview) -> Shape:
    for goal, shapes in GOAL_SHAPES.items():
        if preview.card == goal:
            return shapes[preview.turned]
    return TURNED_SHAPES[preview.card] if preview.turned else preview.card


@cache
def _preview_of(shape: Shape, palette: Palette) -> str:
    return (
        f'<g opacity=".78">{laid_card(shape, palette, is_lit=True)}</g>'
        f'<rect x="2" y="2" width="56" height="76" rx="5" fill="none" stroke="{palette.place}"'
        ' stroke-width="4" stroke-dasharray="9 5"/>'
    )


def _place_picture(place: Place, visible_box: _Box, palette: Palette) -> str:
    linked_picture = picture_at(
        *visible_box.corner(place.cell), _place_mark(place.cell, palette, chosen=place.chosen)
    )
    if place.href is None:
        return linked_picture
    current_attribute = ' aria-current="true"' if place.chosen else ""
    return f'<a class="mine__place" href="{escape(place.href)}" aria-label="{escape(place.name)}"{current_attribute}>{linked_picture}</a>'


@cache
def _place_mark(cell: Cell, palette: Palette, *, chosen: bool) -> str:
    if chosen:
        return _chosen_place_mark(palette)
    width = 14 + 10 * len(cell)
    return (
        f'<rect class="mine__hit" x="3" y="3" width="54" height="74" rx="5" fill="{palette.place}" fill-opacity=".14"'
        f' stroke="{palette.place}" stroke-width="2.5" stroke-dasharray="6 4"/>'
        f'<rect x="{30 - width / 2:g}" y="27" width="{width}" height="26" rx="13" fill="{palette.place}"/>'
        f'<text x="30" y="46" fill="{palette.place_label}" font-family="{escape(palette.font)}" font-size="18"'
        f' font-weight="700" text-anchor="middle">{cell}</text>'
    )


def _chosen_place_mark(palette: Palette) -> str:
    """Draw a frame and a tick, without a label, because the card itself is shown here."""
    return (
        f'<rect class="mine__hit" x="2" y="2" width="56" height="76" rx="5" fill="{palette.place}" fill-opacity="0"'
        f' stroke="{palette.place}" stroke-width="4"/>'
        f'<circle cx="48" cy="68" r="11" fill="{palette.place}"/>'
        f'<path d="M43 68l4 4 7-8" fill="none" stroke="{palette.place_label}" stroke-width="3"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _description_element(id_prefix: str, title: str, text: str = "") -> str:
    """Return the title of a picture and, if there is one, its description for screen readers."""
    title_element = f'<title id="{id_prefix}-title">{escape(title)}</title>'
    return (
        f'{title_element}<desc id="{id_prefix}-description">{escape(text)}</desc>'
        if text
        else title_element
    )


def _svg(
    drawing: str, place_marks: str, visible_box: _Box, *, description: str, id_prefix: str
) -> Markup:
    width, height = visible_box.size
    names = f'aria-labelledby="{id_prefix}-title"'
    if "<desc" in description:
        names += f' aria-describedby="{id_prefix}-description"'
    has_links = "<a " in place_marks
    svg_content = f'<g role="img" {names}>{drawing}</g>' if has_links else drawing
    kind = "mine mine--wide" if visible_box.right - visible_box.left >= _WIDE_COLUMNS else "mine"
    role = (
        f'role="group" aria-labelledby="{id_prefix}-title"' if has_links else f'role="img" {names}'
    )
    return Markup(  # noqa: S704 - drawn by this package; every foreign text in it is escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" id="{id_prefix}-picture" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" {role}>{description}{svg_content}{place_marks}</svg>'
    )
