"""The pictures of the page that explains the game: a small mine with its goals, and a card that is being laid.

Decoration beside a sentence that says the same, so screen readers skip them.
"""

from functools import cache
from typing import Final

from markupsafe import Markup

from engine.cards import START_SHAPE, Shape
from webapp.picture.cards import face_down_goal_picture
from webapp.picture.palette import Palette
from webapp.picture.places import Preview, draw_free_place, draw_preview
from webapp.picture.symbols import picture_at
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH, laid_card

_GOAL_ROW_COLUMNS: Final = 5
_GOAL_ROW: Final[tuple[tuple[int, int, Shape], ...]] = (
    (0, 1, START_SHAPE),
    (1, 1, "path-rl"),
    (2, 1, "path-trbl"),
    (2, 0, "path-rb"),
)
_LAID_CARDS: Final[tuple[tuple[int, int, Shape], ...]] = ((0, 0, START_SHAPE), (1, 0, "path-trbl"))


@cache
def draw_goal_row(palette: Palette) -> Markup:
    """Draw the start with a few cards, and the three goals face down."""
    goals = "".join(
        _at(_GOAL_ROW_COLUMNS - 1, row, face_down_goal_picture(None, palette)) for row in range(3)
    )
    return _scene(_cards(_GOAL_ROW, palette) + goals, _GOAL_ROW_COLUMNS, 3)


@cache
def draw_laying(palette: Palette) -> Markup:
    """Draw a card that is being laid beside the start."""
    preview = draw_preview(Preview("D3", "path-rbl"), palette)
    free_place = draw_free_place("E3", palette)
    return _scene(_cards(_LAID_CARDS, palette) + _at(2, 0, preview) + _at(3, 0, free_place), 4, 1)


def _cards(cards: tuple[tuple[int, int, Shape], ...], palette: Palette) -> str:
    return "".join(
        _at(column, row, laid_card(shape, palette, is_lit=True)) for column, row, shape in cards
    )


def _at(column: int, row: int, picture: str) -> str:
    return picture_at(column * CARD_WIDTH, row * CARD_HEIGHT, picture)


def _scene(drawing: str, columns: int, rows: int) -> Markup:
    width, height = columns * CARD_WIDTH, rows * CARD_HEIGHT
    return Markup(  # noqa: S704 - drawn by this package, without foreign text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture picture--scene" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" focusable="false" aria-hidden="true">{drawing}</svg>'
    )
