"""The marks of the places where the viewer can act, over the picture of the mine: links, or parts of an image."""

from collections.abc import Collection, Iterator, Sequence

from markupsafe import escape

from engine.cells import Cell
from webapp.picture.palette import Palette
from webapp.picture.places import Box, Place
from webapp.picture.symbols import shared_at


def draw_places(
    places: Sequence[Place], box: Box, palette: Palette, *, covered_cells: Collection[Cell]
) -> str:
    """Draw the mark of every place: on a card that can be picked only a frame, so that the card can be seen."""
    if not places:
        return ""
    marks = "".join(
        _linked(place, _mark(place, box, palette, is_covered=place.cell in covered_cells))
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
