"""The picture of a shared game, as SVG and as PNG."""

import struct
from xml.etree import ElementTree as ET

import pytest

from tests.support.views import WINDING_TUNNEL, view_of
from webapp.picture.png import png_of
from webapp.picture.share_picture import HEIGHT, WIDTH, GoldRow, draw_share_picture, is_drawable

LONG_NAMES = (
    "Alexandra the Great, Bartholomew and Czarina Catherine share the win with 12 nuggets each"
)
MOST_BYTES = 600_000
"""Messengers show no larger pictures."""


def drawing(headline: str = "Basalt wins with 8 nuggets", *names: str) -> str:
    rows = [GoldRow(seat, name[:1], name, 8 - seat) for seat, name in enumerate(names)]
    view = view_of(WINDING_TUNNEL | {"I3": "goal-trbl"}, goals=("treasure", "stone-tl", "stone-tr"))
    path = ("A5", "B5", "C5", "D5", "D4", "D3", "E3", "F3", "G3", "H3", "I3")
    return draw_share_picture(view, path, rows, headline=headline, site_name="Lodepost")


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter() if "text" in element.tag]


def test_png_has_the_size_that_the_page_says() -> None:
    png = png_of(drawing("Basalt wins with 8 nuggets", "Basalt", "Катерина"))
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == (WIDTH, HEIGHT)
    assert len(png) < MOST_BYTES


def test_text_is_drawn_with_the_bundled_font() -> None:
    headlines = ("", "Basalt wins", "Катерина")
    assert len({png_of(drawing(headline)) for headline in headlines}) == len(headlines)


def test_names_are_text_and_never_markup() -> None:
    svg = drawing('<b>&" wins', '</svg><script>"')
    assert '<b>&" wins' in texts(svg)
    assert "<script>" not in svg


@pytest.mark.parametrize("headline", ["A wins", LONG_NAMES, LONG_NAMES * 3, "W" * 200])
def test_headline_takes_at_most_two_lines(headline: str) -> None:
    lines = [text for text in texts(drawing(headline)) if text != "Lodepost"]
    assert 1 <= len(lines) <= 2
    assert max(map(len, lines)) <= 42


def test_ten_players_leave_six_rows() -> None:
    names = [f"Player {number}" for number in range(10)]
    shown = [text for text in texts(drawing("A wins", *names)) if text.startswith("Player")]
    assert shown == names[:6]


@pytest.mark.parametrize(
    "name, expected",
    [("Ģirts", True), ("Žofie", True), ("Їжак", True), ("石头", False), ("🪨", False)],
)
def test_font_has_latin_and_cyrillic_characters_only(name: str, expected: object) -> None:
    assert is_drawable(name) == expected
