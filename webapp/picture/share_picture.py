"""The picture that other sites show beside the link of a shared game: the headline, the mine in lamplight, and the gold.

It is made for a preview 300 pixels wide, in which the headline and the golden path must still be readable. It is drawn on request
and never stored, because names in it disappear with their accounts.
"""

import re
from collections.abc import Iterator, Sequence
from textwrap import shorten, wrap
from typing import Final, NamedTuple

from markupsafe import escape
from msgspec import structs

from engine.cells import Cell
from engine.view import View
from webapp.kernel.colours import DARK_INITIALS, DARK_PLAYER_COLOURS
from webapp.picture.ground import draw_lamp, draw_strata
from webapp.picture.mine import draw_cards, draw_golden_path
from webapp.picture.palette import DARK_PALETTE
from webapp.picture.places import GUTTER, finished_box
from webapp.picture.symbols import nugget, picture_at

WIDTH: Final = 1200
HEIGHT: Final = 630
_PALETTE: Final = DARK_PALETTE
_MARGIN: Final = 56
_MINE_TOP: Final = 158
_MINE_WIDTH: Final = 690
_MINE_HEIGHT: Final = 420
_GOLD_LEFT: Final = 800
_GOLD_WIDTH: Final = WIDTH - _MARGIN - _GOLD_LEFT
_MOST_ROWS: Final = 6
_LONGEST_ROW: Final = 84
_LONGEST_NAME: Final = 12
_LINE_LENGTHS_BY_SIZE: Final = ((76, 27), (60, 35))
"""How many characters fit into one line of the headline, by the size of its text."""
_SMALL_SIZE: Final = 50
_SMALL_LINE_LENGTH: Final = 42
_DRAWABLE: Final = re.compile(r"[\u0020-\u04ff\u1e00-\u1fff\u2010-\u203a]*")
"""The Latin, Greek and Cyrillic characters that the font has."""


class GoldRow(NamedTuple):
    """A player and their gold."""

    seat: int
    initials: str
    name: str
    nuggets: int


def is_drawable(text: str) -> bool:
    """Return whether the font of the picture has all characters of a text."""
    return _DRAWABLE.fullmatch(text) is not None


def draw_share_picture(
    view: View, path: Sequence[Cell], rows: Sequence[GoldRow], *, headline: str, site_name: str
) -> str:
    """Draw a finished game; ``view`` is the one of its last round, ``rows`` are its players, the richest first."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' font-family="Vollkorn" font-weight="700" fill="{_PALETTE.ink}">'
        f"{_mine(view, path)}{''.join(_headline(headline))}{''.join(_gold(rows))}"
        f'<text x="{WIDTH - _MARGIN}" y="{HEIGHT - 28}" font-size="26" text-anchor="end" fill="{_PALETTE.label}">{escape(site_name)}</text></svg>'
    )


def _mine(view: View, path: Sequence[Cell]) -> str:
    """Draw the rock of the whole picture, the light of the lamp on it, and the cards."""
    box = finished_box(view.mine)
    width, height = (length - 2 * GUTTER for length in box.size)
    scale = min(_MINE_WIDTH / width, _MINE_HEIGHT / height)
    left = _MARGIN + (_MINE_WIDTH - scale * width) / 2 - scale * GUTTER
    top = _MINE_TOP + (_MINE_HEIGHT - scale * height) / 2 - scale * GUTTER
    place = f"translate({left:.1f} {top:.1f}) scale({scale:.4f})"
    far = 4 * WIDTH
    light = (
        f'<rect x="-{far}" y="-{far}" width="{2 * far}" height="{2 * far}" fill="url(#mine-lamp)"/>'
    )
    view = structs.replace(view, last_laid=None)
    cards = draw_cards(view, box, _PALETTE, id_prefix="mine") + draw_golden_path(
        path, box, _PALETTE
    )
    return (
        f"<defs>{draw_lamp(box, _PALETTE, id_prefix='mine')}</defs>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PALETTE.earth}"/>'
        f"{draw_strata(WIDTH, HEIGHT, _PALETTE)}"
        f'<g transform="{place}">{light}{light}{cards}</g>'
    )


def _headline(text: str) -> Iterator[str]:
    """Yield one large line, or two smaller ones."""
    for size, length in _LINE_LENGTHS_BY_SIZE:
        if len(text) <= length:
            yield f'<text x="{_MARGIN}" y="108" font-size="{size}">{escape(text)}</text>'
            return
    lines = wrap(shorten(text, 2 * _SMALL_LINE_LENGTH - 10, placeholder=" …"), _SMALL_LINE_LENGTH)
    for number, line in enumerate(lines):
        y = 72 + number * 56
        yield f'<text x="{_MARGIN}" y="{y}" font-size="{_SMALL_SIZE}">{escape(line)}</text>'


def _gold(rows: Sequence[GoldRow]) -> Iterator[str]:
    """Yield the richest players with their gold as numbers and bars."""
    shown = rows[:_MOST_ROWS]
    pitch = min(_LONGEST_ROW, _MINE_HEIGHT // max(1, len(shown)))
    top = _MINE_TOP + (_MINE_HEIGHT - pitch * len(shown)) // 2
    most = max((row.nuggets for row in shown), default=0)
    for number, row in enumerate(shown):
        yield picture_at(_GOLD_LEFT, top + number * pitch, _gold_row(row, most))


def _gold_row(row: GoldRow, most: int) -> str:
    bar = round((_GOLD_WIDTH - 60) * row.nuggets / max(1, most))
    return (
        f'<circle cx="22" cy="28" r="22" fill="{DARK_PLAYER_COLOURS[row.seat]}"/>'
        f'<text x="22" y="36" font-size="24" text-anchor="middle" fill="{DARK_INITIALS}">{escape(row.initials)}</text>'
        f'<text x="60" y="34" font-size="34">{escape(_short_name(row.name))}</text>'
        f'<text x="{_GOLD_WIDTH - 32}" y="34" font-size="34" text-anchor="end" fill="{_PALETTE.gold}">{row.nuggets}</text>'
        + picture_at(_GOLD_WIDTH - 12, 24, nugget(_PALETTE), scale=1.6)
        + f'<rect x="60" y="47" width="{_GOLD_WIDTH - 60}" height="10" rx="5" fill="{_PALETTE.stratum}"/>'
        + (
            f'<rect x="60" y="47" width="{bar}" height="10" rx="5" fill="{_PALETTE.gold}"/>'
            * (bar > 0)
        )
    )


def _short_name(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"
