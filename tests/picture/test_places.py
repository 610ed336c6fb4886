"""Where the viewer can act, in the picture of the mine, and which cells the picture shows meanwhile."""

import xml.etree.ElementTree as ET
from typing import Any

from engine.view import View
from tests.support.views import view_of
from webapp.kernel.i18n import language_for
from webapp.picture.mine import draw_mine
from webapp.picture.palette import LIGHT_PALETTE
from webapp.picture.places import Place, Preview, opening_column

SVG = "{http://www.w3.org/2000/svg}"
ENGLISH = language_for("en")


def picture(view: View | None = None, **options: Any) -> ET.Element:
    return ET.fromstring(draw_mine(view or view_of(), LIGHT_PALETTE, language=ENGLISH, **options))


def test_place_shows_the_name_of_its_cell() -> None:
    svg = picture(places=[Place("G8", "Lay it at G8", "?cell=G8")])
    assert "G8" in [text.text for text in svg.iter(f"{SVG}text")]


def test_text_of_a_place_is_escaped() -> None:
    drawing = draw_mine(
        view_of(),
        LIGHT_PALETTE,
        language=ENGLISH,
        places=[Place("G8", '"><script>', 'x"onload="y&')],
    )
    assert "<script>" not in drawing
    assert 'x"onload' not in drawing


def test_picture_stays_as_it_is_while_a_place_is_chosen() -> None:
    view = view_of({"B5": "path-trbl"})
    places = [Place(cell, f"Lay it at {cell}", f"?cell={cell}") for cell in ("-A5", "B3", "B7")]
    places = [place for place in places if place.cell in view.mine.open_cells]
    assert places
    chosen_picture = picture(view, places=places, preview=Preview(places[0].cell, "path-rl"))
    assert chosen_picture.get("viewBox") == picture(view).get("viewBox")


def test_wide_mine_opens_at_the_newest_card_or_else_at_a_chosen_cell_far_from_it() -> None:
    cards_to_the_east = {f"{chr(66 + step)}5": "path-rl" for step in range(7)}
    view = view_of(
        cards_to_the_east | {f"-{column}5": "path-rl" for column in "AB"}, last_laid="H5"
    )
    assert opening_column(view) > 50
    assert opening_column(view, preview=Preview("F6", "path-rl")) == opening_column(view)
    assert opening_column(view, preview=Preview("-C5", "path-rl")) < 10
    assert opening_column(view_of()) == 0


def test_mark_on_a_card_leaves_its_picture_free() -> None:
    laid_card_place = Place("E3", "Remove the card at E3", "?cell=E3")
    empty_place = Place("G8", "Lay it at G8", "?cell=G8")
    svg = picture(places=[laid_card_place, empty_place])
    on_card, _ = svg.iter(f"{SVG}a")
    assert {rect.get("fill-opacity") for rect in on_card.iter(f"{SVG}rect")} == {"0"}
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    assert "G8" in texts
    assert "E3" not in texts
