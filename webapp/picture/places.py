"""Where the viewer can act, and the card that is chosen but not laid yet; ``place_marks`` draws the places."""

from functools import cache
from typing import NamedTuple

from engine.cards import GOAL_SHAPES, TURNED_SHAPES, Card, Goal, Shape
from engine.cells import Cell
from webapp.picture.palette import Palette
from webapp.picture.tunnels import laid_card


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
        f'<g opacity=".86">{laid_card(shape, palette, is_lit=True)}</g>'
        f'<rect x="2" y="2" width="56" height="76" rx="5" fill="none" stroke="{palette.place}"'
        ' stroke-width="4" stroke-dasharray="9 5"/>'
    )
