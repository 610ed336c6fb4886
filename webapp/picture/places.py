"""Where the viewer can act, and the card that is chosen but not laid yet, as parts of the picture of the mine."""

from functools import cache
from typing import NamedTuple

from markupsafe import escape

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
        f'<g opacity=".78">{laid_card(shape, palette, is_lit=True)}</g>'
        f'<rect x="2" y="2" width="56" height="76" rx="5" fill="none" stroke="{palette.place}"'
        ' stroke-width="4" stroke-dasharray="9 5"/>'
    )


def place_mark(place: Place, palette: Palette, *, covers_card: bool) -> str:
    """Draw the mark of a place in a box of 60 by 80; on a card that the viewer can pick, so that the card can be seen."""
    if place.chosen:
        return _chosen_place_mark(palette)
    return _card_mark(palette) if covers_card else _empty_place_mark(place.cell, palette)


def linked(place: Place, mark: str) -> str:
    """Return the mark as the link of its place."""
    if place.href is None:
        return mark
    current_attribute = ' aria-current="true"' if place.chosen else ""
    return f'<a class="mine__place" href="{escape(place.href)}" aria-label="{escape(place.name)}"{current_attribute}>{mark}</a>'


@cache
def _empty_place_mark(cell: Cell, palette: Palette) -> str:
    """Draw a dashed frame with the name of an empty cell."""
    return (
        f'<rect class="mine__hit" x="3" y="3" width="54" height="74" rx="5" fill="{palette.place}" fill-opacity=".14"'
        f' stroke="{palette.place}" stroke-width="2.5" stroke-dasharray="6 4"/>'
        f'<text class="mine__place-name" x="30" y="40" fill="{palette.place}" font-family="{escape(palette.font)}"'
        f' font-size="18" font-weight="700" text-anchor="middle" dominant-baseline="central">{cell}</text>'
    )


@cache
def _card_mark(palette: Palette) -> str:
    """Draw a frame around a card that can be picked, and nothing on it."""
    return (
        f'<rect x="3" y="3" width="54" height="74" rx="5" fill="none" stroke="{palette.place_label}" stroke-width="6"/>'
        f'<rect class="mine__hit" x="3" y="3" width="54" height="74" rx="5" fill="{palette.place}" fill-opacity="0"'
        f' stroke="{palette.place}" stroke-width="3.5" stroke-dasharray="9 4"/>'
    )


@cache
def _chosen_place_mark(palette: Palette) -> str:
    """Draw a frame and a tick, without a label, because the card itself is shown here."""
    return (
        f'<rect class="mine__hit" x="2" y="2" width="56" height="76" rx="5" fill="{palette.place}" fill-opacity="0"'
        f' stroke="{palette.place}" stroke-width="4"/>'
        f'<circle cx="48" cy="68" r="11" fill="{palette.place}"/>'
        f'<path d="M43 68l4 4 7-8" fill="none" stroke="{palette.place_label}" stroke-width="3"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )
