"""The mine as a picture: laid cards, goals, the places of possible actions and a preview of the chosen card."""

from collections.abc import Iterator, Sequence
from functools import cache

from markupsafe import Markup, escape

from engine.cards import Shape
from engine.cells import GOAL_CELLS, Cell, label, position
from engine.view import View
from webapp.i18n import Language
from webapp.picture.cards import face_down_goal_picture, undecided_stone
from webapp.picture.mine_box import GUTTER, LEAST_SCALE, Box, visible_box
from webapp.picture.palette import Palette
from webapp.picture.places import Place, Preview, draw_preview, linked, place_mark
from webapp.picture.symbols import picture_at
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH, laid_card
from webapp.wording.mine import mine_description, mine_title


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
    box = visible_box(view, places, preview)
    drawing = _ground_picture(box, palette) + "".join(_card_pictures(view, box, palette))
    if preview is not None:
        drawing += picture_at(*box.corner(preview.cell), draw_preview(preview, palette))
    covered_cells = {*view.mine.laid, *GOAL_CELLS}
    place_marks = "".join(
        _place_picture(place, box, palette, covers_card=place.cell in covered_cells)
        for place in places
    )
    description = _description_element(
        id_prefix, mine_title(view, language), mine_description(view, language)
    )
    return _svg(drawing, place_marks, box, description=description, id_prefix=id_prefix)


@cache
def _ground_picture(box: Box, palette: Palette) -> str:
    width, height = box.size
    labels = "".join(_label_texts(box))
    return (
        f'<rect width="{width}" height="{height}" rx="10" fill="{palette.earth}"/>'
        f'<path d="{_grid_lines(box)}" fill="none" stroke="{palette.grid}" stroke-width="1"/>'
        f'<g class="mine__labels" fill="{palette.label}" font-family="{escape(palette.font)}" font-size="14"'
        ' text-anchor="middle" dominant-baseline="central">'
        f"{labels}</g>"
    )


def _grid_lines(box: Box) -> str:
    width, height = box.size
    vertical_lines = "".join(
        f"M{x} {GUTTER}V{height - GUTTER}" for x in range(GUTTER, width, CARD_WIDTH)
    )
    horizontal_lines = "".join(
        f"M{GUTTER} {y}H{width - GUTTER}" for y in range(GUTTER, height, CARD_HEIGHT)
    )
    return vertical_lines + horizontal_lines


def _label_texts(box: Box) -> Iterator[str]:
    width, height = box.size
    for x in range(box.left, box.right + 1):
        middle = GUTTER + (x - box.left) * CARD_WIDTH + CARD_WIDTH / 2
        column = label(x, 0).removesuffix("5")
        yield from (_text_element(middle, y, column) for y in (GUTTER / 2, height - GUTTER / 2))
    for y in range(box.top, box.bottom + 1):
        middle = GUTTER + (y - box.top) * CARD_HEIGHT + CARD_HEIGHT / 2
        row = label(0, y).removeprefix("A")
        yield from (_text_element(x, middle, row) for x in (GUTTER / 2, width - GUTTER / 2))


def _text_element(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{text}</text>'


def _card_pictures(view: View, box: Box, palette: Palette) -> Iterator[str]:
    for index, cell in enumerate(GOAL_CELLS):
        if cell not in view.mine.laid and box.contains(*position(cell)):
            yield picture_at(*box.corner(cell), _goal_picture(view, index, palette))
    reached_cells = view.mine.reached_cells
    for cell, shape in view.mine.laid.items():
        if box.contains(*position(cell)):
            yield _laid_card_picture(cell, shape, box, palette, is_lit=cell in reached_cells)
    if view.last_laid is not None and box.contains(*position(view.last_laid)):
        yield picture_at(*box.corner(view.last_laid), _last_card_mark(palette))


def _goal_picture(view: View, index: int, palette: Palette) -> str:
    """Draw a goal outside the mine: face down, or a stone whose orientation is still to be chosen."""
    if view.turned[index] and not view.winners:
        return undecided_stone(palette)
    return face_down_goal_picture(view.goals[index], palette)


@cache
def _laid_card_picture(
    cell: Cell, shape: Shape, box: Box, palette: Palette, *, is_lit: bool
) -> str:
    return picture_at(*box.corner(cell), laid_card(shape, palette, is_lit=is_lit))


@cache
def _last_card_mark(palette: Palette) -> str:
    """Draw brackets around the corners, leaving tunnels open, and a small flag."""
    return (
        '<path d="M2 22V7q0-5 5-5h10M43 2h10q5 0 5 5v15M58 58v15q0 5-5 5h-10M17 78H7q-5 0-5-5v-15"'
        f' fill="none" stroke="{palette.last_card_frame}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="M60 1v20L40 1z" fill="{palette.last_card_frame}"/>'
    )


def _place_picture(place: Place, box: Box, palette: Palette, *, covers_card: bool) -> str:
    mark = place_mark(place, palette, covers_card=covers_card)
    return linked(place, picture_at(*box.corner(place.cell), mark))


def _description_element(id_prefix: str, title: str, text: str = "") -> str:
    """Return the title of a picture and, if there is one, its description for screen readers."""
    title_element = f'<title id="{id_prefix}-title">{escape(title)}</title>'
    return (
        f'{title_element}<desc id="{id_prefix}-description">{escape(text)}</desc>'
        if text
        else title_element
    )


def _svg(drawing: str, place_marks: str, box: Box, *, description: str, id_prefix: str) -> Markup:
    width, height = box.size
    names = f'aria-labelledby="{id_prefix}-title"'
    if "<desc" in description:
        names += f' aria-describedby="{id_prefix}-description"'
    has_links = "<a " in place_marks
    svg_content = f'<g role="img" {names}>{drawing}</g>' if has_links else drawing
    kind = "mine mine--wide" if box.is_wide else "mine"
    least_width = round(width * LEAST_SCALE) if box.is_wide else width
    role = (
        f'role="group" aria-labelledby="{id_prefix}-title"' if has_links else f'role="img" {names}'
    )
    return Markup(  # noqa: S704 - drawn by this package; every foreign text in it is escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" id="{id_prefix}-picture" viewBox="0 0 {width} {height}" '
        f'width="{least_width}" {role}>{description}{svg_content}{place_marks}</svg>'
    )
