"""What only a browser knows: whether the keyboard reaches a place, what is seen in the dark, what fits a phone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.required_programs import chromium
from tests.support.views import view_of
from tests.web.test_look import ANNA, ENGLISH, NOW, layout, seat
from webapp.i18n import zone_for
from webapp.picture.mine import Place
from webapp.picture.palette import DARK, LIGHT, Palette
from webapp.resources import templates_folder
from webapp.templating import prepare

SHEET = Path(__file__).resolve().parents[2] / "webapp" / "static" / "lodepost.css"
TABLE = """{% extends "web/base.html" %}
{% from "web/macros/table.html" import mine_frame, place_list, seat_list with context %}
{% from "web/macros/cards.html" import role_card with context %}
{% from "web/macros/results.html" import final_table with context %}
{% block main %}
  {{ role_card(view, "You win if a path reaches the treasure.") }}
  <section class="panel">{{ mine_frame(view, places) }}{{ place_list(places) }}</section>
  {{ seat_list(seats, view) }}{{ final_table(view, perspective) }}
{% endblock %}"""
PLACES = [Place(cell, f"Lay it at {cell}", f"#{cell}") for cell in ("C4", "E5", "H5")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield launched
        launched.close()


def open_table(browser: Browser, scheme: Literal["light", "dark"] = "light", **view: Any) -> Page:
    environment = Environment(
        loader=FileSystemLoader(templates_folder()), autoescape=True, undefined=StrictUndefined
    )
    prepare(environment)
    known = view_of(**{"gold": ((3, 3, 2, 1), (1,), (), ())} | view)
    html = environment.from_string(TABLE).render(
        language=ENGLISH,
        zone=zone_for("UTC"),
        now=NOW,
        layout=layout(css="data:text/css,"),
        csp_nonce="n",
        view=known,
        places=PLACES,
        seats=[seat(number) for number in range(4)],
        perspective=ANNA,
    )
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.set_content(html)
    page.add_style_tag(content=SHEET.read_text("utf-8"))
    return page


def test_the_keyboard_meets_every_place_once_and_enter_chooses_it(browser: Browser) -> None:
    page = open_table(browser)
    met = []
    for _ in range(12):
        page.keyboard.press("Tab")
        met.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert [words for words in met if words] == [place.words for place in PLACES]
    page.locator("svg a").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#E5"


def test_a_screen_reader_hears_a_picture_and_then_its_places(browser: Browser) -> None:
    heard = open_table(browser).locator(".mine-frame").aria_snapshot()
    assert 'group "The mine in round 1, after turn 17"' in heard
    assert 'img "The mine in round 1, after turn 17"' in heard
    assert heard.count("link ") == len(PLACES)


def test_a_phone_shows_the_page_without_scrolling_sideways(browser: Browser) -> None:
    page = open_table(browser)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    for box in [place.bounding_box() for place in page.locator("svg a").all()]:
        assert box is not None
        # The least size of a target in WCAG 2.2, 2.5.8.
        assert min(box["width"], box["height"]) >= 24


def test_a_mine_too_wide_for_a_phone_scrolls_inside_its_frame_alone(browser: Browser) -> None:
    west = {f"-{chr(65 + step)}5": "path-rl" for step in range(6)}
    page = open_table(browser, laid=west)
    frame = page.locator(".mine-frame").first
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("scheme, palette", [("light", LIGHT), ("dark", DARK)])
def test_the_mine_follows_the_light_of_the_reader(
    browser: Browser, scheme: Literal["light", "dark"], palette: Palette
) -> None:
    page = open_table(browser, scheme)
    fill = page.locator("svg.mine rect").first.evaluate("rect => getComputedStyle(rect).fill")
    red, green, blue = (int(palette.earth[place : place + 2], 16) for place in (1, 3, 5))
    assert fill == f"rgb({red}, {green}, {blue})"


def test_a_focused_place_is_marked_by_more_than_colour(browser: Browser) -> None:
    page = open_table(browser)
    mark = page.locator("svg a .mine__hit").first
    width = "mark => parseFloat(getComputedStyle(mark).strokeWidth)"
    before = mark.evaluate(width)
    page.locator("svg a").first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert mark.evaluate(width) > before


def test_paper_is_white_whatever_the_reader_prefers_on_screen(browser: Browser) -> None:
    page = open_table(browser, "dark")
    page.emulate_media(media="print")
    colours = "name => getComputedStyle(document.documentElement).getPropertyValue(name)"
    assert page.evaluate(colours, "--mine-earth") == "#ffffff"
    assert page.evaluate(colours, "--bad-ground") == "#fbe6e2"
