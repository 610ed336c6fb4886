"""Where the viewer can act, in the picture of the mine, and which cells the picture shows meanwhile."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from typing import Any

from engine.view import View
from tests.support.views import view_of
from webapp.kernel.i18n import language_for
from webapp.picture.mine import draw_mine
from webapp.picture.palette import LIGHT_PALETTE
from webapp.picture.places import Place, Preview, opening_column, visible_box

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


def target_boxes(*cells: str) -> dict[str, tuple[int, int, int, int]]:
    """Return the left, top, right and bottom of what a finger can hit, by cell."""
    svg = picture(places=[Place(cell, f"Lay it at {cell}", f"?cell={cell}") for cell in cells])
    targets = [link.find(f"{SVG}path") for link in svg.iter(f"{SVG}a")]
    numbers = [
        [int(number) for number in re.findall(r"\d+", target.get("d", ""))]
        for target in targets
        if target is not None
    ]
    return {
        cell: (x, y, x + width, y + height)
        for cell, (x, y, width, height, _) in zip(cells, numbers, strict=True)
    }


def test_target_of_a_place_is_as_large_as_a_finger() -> None:
    [(left, top, right, bottom)] = target_boxes("D4").values()
    # A phone of 320 pixels shows ten columns and two gutters on 296 of them.
    assert min(right - left, bottom - top) * 296 / 652 >= 44


def test_targets_grow_to_the_middle_of_cells_between_them_and_never_overlap() -> None:
    cells = [f"{column}{row}" for column in "BCDF" for row in (3, 4, 6, 7)] + ["G5", "E5", "H4"]
    boxes = target_boxes(*cells)
    for first, second in combinations(boxes.values(), 2):
        is_beside = first[2] <= second[0] or second[2] <= first[0]
        assert is_beside or first[3] <= second[1] or second[3] <= first[1]
    start_of_d4 = visible_box(view_of(), (), None).corner("D4")[0]
    assert boxes["D4"][2] == start_of_d4 + 60 + 30


def test_target_stays_in_the_picture_and_grows_to_its_other_side_instead() -> None:
    boxes = target_boxes("A3", "H3", "I4")
    assert boxes["A3"][0] >= 0
    assert boxes["A3"][1] >= 0
    assert boxes["H3"][2] - boxes["H3"][0] == boxes["A3"][2] - boxes["A3"][0]
