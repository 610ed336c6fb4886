"""What only a browser can show: keyboard order, colour schemes, sizes on a phone, the effect of style rules."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page
from werkzeug.datastructures import MultiDict
from wtforms import Form, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired

from tests.support.browser_contexts import open_context
from tests.support.rendering import (
    ANNA,
    layout,
    rendered,
    sample_seat_summary,
    template_environment,
)
from tests.support.views import view_of
from webapp.picture.palette import DARK_PALETTE, LIGHT_PALETTE, Palette
from webapp.picture.places import Place
from webapp.web.style_sheet import style_sheet

TABLE = """{% extends "web/base.html" %}
{% from "web/macros/seats.html" import seat_chips %}
{% from "web/macros/table.html" import mine_frame, place_list %}
{% block main %}
  <section class="panel">{{ mine_frame(view, places) }}{{ place_list(places) }}</section>
  {{ seat_chips(seats, view) }}
{% endblock %}"""
PLACES = [Place(cell, f"Lay it at {cell}", f"#{cell}") for cell in ("C4", "E5", "H5")]


def open_page(
    browser: Browser, source: str, *, scheme: Literal["light", "dark"] = "light", **values: Any
) -> Page:
    """Open a template, given as text, with the style sheet on a phone."""
    template = template_environment().from_string(source)
    html = rendered(template, layout=layout(css="data:text/css,"), **values)
    page = open_context(
        browser, viewport={"width": 360, "height": 740}, color_scheme=scheme
    ).new_page()
    page.set_content(html)
    page.add_style_tag(content=style_sheet().decode())
    return page


def open_table(browser: Browser, scheme: Literal["light", "dark"] = "light", **view: Any) -> Page:
    return open_page(
        browser,
        TABLE,
        scheme=scheme,
        view=view_of(**{"gold": ((3, 3, 2, 1), (1,), (), ())} | view),
        places=PLACES,
        seats=[sample_seat_summary(number) for number in range(4)],
        perspective=ANNA,
    )


def test_tab_reaches_every_place_once_and_enter_picks_it(browser: Browser) -> None:
    page = open_table(browser)
    labels = []
    for _ in range(12):
        page.keyboard.press("Tab")
        labels.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert [label for label in labels if label] == [place.name for place in PLACES]
    page.locator("svg a").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#E5"


def test_screen_reader_reads_the_picture_and_then_its_places(browser: Browser) -> None:
    snapshot = open_table(browser).locator(".mine-frame").aria_snapshot()
    assert 'group "The mine in round 1, after turn 17"' in snapshot
    assert 'img "The mine in round 1, after turn 17"' in snapshot
    assert snapshot.count("link ") == len(PLACES)


def test_page_fits_a_phone_without_scrolling_sideways(browser: Browser) -> None:
    page = open_table(browser)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    for bounding_box in [place.bounding_box() for place in page.locator("svg a").all()]:
        assert bounding_box is not None
        assert min(bounding_box["width"], bounding_box["height"]) >= 44


def test_wide_mine_scrolls_inside_its_frame_only(browser: Browser) -> None:
    western_cards = {f"-{chr(65 + step)}5": "path-rl" for step in range(6)}
    page = open_table(browser, laid=western_cards)
    frame = page.locator(".mine-frame").first
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("scheme, palette", [("light", LIGHT_PALETTE), ("dark", DARK_PALETTE)])
def test_mine_follows_the_preferred_colour_scheme(
    browser: Browser, scheme: Literal["light", "dark"], palette: Palette
) -> None:
    page = open_table(browser, scheme)
    fill_colour = page.locator("svg.mine rect").first.evaluate(
        "rect => getComputedStyle(rect).fill"
    )
    red, green, blue = (int(palette.earth[place : place + 2], 16) for place in (1, 3, 5))
    assert fill_colour == f"rgb({red}, {green}, {blue})"


def test_focused_place_has_a_thicker_outline(browser: Browser) -> None:
    page = open_table(browser)
    mark = page.locator("svg a").first
    stroke_width_script = "mark => parseFloat(getComputedStyle(mark).strokeWidth)"
    earlier_width = mark.evaluate(stroke_width_script)
    page.locator("svg a").first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert mark.evaluate(stroke_width_script) > earlier_width


def test_printed_page_is_light_in_either_colour_scheme(browser: Browser) -> None:
    page = open_table(browser, "dark")
    page.emulate_media(media="print")
    read_colour_script = "name => getComputedStyle(document.documentElement).getPropertyValue(name)"
    assert page.evaluate(read_colour_script, "--mine-earth") == "#ffffff"
    assert page.evaluate(read_colour_script, "--bad-background") == "#fbe6e2"


ROLE_BAR_PAGE = """{% extends "web/base.html" %}
{% block main %}<p>Before</p>{% include "play/table/_role_bar.html" %}{% endblock %}"""


def test_parts_of_the_role_bar_are_centred_on_one_line(browser: Browser) -> None:
    page = open_page(browser, ROLE_BAR_PAGE, view=view_of(), role_sentence="", goals=())
    page.set_viewport_size({"width": 900, "height": 740})
    vertical_middles = page.locator(".role-bar__summary > :not(.visually-hidden)").evaluate_all(
        "parts => parts.map(part => part.getBoundingClientRect())"
        ".map(box => (box.top + box.bottom) / 2)"
    )
    assert len(vertical_middles) == 3
    assert max(vertical_middles) - min(vertical_middles) < 1


INVALID_FIELDS_PAGE = """{% extends "web/base.html" %}
{% from "web/macros/forms.html" import field %}
{% block main %}{{ field(form.name) }}{{ field(form.pace) }}{{ field(form.note) }}{% endblock %}"""


class RequiredForm(Form):
    name = StringField(validators=[InputRequired()])
    pace = SelectField(choices=[SelectChoice("a", "Brisk")], validators=[InputRequired()])
    note = TextAreaField(validators=[InputRequired()])


def test_invalid_fields_have_a_thick_border(browser: Browser) -> None:
    form = RequiredForm(MultiDict())
    form.validate()
    page = open_page(browser, INVALID_FIELDS_PAGE, form=form)
    widths = page.locator("[aria-invalid]").evaluate_all(
        "fields => fields.map(field => getComputedStyle(field).borderTopWidth)"
    )
    assert widths == ["2px", "2px", "2px"]


DETAILS_PAGE = """{% extends "web/base.html" %}
{% block main %}<details open><summary>More</summary><p>Text</p></details>{% endblock %}"""


def test_open_summary_has_space_below(browser: Browser) -> None:
    page = open_page(browser, DETAILS_PAGE)
    summary, text = (page.locator(f"details > {tag}").bounding_box() for tag in ("summary", "p"))
    assert summary is not None
    assert text is not None
    assert text["y"] - (summary["y"] + summary["height"]) >= 8
