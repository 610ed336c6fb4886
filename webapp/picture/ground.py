"""What lies under the cards: strata of rock, the light of the lamp at the ladder, the grid and its labels."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

from markupsafe import escape

from engine.cells import START_CELL, label
from webapp.picture.palette import NO_LAMP, PAGE_PALETTE, Palette
from webapp.picture.places import GUTTER, Box
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH

_LAMP_REACH: Final = 9 * CARD_WIDTH
"""How far the light of the lamp reaches."""
_WAVE_WIDTH: Final = 180
_MARGIN: Final = 3 * _WAVE_WIDTH
"""How far the rock continues at both sides, for frames that are wider than the picture."""
_STRATA: Final = ((70, -16), (170, 12), (265, -14), (345, 18), (450, -12), (560, 14), (660, -16))
"""How far below the upper end of a picture each layer of rock begins, and how high its waves are."""
_STRATUM_PERCENT: Final = 30
"""How much each layer of rock covers of what is under it."""


@cache
def draw_ground(box: Box, palette: Palette, *, id_prefix: str) -> str:
    """Draw everything under the cards."""
    width, height = box.size
    rock = f'<rect x="{-_MARGIN}" width="{width + 2 * _MARGIN}" height="{height}" fill="{{}}"/>'
    lit_rock = rock.format(f"url(#{id_prefix}-lamp)") if palette.lamp != NO_LAMP else ""
    return (
        f"<defs>{draw_lamp(box, palette, id_prefix=id_prefix)}</defs>"
        f"{rock.format(palette.earth)}"
        f"{draw_strata(width, height, palette)}"
        f"{lit_rock}"
        f'<g fill="none" stroke="{palette.grid}" stroke-width="1.5" stroke-dashoffset="3">{_grid_crosses(box)}</g>'
        f'<g class="mine__labels" id="{id_prefix}-labels" fill="{palette.label}" font-family="{escape(palette.font)}" font-size="{box.label_size}"'
        f' text-anchor="middle">{_labels(box, id_prefix)}</g>'
    )


def draw_lamp(box: Box, palette: Palette, *, id_prefix: str) -> str:
    """Define the light on the ground, which fades, and that on the floors, which keeps them readable far away."""
    x, y = box.corner(START_CELL)
    ground_light = (
        f'<stop stop-color="{palette.lamp}" stop-opacity=".5"/>'
        f'<stop offset=".35" stop-color="{palette.lamp}" stop-opacity=".16"/>'
        f'<stop offset="1" stop-color="{palette.lamp}" stop-opacity="0"/>'
    )
    floor_light = (
        f'<stop stop-color="{palette.lamp_floor}"/><stop offset=".3" stop-color="{palette.lit_floor}"/>'
        f'<stop offset="1" stop-color="{palette.far_floor}"/>'
    )
    return (
        f'<radialGradient id="{id_prefix}-lamp" gradientUnits="userSpaceOnUse" cx="{x + CARD_WIDTH // 2}"'
        f' cy="{y + CARD_HEIGHT // 2}" r="{_LAMP_REACH}">{ground_light}</radialGradient>'
        f'<radialGradient id="{id_prefix}-floor" href="#{id_prefix}-lamp">{floor_light}</radialGradient>'
    )


def draw_strata(width: int, height: int, palette: Palette) -> str:
    """Draw the layers of rock: each covers everything below its wavy upper edge, so that it gets darker downwards.

    On pages each is translucent. Where colours are known, each has the colour that comes of that: to blend so many pixels would
    take a third of the time in which a PNG is drawn.
    """
    strata = list(_strata(width, height))
    if palette is PAGE_PALETTE:
        opacity = f"{_STRATUM_PERCENT / 100:g}".lstrip("0")
        layers = "".join(f"{stratum}/>" for stratum in strata)
        return f'<g fill="{palette.stratum}" fill-opacity="{opacity}">{layers}</g>'
    colours = islice(_colours_downwards(palette), len(strata))
    return "".join(
        f'{stratum} fill="{colour}"/>' for stratum, colour in zip(strata, colours, strict=True)
    )


def _strata(width: int, height: int) -> Iterator[str]:
    """Yield the path of each layer, open to attributes."""
    right = width + _MARGIN
    wave_count = (right + _MARGIN) // _WAVE_WIDTH
    for depth, crest in _STRATA:
        if depth < height - GUTTER:
            waves = f"q{_WAVE_WIDTH // 2} {crest} {_WAVE_WIDTH} 0t" + " ".join(
                [f"{_WAVE_WIDTH} 0"] * wave_count
            )
            yield f'<path d="M{-_MARGIN} {depth}{waves}H{right}V{height}H{-_MARGIN}"'


def _colours_downwards(palette: Palette) -> Iterator[str]:
    """Yield the colour of each layer: that of the one above, with a share of the stratum's."""
    stratum, colour = bytes.fromhex(palette.stratum[1:]), bytes.fromhex(palette.earth[1:])
    while True:
        colour = bytes(
            round(upper + (lower - upper) * _STRATUM_PERCENT / 100)
            for upper, lower in zip(colour, stratum, strict=True)
        )
        yield f"#{colour.hex()}"


def _grid_crosses(box: Box) -> str:
    """Draw a small cross at every corner of a cell: dashed lines of which only the crossings are left."""
    (width, height), gutter = box.size, box.gutter
    columns = "".join(
        f"M{x} {gutter}V{height - gutter + 3}" for x in range(gutter, width, CARD_WIDTH)
    )
    rows = "".join(
        f"M{gutter} {y}H{width - gutter + 3}" for y in range(gutter, height, CARD_HEIGHT)
    )
    return (
        f'<path d="{columns}" stroke-dasharray="6 {CARD_HEIGHT - 6}"/>'
        f'<path d="{rows}" stroke-dasharray="6 {CARD_WIDTH - 6}"/>'
    )


def _labels(box: Box, id_prefix: str) -> str:
    """Write the labels of columns and rows, each at both ends."""
    (width, height), gutter = box.size, box.gutter
    columns, rows = "".join(_column_labels(box)), "".join(_row_labels(box))
    return (
        f'<g id="{id_prefix}-columns">{columns}</g><use href="#{id_prefix}-columns" y="{height - gutter}"/>'
        f'<g id="{id_prefix}-rows">{rows}</g><use href="#{id_prefix}-rows" x="{width - gutter}"/>'
    )


def _column_labels(box: Box) -> Iterator[str]:
    for x in range(box.left, box.right + 1):
        middle = box.gutter + (x - box.left) * CARD_WIDTH + CARD_WIDTH // 2
        yield _text_element(middle, box.gutter // 2, label(x, 0).removesuffix("5"))


def _row_labels(box: Box) -> Iterator[str]:
    for y in range(box.top, box.bottom + 1):
        middle = box.gutter + (y - box.top) * CARD_HEIGHT + CARD_HEIGHT // 2
        yield _text_element(box.gutter // 2, middle, label(0, y).removeprefix("A"))


def _text_element(x: int, y: int, text: str) -> str:
    """Write a text around a point, without a baseline: pictures that are not drawn by browsers know none for a whole group."""
    return f'<text x="{x}" y="{y}" dy=".35em">{text}</text>'
