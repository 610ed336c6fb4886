"""Pictures of mines and cards: titles and descriptions, links, previews, palettes."""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from engine.cards import ACTION_CARDS, GOALS, PATH_CARDS, SHAPES, TOOLS
from engine.cells import GOAL_CELLS
from engine.view import view_for
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.views import WINDING_TUNNEL, view_of
from webapp.kernel.i18n import language_for
from webapp.picture.cards import (
    draw_card,
    draw_goal,
    draw_gold,
    draw_role,
    draw_tool,
    undecided_stone,
)
from webapp.picture.mine import draw_mine, draw_mine_for_email
from webapp.picture.palette import (
    DARK_PALETTE,
    EMAIL_PALETTE,
    LIGHT_PALETTE,
    PAGE_PALETTE,
    PRINT_PALETTE,
    Palette,
)
from webapp.picture.places import Place, Preview, visible_box
from webapp.picture.symbols import nugget
from webapp.picture.tunnels import CARD_WIDTH, laid_card, way_data

ENGLISH = language_for("en")
SVG = "{http://www.w3.org/2000/svg}"
CARDS = [*PATH_CARDS, *ACTION_CARDS]


def picture(view: Any = None, palette: Palette = LIGHT_PALETTE, **options: Any) -> ET.Element:
    return ET.fromstring(draw_mine(view or view_of(), palette, language=ENGLISH, **options))


def description_of(svg: ET.Element) -> str:
    return svg.findtext(f"{SVG}desc") or ""


def test_picture_without_links_is_an_image_with_title_and_description() -> None:
    svg = picture()
    assert svg.get("role") == "img"
    assert svg.get("aria-labelledby") == "mine-title"
    assert svg.get("aria-describedby") == "mine-description"
    assert svg.findtext(f"{SVG}title") == "The mine in round 1, after turn 17"


def test_description_names_every_laid_card_and_every_goal() -> None:
    description = description_of(picture())
    for cell in (*WINDING_TUNNEL, *GOAL_CELLS):
        assert re.search(rf"\b{cell}: ", description), cell
    assert "G2: dead end (right, down)." in description
    assert "Last card laid: G7." in description


def test_picture_with_links_is_a_group_so_that_links_stay_visible() -> None:
    places = [Place("G8", "Lay it at G8", "?cell=G8"), Place("H5", "Lay it at H5", "?cell=H5")]
    svg = picture(places=places)
    assert svg.get("role") == "group"
    assert svg.find(f"{SVG}g").get("role") == "img"  # type: ignore[union-attr]
    links = list(svg.iter(f"{SVG}a"))
    assert [link.get("href") for link in links] == ["?cell=G8", "?cell=H5"]
    assert [link.get("aria-label") for link in links] == ["Lay it at G8", "Lay it at H5"]
    assert not list(svg.find(f"{SVG}g").iter(f"{SVG}a"))  # type: ignore[union-attr]


def test_places_without_links_are_marks_in_an_image() -> None:
    svg = picture(places=[Place("G8", "Lay it at G8")])
    assert svg.get("role") == "img"
    assert not list(svg.iter(f"{SVG}a"))
    assert "G8" in [text.text for text in svg.iter(f"{SVG}text")]


def test_chosen_place_is_marked_as_current() -> None:
    svg = picture(places=[Place("G8", "Lay it", "?x", chosen=True), Place("H5", "Lay it", "?y")])
    assert [link.get("aria-current") for link in svg.iter(f"{SVG}a")] == ["true", None]


def test_chosen_place_has_a_tick_and_no_label_over_its_card() -> None:
    svg = picture(places=[Place("G5", "Let rock fall", "?x", chosen=True)])
    (link,) = svg.iter(f"{SVG}a")
    assert not list(link.iter(f"{SVG}text"))
    _target, tick = link.iter(f"{SVG}path")
    assert tick.get("d") == "M43 68l4 4 7-8"


def test_picture_grows_with_the_mine_and_labels_new_columns_and_rows() -> None:
    laid = {f"-{column}5": "path-rl" for column in "AB"} | {"A4": "path-tb", "A3": "path-tb"}
    extended_laid = laid | {"A2": "path-tb", "A1": "path-tb", "A0": "path-tb"}
    labels = {text.text for text in picture(view_of(extended_laid)).iter(f"{SVG}text")}
    assert {"-A", "-B", "0", "1", "I", "7"} <= labels
    # There is room for the next card at both ends: west of -B5 and north of A0.
    assert picture(view_of(extended_laid)).get("viewBox") == f"0 0 {12 * 60 + 52} {9 * 80 + 52}"


def test_very_wide_mine_can_scroll_sideways_on_a_phone() -> None:
    cards_to_the_east = {f"{chr(66 + step)}5": "path-rl" for step in range(7)} | {
        f"{chr(66 + step)}2": "path-rl" for step in range(14)
    }
    assert picture(view_of(cards_to_the_east)).get("class") == "mine mine--wide"
    assert picture().get("class") == "mine"


def test_preview_shows_the_card_in_its_cell_and_orientation() -> None:
    for turned, shape in ((False, "path-tr"), (True, "path-bl")):
        preview = Preview("E5", "path-tr", turned=turned)
        drawing = draw_mine(view_of(), LIGHT_PALETTE, language=ENGLISH, preview=preview)
        assert laid_card(shape, LIGHT_PALETTE, is_lit=True) in drawing
    assert "E5" not in description_of(ET.fromstring(drawing))


def test_disconnected_card_is_unlit_and_described_as_cut_off() -> None:
    laid = {"B5": "path-rl", "D5": "path-rl"}
    drawing = draw_mine(view_of(laid), LIGHT_PALETTE, language=ENGLISH)
    svg = ET.fromstring(drawing)
    tunnels = {path.get("id"): path.get("d") for path in svg.iter(f"{SVG}path") if path.get("id")}
    left, top = visible_box(view_of(laid), (), None).corner("D5")
    assert tunnels["mine-unlit"] == way_data("path-rl", left, top)
    assert way_data("path-rl", left - 2 * CARD_WIDTH, top) in str(tunnels["mine-lit"])
    description = description_of(svg)
    assert "D5: straight tunnel (left, right), cut off from the start." in description
    assert "B5: straight tunnel (left, right)." in description


def test_description_distinguishes_unknown_goals_mapped_goals_and_revealed_goals() -> None:
    description_of_unknown = description_of(picture())
    assert description_of_unknown.count("face down.") == 3
    description_of_mapped = description_of(picture(view_of(goals=(None, "treasure", None))))
    assert "Goal I5: face down, but you know it's the treasure." in description_of_mapped
    laid = WINDING_TUNNEL | {"I3": "goal-tl"}
    turned = view_of(
        laid, goals=("stone-tl", None, None), turned=(True, False, False), last_laid="H3"
    )
    assert "Goal I3: revealed, stone (up, left)." in description_of(picture(turned))


def test_stone_without_orientation_is_drawn_and_described_as_undecided() -> None:
    view = view_of(goals=("stone-tl", None, None), turned=(True, False, False))
    assert "revealed; how it lies is still to be chosen." in description_of(picture(view))
    assert undecided_stone(LIGHT_PALETTE) in draw_mine(view, LIGHT_PALETTE, language=ENGLISH)
    finished_view = msgspec.structs.replace(view, winners=(1,))
    finished_drawing = draw_mine(finished_view, LIGHT_PALETTE, language=ENGLISH)
    assert undecided_stone(LIGHT_PALETTE) not in finished_drawing


def test_preview_shows_a_stone_in_the_chosen_orientation() -> None:
    for turned, shape in ((False, "goal-tl"), (True, "goal-rb")):
        preview = Preview("I3", "stone-tl", turned=turned)
        drawing = draw_mine(view_of(), LIGHT_PALETTE, language=ENGLISH, preview=preview)
        assert laid_card(shape, LIGHT_PALETTE, is_lit=True) in drawing


@pytest.mark.parametrize("goal", [None, *GOALS])
def test_picture_shows_only_goals_that_the_view_has(goal: Any) -> None:
    """The view has no goal that its seat has not seen, and the picture is drawn from the view alone."""
    drawing = draw_mine(view_of(goals=(None, goal, None)), LIGHT_PALETTE, language=ENGLISH)
    assert ("treasure" in drawing) == (goal == "treasure")
    assert ("stone" in drawing) == (goal is not None and goal != "treasure")


@pytest.mark.parametrize("palette", [LIGHT_PALETTE, DARK_PALETTE, PRINT_PALETTE])
def test_palettes_other_than_page_use_no_css_variable(palette: Palette) -> None:
    drawing = str(draw_mine(view_of(), palette, language=ENGLISH, preview=Preview("E5", "path-tr")))
    assert "var(" not in drawing
    assert all("var(" not in draw_card(card, palette, language=ENGLISH) for card in CARDS)


def test_page_palette_has_css_variables_instead_of_colours() -> None:
    drawing = draw_mine(view_of(), PAGE_PALETTE, language=ENGLISH)
    assert "var(--mine-earth)" in drawing
    assert "#" not in re.sub(r'(id|href|aria-[a-z]*)="[^"]*"|url\(#[a-z-]*\)', "", drawing)


def test_pictures_have_nothing_that_the_content_security_policy_refuses() -> None:
    places = [Place("G8", "Lay it", "?cell=G8")]
    drawing = str(draw_mine(view_of(), PAGE_PALETTE, language=ENGLISH, places=places)) + "".join(
        draw_card(card, PAGE_PALETTE, language=ENGLISH) for card in CARDS
    )
    markup = re.sub(r"<(title|desc)[^>]*>[^<]*", "", drawing).replace(" on-place", "")
    for forbidden_text in (
        "style=",
        "<style",
        "<script",
        " on",
        "xlink",
        "data:",
        "url(h",
        "url(/",
    ):
        assert forbidden_text not in markup, forbidden_text


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_lit", [True, False])
def test_every_shape_has_its_own_drawing(shape: str, *, is_lit: bool) -> None:
    drawing = laid_card(shape, LIGHT_PALETTE, is_lit=is_lit)
    ET.fromstring(f"<g>{drawing}</g>")
    assert [
        other for other in SHAPES if laid_card(other, LIGHT_PALETTE, is_lit=is_lit) == drawing
    ] == [shape]


def test_dead_ends_and_no_other_cards_have_planks() -> None:
    plank_path = "M16 27L44 54"
    for shape in SHAPES:
        has_planks = plank_path in laid_card(shape, LIGHT_PALETTE, is_lit=True)
        assert has_planks == shape.startswith("dead-"), shape


def test_dead_ends_are_never_lit() -> None:
    dead_ends = [shape for shape in SHAPES if shape.startswith("dead-")]
    assert all(
        laid_card(shape, LIGHT_PALETTE, is_lit=True)
        == laid_card(shape, LIGHT_PALETTE, is_lit=False)
        for shape in dead_ends
    )


@pytest.mark.parametrize("card", CARDS)
def test_every_card_of_the_deck_has_a_picture_with_a_title(card: str) -> None:
    svg = ET.fromstring(draw_card(card, LIGHT_PALETTE, language=ENGLISH))
    assert svg.get("role") == "img"
    assert svg.findtext(f"{SVG}title")


def test_every_card_of_the_deck_has_its_own_picture() -> None:
    drawings = {
        draw_card(card, LIGHT_PALETTE, language=ENGLISH, with_title=False) for card in CARDS
    }
    assert len(drawings) == len(CARDS)


def test_turned_card_is_drawn_and_named_in_its_turned_orientation() -> None:
    turned = draw_card("path-tr", LIGHT_PALETTE, language=ENGLISH, turned=True)
    assert "<title>bend (down, left)</title>" in turned
    assert laid_card("path-bl", LIGHT_PALETTE, is_lit=True) in turned


def test_pictures_without_title_are_hidden_from_screen_readers() -> None:
    for drawing in (
        draw_card("map", LIGHT_PALETTE, language=ENGLISH, with_title=False),
        draw_role("saboteur", LIGHT_PALETTE, language=ENGLISH, with_title=False),
        draw_goal(None, LIGHT_PALETTE, language=ENGLISH, with_title=False),
        draw_tool("cart", LIGHT_PALETTE, language=ENGLISH, with_title=False),
        draw_gold(3, LIGHT_PALETTE, language=ENGLISH, with_title=False),
    ):
        svg = ET.fromstring(drawing)
        assert svg.get("aria-hidden") == "true"
        assert svg.find(f"{SVG}title") is None


def test_broken_tool_differs_from_the_whole_tool_in_form_and_title() -> None:
    for tool in TOOLS:
        whole_tool_picture = draw_tool(tool, LIGHT_PALETTE, language=ENGLISH)
        broken = draw_tool(tool, LIGHT_PALETTE, language=ENGLISH, broken=True)
        assert broken.count("<path") > whole_tool_picture.count("<path")
        assert f"<title>{tool} broken</title>" in broken


@pytest.mark.parametrize("nuggets", [1, 2, 3])
def test_gold_card_shows_as_many_nuggets_as_it_is_worth(nuggets: int) -> None:
    drawing = draw_gold(nuggets, LIGHT_PALETTE, language=ENGLISH)
    assert drawing.count(nugget(LIGHT_PALETTE)) == nuggets


def test_two_pictures_on_a_page_share_no_id() -> None:
    two_pictures = draw_mine(view_of(), PAGE_PALETTE, language=ENGLISH, id_prefix="a") + draw_mine(
        view_of(), PAGE_PALETTE, language=ENGLISH, id_prefix="b"
    )
    ids = re.findall(r'\bid="([^"]*)"', two_pictures)
    assert len(ids) == len(set(ids)) == 24


def test_picture_of_a_full_mine_is_small_and_joined_from_cached_parts() -> None:
    view = view_of()
    drawing = draw_mine(view, PAGE_PALETTE, language=ENGLISH)
    assert len(drawing) < 10_000
    # Measured: 444 calls, because the parts of a picture are cached and only joined; the first drawing takes more than 1,000.
    assert call_count(lambda: draw_mine(view, PAGE_PALETTE, language=ENGLISH)) < 500


def call_count(function: Callable[[], object]) -> int:
    """Return how many Python functions a function calls: a measure of its work that is the same on every machine."""
    called_names: list[str] = []

    def note_call(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called_names.append(frame.f_code.co_name)

    earlier_profiler = sys.getprofile()
    sys.setprofile(note_call)
    try:
        function()
    finally:
        sys.setprofile(earlier_profiler)
    return len(called_names)


def test_labels_in_emails_can_be_read_on_a_phone() -> None:
    """A phone of 320 pixels has 270 left for the picture."""
    rng, game, widths = SeededRng(7), InMemoryGame("en-2004", seats=4), set()
    while len(game.log) < 110:
        view = view_for(game.state, due_seat(game.state))
        svg = ET.fromstring(draw_mine_for_email(view, EMAIL_PALETTE, language=ENGLISH))
        width = int((svg.get("viewBox") or "").split()[2])
        [labels] = [group for group in svg.iter(f"{SVG}g") if group.get("class") == "mine__labels"]
        assert 11 <= int(labels.get("font-size") or 0) * 270 / width < 12
        widths.add(width)
        game.play(mostly_digging_action(game.state, rng))
    assert len(widths) >= 3
