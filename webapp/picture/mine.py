"""The mine as a picture: laid cards, goals, places of possible actions, a preview of the chosen card, and the winning path."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

from engine.cards import (
    BOTTOM,
    CONNECTS_EDGES,
    GOAL_SHAPES,
    LEFT,
    OPPOSITE_SIDE,
    RIGHT,
    START_SHAPE,
    TOP,
    Shape,
)
from engine.cells import GOAL_CELLS, Cell, position
from engine.mine import Mine
from engine.view import View
from webapp.kernel.i18n import Language
from webapp.picture.cards import face_down_goal_picture, open_goal_picture, undecided_stone
from webapp.picture.ground import draw_ground
from webapp.picture.palette import Palette
from webapp.picture.places import (
    LEAST_SCALE,
    Box,
    Place,
    Preview,
    draw_places,
    draw_preview,
    finished_box,
    visible_box,
)
from webapp.picture.symbols import picture_at, shared_at
from webapp.picture.tunnels import (
    CARD_HEIGHT,
    CARD_WIDTH,
    cracks,
    landmark,
    tunnel_floor,
    tunnel_group,
    tunnel_walls,
    way_data,
)
from webapp.wording.mine import finished_mine_description, mine_description, mine_title

_SIDE_BY_STEP: Final = {(0, -1): TOP, (1, 0): RIGHT, (0, 1): BOTTOM, (-1, 0): LEFT}
_MIDDLE: Final = (CARD_WIDTH // 2, CARD_HEIGHT // 2)
_EDGE_MIDDLES: Final = {
    TOP: (30, 0),
    RIGHT: (CARD_WIDTH, 40),
    BOTTOM: (30, CARD_HEIGHT),
    LEFT: (0, 40),
}
_CORNER_RADIUS: Final = 4
_ARCS: Final = ("q4 0 4 4", "q0 4-4 4", "q-4 0-4-4", "q0-4 4-4")
"""Round corners with this radius, clockwise from the upper right one."""
_WELCOME_MINE: Final[dict[Cell, Shape]] = {
    "A5": START_SHAPE,
    "A4": "path-rb",
    "B4": "dead-tl",
    "B5": "path-rl",
    "C5": "path-trl",
    "C4": "path-rb",
    "D4": "path-rl",
    "D5": "dead-l",
    "E4": "path-rbl",
    "E5": "path-tb",
    "E6": "path-tr",
    "F4": "path-bl",
    "F5": "path-tr",
    "G5": "path-trbl",
    "H5": "path-rl",
    "I5": GOAL_SHAPES["treasure"][0],
}
_WELCOME_PATH: Final = ("A5", "B5", "C5", "C4", "D4", "E4", "F4", "F5", "G5", "H5", "I5")


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
    drawing = _drawing(view, box, palette, id_prefix=id_prefix)
    if preview is not None:
        drawing += picture_at(*box.corner(preview.cell), draw_preview(preview, palette))
    place_marks = draw_places(places, box, palette, covered_cells={*view.mine.laid, *GOAL_CELLS})
    description = _description_element(
        id_prefix, mine_title(view, language), mine_description(view, language)
    )
    return _svg(drawing, place_marks, box, description=description, id_prefix=id_prefix)


def draw_row_labels(
    view: View,
    places: Sequence[Place] = (),
    preview: Preview | None = None,
    id_prefix: str = "mine",
) -> Markup:
    """Draw the labels of the rows once more, as a strip that stays where it is while the mine of this page scrolls."""
    box = visible_box(view, places, preview)
    width, height = box.size
    return Markup(  # noqa: S704 - drawn here, without foreign text
        f'<svg class="mine-rows" viewBox="0 0 {box.gutter} {height}" width="{100 * box.gutter / width:.3f}%" aria-hidden="true">'
        f'<use href="#{id_prefix}-labels"/></svg>'
    )


def draw_mine_for_email(view: View, palette: Palette, *, language: Language) -> Markup:
    """Draw the whole mine with labels that can be read on a phone, because no style sheet makes them larger there."""
    box = visible_box(view, (), None).with_large_labels()
    drawing = _drawing(view, box, palette, id_prefix="mine")
    description = _description_element(
        "mine", mine_title(view, language), mine_description(view, language)
    )
    return _svg(drawing, "", box, description=description, id_prefix="mine")


def draw_finished_mine(
    view: View,
    palette: Palette,
    *,
    path: Sequence[Cell],
    language: Language,
    id_prefix: str,
) -> Markup:
    """Draw the mine as a round left it, with the path that won the round in gold."""
    box = finished_box(view.mine)
    return _finished_picture(view, path, box, palette, language=language, id_prefix=id_prefix)


def draw_finished_mine_for_email(
    view: View, palette: Palette, *, path: Sequence[Cell], language: Language
) -> Markup:
    """Draw the mine as a round left it, with labels that can be read on a phone."""
    box = finished_box(view.mine).with_large_labels()
    return _finished_picture(view, path, box, palette, language=language, id_prefix="mine")


def _finished_picture(
    view: View,
    path: Sequence[Cell],
    box: Box,
    palette: Palette,
    *,
    language: Language,
    id_prefix: str,
) -> Markup:
    drawing = _drawing(view, box, palette, id_prefix=id_prefix)
    drawing += draw_golden_path(path, box, palette)
    text = finished_mine_description(view, path, language)
    description = _description_element(id_prefix, mine_title(view, language), text)
    return _svg(drawing, "", box, description=description, id_prefix=id_prefix)


@cache
def draw_welcome_mine(palette: Palette) -> Markup:
    """Draw a mine whose path has reached the treasure; decoration, so screen readers skip it."""
    mine = Mine(continue_path=True, build_from_goal_alone=False, laid=_WELCOME_MINE)
    box, id_prefix = finished_box(mine), "welcome-mine"
    hidden_goals = [cell for cell in GOAL_CELLS if cell not in mine.laid]
    drawing = (
        draw_ground(box, palette, id_prefix=id_prefix)
        + "".join(
            _laid_pictures(mine.laid, mine.reached_cells, hidden_goals, box, palette, id_prefix)
        )
        + "".join(
            picture_at(*box.corner(cell), face_down_goal_picture(None, palette))
            for cell in hidden_goals
        )
        + draw_golden_path(_WELCOME_PATH, box, palette)
    )
    width, height = box.size
    return Markup(  # noqa: S704 - drawn by this package, without foreign text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mine" viewBox="0 0 {width} {height}" '
        f'width="{width}" aria-hidden="true" focusable="false">{drawing}</svg>'
    )


def _drawing(view: View, box: Box, palette: Palette, *, id_prefix: str) -> str:
    """Draw the ground and the cards on it."""
    return draw_ground(box, palette, id_prefix=id_prefix) + draw_cards(
        view, box, palette, id_prefix=id_prefix
    )


def draw_cards(view: View, box: Box, palette: Palette, *, id_prefix: str) -> str:
    """Draw the cards without the ground; ``draw_lamp`` defines the light in which they lie."""
    return "".join(_card_pictures(view, box, palette, id_prefix=id_prefix))


def _card_pictures(view: View, box: Box, palette: Palette, *, id_prefix: str) -> Iterator[str]:
    """Yield the cards, layer by layer."""
    laid = {cell: shape for cell, shape in view.mine.laid.items() if box.contains(*position(cell))}
    goals = [
        (index, cell)
        for index, cell in enumerate(GOAL_CELLS)
        if cell not in view.mine.laid and box.contains(*position(cell))
    ]
    goal_cells = [cell for _, cell in goals]
    yield from _laid_pictures(laid, view.mine.reached_cells, goal_cells, box, palette, id_prefix)
    for index, cell in goals:
        yield picture_at(*box.corner(cell), _goal_picture(view, index, palette))
    if view.last_laid is not None and box.contains(*position(view.last_laid)):
        yield picture_at(*box.corner(view.last_laid), _last_card_mark(palette))


def _laid_pictures(
    laid: Mapping[Cell, Shape],
    reached_cells: Collection[Cell],
    goal_cells: Collection[Cell],
    box: Box,
    palette: Palette,
    id_prefix: str,
) -> Iterator[str]:
    """Yield the laid cards, layer by layer, over the shadow of them and of the goals that still lie apart."""
    yield _rock(laid, goal_cells, box, palette, id_prefix=id_prefix)
    yield from (shared_at(box.corner(cell), "cracks", cracks, palette) for cell in laid)
    yield _tunnels(laid, reached_cells, box, palette, id_prefix=id_prefix)
    yield from (_landmark_picture(shape, box.corner(cell), palette) for cell, shape in laid.items())


def _rock(
    laid: Collection[Cell],
    goal_cells: Iterable[Cell],
    box: Box,
    palette: Palette,
    *,
    id_prefix: str,
) -> str:
    """Draw the background of all laid cards, rounded at the outside only, over the shadow of them and of the goals."""
    positions = {position(cell) for cell in laid}
    cards = "".join(_outline(box.corner(cell), _outer_corners(cell, positions)) for cell in laid)
    goals = "".join(_outline(box.corner(cell), ()) for cell in goal_cells)
    outlines = f"#{id_prefix}-outlines"
    return (
        f'<defs><g id="{id_prefix}-outlines"><path id="{id_prefix}-cards" d="{cards}"/><path d="{goals}"/></g></defs>'
        f'<g fill="none" stroke="{palette.shadow}" stroke-opacity=".2" stroke-linejoin="round">'
        f'<use href="{outlines}" stroke-width="13"/><use href="{outlines}" stroke-width="6"/></g>'
        f'<use href="#{id_prefix}-cards" fill="{palette.rock}" stroke="{palette.rock_edge}"/>'
    )


def _outer_corners(cell: Cell, positions: set[tuple[int, int]]) -> tuple[bool, ...]:
    """Return which corners of a card touch no card beside it, clockwise from the upper left one."""
    x, y = position(cell)
    left, right = (x - 1, y) in positions, (x + 1, y) in positions
    top, bottom = (x, y - 1) in positions, (x, y + 1) in positions
    return not (left or top), not (top or right), not (right or bottom), not (bottom or left)


@cache
def _outline(corner: tuple[int, int], rounded: tuple[bool, ...]) -> str:
    """Return the path data of a card with these corners rounded, clockwise from the upper left one."""
    x, y = corner
    if not any(rounded):
        return f"M{x} {y}h{CARD_WIDTH}v{CARD_HEIGHT}h-{CARD_WIDTH}z"
    insets = [_CORNER_RADIUS * is_round for is_round in rounded]
    right, bottom = x + CARD_WIDTH, y + CARD_HEIGHT
    sides = (
        f"H{right - insets[1]}",
        f"V{bottom - insets[2]}",
        f"H{x + insets[3]}",
        f"V{y + insets[0]}",
    )
    arcs = [arc * is_round for arc, is_round in zip(_ARCS, (*rounded[1:], rounded[0]), strict=True)]
    return f"M{x + insets[0]} {y}" + "".join(map("".join, zip(sides, arcs, strict=True))) + "z"


def _tunnels(
    laid: Mapping[Cell, Shape],
    reached_cells: Collection[Cell],
    box: Box,
    palette: Palette,
    *,
    id_prefix: str,
) -> str:
    """Draw all tunnels as two lines, the lit and the unlit ones, so that rails run on from card to card."""
    data = {"unlit": "", "lit": ""}
    for cell, shape in laid.items():
        is_lit = cell in reached_cells and CONNECTS_EDGES[shape]
        data["lit" if is_lit else "unlit"] += way_data(shape, *box.corner(cell))
    floors = {"unlit": palette.unlit_floor, "lit": f"url(#{id_prefix}-floor)"}
    kinds = [kind for kind in data if data[kind]]
    definitions = "".join(f'<path id="{id_prefix}-{kind}" d="{data[kind]}"/>' for kind in kinds)
    lines = {kind: f'<use href="#{id_prefix}-{kind}"{{}}/>' for kind in kinds}
    walls = "".join(tunnel_walls(lines[kind], palette) for kind in kinds)
    floor = "".join(tunnel_floor(lines[kind], floors[kind], palette) for kind in kinds)
    return f"<defs>{definitions}</defs>{tunnel_group(walls + floor, palette)}"


@cache
def _landmark_picture(shape: Shape, corner: tuple[int, int], palette: Palette) -> str:
    picture = landmark(shape, palette)
    return picture_at(*corner, picture) if picture else ""


def _goal_picture(view: View, index: int, palette: Palette) -> str:
    """Draw a goal outside the mine: face down, open after the end, or a stone whose orientation is still to be chosen."""
    goal = view.goals[index]
    if view.turned[index] and not view.winners:
        return undecided_stone(palette)
    if goal is not None and view.awaiting is None:
        return open_goal_picture(goal, palette)
    return face_down_goal_picture(goal, palette)


@cache
def _last_card_mark(palette: Palette) -> str:
    """Draw brackets around the corners, leaving tunnels open, and a small flag."""
    return (
        '<path d="M2 22V7q0-5 5-5h10M43 2h10q5 0 5 5v15M58 58v15q0 5-5 5h-10M17 78H7q-5 0-5-5v-15"'
        f' fill="none" stroke="{palette.last_card_frame}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="M60 1v20L40 1z" fill="{palette.last_card_frame}"/>'
    )


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


def draw_golden_path(path: Sequence[Cell], box: Box, palette: Palette) -> str:
    """Draw a golden line through these cells, recognisable without colour by its beads; nothing if there are none."""
    if len(path) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    line = "".join(_line_pieces(path, box))
    start, end = box.corner(path[0]), box.corner(path[-1])
    return (
        '<g class="golden-path" fill="none" stroke-linecap="round" stroke-linejoin="round">'
        f'<path d="{line}" stroke="{palette.gold_edge}" stroke-width="9"/>'
        f'<path d="{line}" stroke="{palette.gold}" stroke-width="6"/>'
        f'<path d="{line}" stroke="{palette.gold_glint}" stroke-width="3" stroke-dasharray=".1 10"/></g>'
        + "".join(picture_at(*corner, _end_mark(palette)) for corner in (start, end))
    )


def _end_mark(palette: Palette) -> str:
    x, y = _MIDDLE
    return f'<circle cx="{x}" cy="{y}" r="7" fill="{palette.gold_glint}" stroke="{palette.gold_edge}" stroke-width="2.5"/>'


def _line_pieces(path: Sequence[Cell], box: Box) -> Iterator[str]:
    """Yield the path data: from the middle of the first card, round the corners of bends, to the middle of the last."""
    entry = 0
    for cell, next_cell in pairwise(path):
        left, top = box.corner(cell)
        exit_side = _side_towards(cell, next_cell)
        if not entry:
            yield f"M{left + _MIDDLE[0]} {top + _MIDDLE[1]}"
        x, y = _EDGE_MIDDLES[exit_side]
        yield f"Q{left + _MIDDLE[0]} {top + _MIDDLE[1]} {left + x} {top + y}"
        entry = OPPOSITE_SIDE[exit_side]
    left, top = box.corner(path[-1])
    yield f"L{left + _MIDDLE[0]} {top + _MIDDLE[1]}"


def _side_towards(cell: Cell, neighbour: Cell) -> int:
    (x, y), (next_x, next_y) = position(cell), position(neighbour)
    return _SIDE_BY_STEP[next_x - x, next_y - y]
