"""The style sheet, the frame of every page and the macros."""

import re
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    pass_context,
    pass_environment,
    pass_eval_context,
)
from markupsafe import Markup
from wtforms import BooleanField, Form, RadioField, StringField, validators
from wtforms.fields.choices import SelectChoice

from engine.errors import Reason
from engine.state import RoundResult
from engine.story import Line, LineKey
from tests.support.views import view_of
from webapp.i18n import language_for, zone_for
from webapp.picture.mine import Ghost, Place
from webapp.picture.palette import DARK, LIGHT, PRINT
from webapp.resources import templates_folder
from webapp.services.play.cards import HistoryEntry, SeatCard
from webapp.templating import prepare
from webapp.web.layout import Layout, NavLink
from webapp.wording.perspective import Perspective
from webapp.wording.refusals import refusal

SHEET = Path(__file__).resolve().parents[2] / "webapp" / "static" / "lodepost.css"
NOW = datetime(2026, 5, 5, 12, tzinfo=UTC)
ENGLISH = language_for("en")
HOSTILE = "<b>\"Bob\" & 'Co'</b>"
ANNA = Perspective(language=ENGLISH, names=("Anna", HOSTILE, "Carol", "Dave"), me=0)

TEXT = ("text", "muted", "accent", "good", "warn", "bad", "info")
GROUNDS = ("ground", "surface", "sunken")
PAIRS = [
    *product(TEXT, GROUNDS),
    *((kind, f"{kind}-ground") for kind in ("good", "warn", "bad", "info")),
    *(("text", f"{kind}-ground") for kind in ("good", "warn", "bad", "info")),
    ("on-accent", "accent"),
    ("on-danger", "danger"),
    ("mine-label", "mine-earth"),
    ("mine-on-place", "mine-place"),
]
SHAPES = [
    ("focus", "ground"),
    ("focus", "surface"),
    ("mine-place", "mine-earth"),
    ("mine-last", "mine-earth"),
    ("mine-lit", "mine-tunnel-edge"),
    ("mine-tunnel-edge", "mine-unlit"),
    ("mine-on-badge", "mine-bad"),
    ("mine-on-badge", "mine-good"),
    ("mine-ink", "mine-paper"),
    ("mine-gold", "mine-gold-edge"),
]


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", block))


def schemes() -> dict[str, dict[str, str]]:
    light, dark, printed = re.findall(r":root \{(.+?)\n\s*\}", SHEET.read_text("utf-8"), re.DOTALL)[
        :3
    ]
    return {
        "light": variables(light),
        "dark": variables(light) | variables(dark),
        "print": variables(light) | variables(printed),
    }


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.2, from 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("pair", PAIRS, ids="/".join)
def test_words_have_the_contrast_of_level_aa(scheme: str, pair: tuple[str, str]) -> None:
    colours = schemes()[scheme]
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("pair", SHAPES, ids="/".join)
def test_what_must_be_seen_stands_out_from_its_ground(scheme: str, pair: tuple[str, str]) -> None:
    colours = schemes()[scheme]
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 3


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_style_sheet_gives_the_mine_the_colours_of_the_palettes() -> None:
    for scheme, palette in zip(schemes().values(), (LIGHT, DARK, PRINT), strict=True):
        colours = {f"mine-{key.replace('_', '-')}": value for key, value in asdict(palette).items()}
        del colours["mine-font"]
        assert colours.items() <= scheme.items()


def test_the_style_sheet_asks_nothing_of_anybody_else() -> None:
    sheet = SHEET.read_text("utf-8")
    assert "url(" not in sheet
    assert "@import" not in sheet
    assert "@font-face" not in sheet


def test_every_variable_that_is_used_is_given() -> None:
    sheet = SHEET.read_text("utf-8")
    used = set(re.findall(r"var\(--([\w-]+)\)", sheet))
    given = set(re.findall(r"--([\w-]+):", sheet))
    assert used <= given


def test_motion_is_only_for_those_who_have_not_asked_for_less() -> None:
    sheet = SHEET.read_text("utf-8")
    moving = sheet[sheet.index("prefers-reduced-motion: no-preference") :]
    before = sheet[: sheet.index("prefers-reduced-motion: no-preference")]
    assert "transition" in moving
    assert "transition" not in before
    assert "animation" not in sheet


@pytest.fixture(scope="module")
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(templates_folder()), autoescape=True, undefined=StrictUndefined
    )
    prepare(made)
    return made


def layout(**changed: Any) -> Layout:
    given: dict[str, Any] = {
        "home": "/",
        "css": "/static/lodepost.css",
        "rules": "/rules",
        "about": "/about",
        "links": (NavLink("/", "Home", current=True), NavLink("/next", "Table")),
    }
    return Layout(**(given | changed))


def render(environment: Environment, source: str, **values: Any) -> str:
    context: dict[str, Any] = {
        "language": ENGLISH,
        "zone": zone_for("Europe/Riga"),
        "now": NOW,
        "layout": layout(),
        "csp_nonce": "n",
        "csrf_token": lambda: "t<",
    }
    shown = environment.from_string(source).render(context | values)
    # Where a tag breaks its lines is the formatter's business.
    return re.sub(r"\s+", " ", shown)


def test_every_page_says_its_language_and_can_skip_to_its_content(environment: Environment) -> None:
    page = render(environment, '{% extends "web/base.html" %}{% block title %}A{% endblock %}')
    assert '<html lang="en">' in page
    assert page.index('href="#main"') < page.index("<header")
    assert '<main class="page" id="main" tabindex="-1">' in page
    assert "<title>A</title>" in page
    assert "trademark of its publisher" in page


def test_header_marks_the_current_page(environment: Environment) -> None:
    page = render(environment, '{% extends "web/base.html" %}')
    assert '<a href="/" aria-current="page">Home' in page


def test_the_sign_is_decoration_for_those_who_hear_the_name(environment: Environment) -> None:
    page = render(
        environment, '{% extends "web/base.html" %}', layout=layout(icon="/static/icon.svg")
    )
    assert '<link rel="icon" type="image/svg+xml" href="/static/icon.svg">' in page
    assert '<img src="/static/icon.svg" alt=""' in page
    assert "icon" not in render(environment, '{% extends "web/base.html" %}')


def test_announcements_stand_above_the_page_with_their_kind_in_words(
    environment: Environment,
) -> None:
    page = render(
        environment,
        '{% extends "web/base.html" %}{% block main %}HERE{% endblock %}',
        layout=layout(flashes=(("bad", HOSTILE), ("good", "Fine"))),
    )
    assert page.index("Fine") < page.index("HERE")
    assert "This did not work" in page
    assert str(Markup.escape(HOSTILE)) in page
    assert HOSTILE not in page


def test_the_frame_has_no_inline_style_and_no_script(environment: Environment) -> None:
    page = render(environment, '{% extends "web/base.html" %}')
    assert "<script" not in page
    assert "style=" not in page
    assert "<style" not in page


def test_a_template_without_a_language_says_what_is_missing(environment: Environment) -> None:
    with pytest.raises(TypeError, match="no language"):
        render(environment, '{{ _("The rules") }}', language=None)


def test_what_a_template_calls_in_a_loop_gets_what_it_asks_for(environment: Environment) -> None:
    asked = {
        "the_environment": pass_environment(lambda given, n: n if given is environment else "?"),
        "the_language": pass_context(lambda given, n: given["language"].code * n),
        "whether_escaped": pass_eval_context(lambda given, n: n if given.autoescape else "?"),
        "nothing": lambda n: n,
    }
    shown = render(
        environment,
        "{% for n in (1, 2) %}{{ the_environment(n) }} {{ the_language(n) }} {{ whether_escaped(n) }}"
        " {{ nothing(n) }};{% endfor %}",
        **asked,
    )
    assert shown == "1 en 1 1;2 enen 2 2;"


def test_sentences_in_templates_escape_what_is_put_into_them(environment: Environment) -> None:
    shown = render(
        environment,
        '{{ _("Round %(round)s", round=name) }} {{ ngettext("%(num)s card", "%(num)s cards", 2) }}'
        ' {{ pgettext("verb", "Pass") }} {{ npgettext("x", "%(num)s a", "%(num)s b", 1) }}',
        name="<b>",
    )
    assert shown == "Round &lt;b&gt; 2 cards Pass 1 a"


def test_times_are_shown_in_the_zone_of_the_reader_and_kept_for_machines(
    environment: Environment,
) -> None:
    shown = render(
        environment,
        '{% from "web/macros/times.html" import deadline, moment with context %}'
        "{{ deadline(at) }}{{ moment(at) }}{{ at|absolute }}{{ gap|duration }}",
        at=NOW + timedelta(hours=2),
        gap=timedelta(days=3),
    )
    assert 'class="deadline deadline--soon"' in shown
    assert 'datetime="2026-05-05T14:00:00+00:00"' in shown
    assert "Tue 5 May, 17:00 (EEST), in 2 hours." in shown
    assert "3 days" in shown


class Sample(Form):
    name = StringField("Name", [validators.InputRequired("Say a name.")])
    agree = BooleanField("I agree")
    pace = RadioField("Pace", choices=[SelectChoice("a", "Brisk"), SelectChoice("b", "Daily")])


def test_a_field_with_an_error_is_tied_to_its_words(environment: Environment) -> None:
    form = Sample()
    form.validate()
    shown = render(
        environment,
        '{% from "web/macros/forms.html" import field, choices, error_summary with context %}'
        '{{ error_summary(form) }}{{ field(form.name, "As the others see it.", autocomplete="name") }}'
        '{{ field(form.agree) }}{{ choices(form.pace, "Pace") }}',
        form=form,
    )
    assert 'aria-describedby="name-hint name-error-1"' in shown
    assert 'aria-invalid="true"' in shown
    assert 'autocomplete="name"' in shown
    assert '<p class="field__hint" id="name-hint">' in shown
    assert 'id="name-error-1"' in shown
    assert '<a href="#name">Name</a>' in shown
    assert 'type="checkbox"' in shown
    assert shown.count('type="radio"') == 2


def test_a_form_of_one_button_posts_with_its_token(environment: Environment) -> None:
    shown = render(
        environment,
        '{% from "web/macros/forms.html" import button_form with context %}'
        '{{ button_form("/games/x/ready", "Ready", "primary", {"seq": 4}) }}',
    )
    assert 'method="post" action="/games/x/ready"' in shown
    assert 'name="csrf_token" value="t&lt;"' in shown
    assert 'name="seq" value="4"' in shown
    assert '<button class="button button--primary" type="submit">Ready</button>' in shown


def test_a_refusal_leads_to_its_rule(environment: Environment) -> None:
    shown = render(
        environment,
        '{% from "web/macros/notices.html" import refusal, empty with context %}'
        '{{ refusal(told, "/rules/en-2004") }}{{ empty("Nothing here.", "/new", "Open a game") }}',
        told=refusal(Reason.EDGES_DISAGREE, ENGLISH),
    )
    assert 'href="/rules/en-2004#R15"' in shown
    assert 'role="alert"' in shown
    assert '<a class="button" href="/new">Open a game</a>' in shown


def test_the_hand_is_links_and_what_cannot_be_used_says_why(environment: Environment) -> None:
    tiles = [
        SimpleNamespace(card="map", turned=False, href="?card=map", chosen=True, note=None),
        SimpleNamespace(
            card="rockfall", turned=False, href=None, chosen=False, note="nothing lies"
        ),
    ]
    shown = render(
        environment,
        '{% from "web/macros/cards.html" import hand, gold_radio with context %}'
        '{{ hand(tiles, "Your hand") }}{{ gold_radio("gold", 3, true) }}',
        tiles=tiles,
    )
    assert '<a class="card-tile" href="?card=map" aria-current="true">' in shown
    assert "nothing lies" in shown
    assert shown.count("<a ") == 1
    assert 'name="gold" value="3" checked' in shown
    assert "3 nuggets" in shown


def seat(number: int, **changed: Any) -> SeatCard:
    given: dict[str, Any] = {
        "number": number,
        "name": ANNA.names[number],
        "is_bot": False,
        "is_me": number == 0,
        "is_free": False,
        "is_ready": True,
        "has_salt": False,
        "is_gone": False,
        "is_awaited": number == 1,
    }
    return SeatCard(**(given | changed))


SEATS = (
    '{% from "web/macros/table.html" import seat_list with context %}{{ seat_list(seats, view) }}'
)


def test_a_seat_says_in_words_who_is_awaited_and_what_is_broken(environment: Environment) -> None:
    view = view_of(gold=((2, 1), None, None, None), round=2)
    shown = render(environment, SEATS, seats=[seat(n) for n in range(4)], view=view)
    assert shown.count("is awaited") == 1
    assert "lantern broken" in shown
    assert "3 nuggets" in shown
    assert str(Markup.escape(HOSTILE)) in shown
    assert "saboteur" not in shown


def test_a_seat_in_the_lobby_says_whether_it_is_free_or_ready(environment: Environment) -> None:
    seats = [seat(0), seat(1, is_ready=False), seat(2, is_free=True), seat(3, has_salt=True)]
    shown = render(environment, SEATS, seats=seats, view=None)
    assert "Free seat" in shown
    assert "not ready yet" in shown
    assert "added a pinch of salt" in shown
    assert "card in hand" not in shown


def test_history_shows_each_turn_with_its_words_and_one_small_picture(
    environment: Environment,
) -> None:
    lines = (
        Line(key=LineKey.CARD_LAID, seat=1, card="path-rl", cell="H3"),
        Line(key=LineKey.STONE_TURNED, seat=1, cell="I3", goal="stone-tl"),
    )
    told = [
        HistoryEntry(seq=0, seat=None, by="player", at=NOW, lines=()),
        HistoryEntry(seq=4, seat=1, by="player", at=NOW, lines=lines),
        HistoryEntry(
            seq=5, seat=0, by="clock", at=NOW, lines=(Line(key=LineKey.DISCARDED, seat=0),)
        ),
    ]
    shown = render(
        environment,
        '{% from "web/macros/history.html" import timeline with context %}'
        "{{ timeline(told, perspective, view) }}",
        told=told,
        perspective=ANNA,
        view=view_of(),
    )
    assert "The deal" in shown
    assert str(Markup.escape(f"{HOSTILE} laid a path card at H3")) in shown
    assert "You discarded a card face down." in shown
    assert shown.count("<svg") == 1
    assert 'id="line-4-picture"' in shown
    assert "time ran out" in shown
    assert shown.count("timeline__turn--mine") == 1


def test_results_name_roles_shares_and_winners(environment: Environment) -> None:
    result = RoundResult(
        round=1,
        ending="exhausted",
        winners="saboteurs",
        roles=("digger", "saboteur", "digger", "digger"),
        aside="digger",
        gold_cards=(2, 0, 0, 0),
        nuggets_paid=(0, 4, 0, 0),
    )
    view = view_of(results=(result,), winners=(1,), gold=((1, 1), (2, 2), (), ()))
    shown = render(
        environment,
        '{% from "web/macros/results.html" import round_table, final_table with context %}'
        "{{ round_table(view, perspective) }}{{ final_table(view, perspective) }}",
        perspective=ANNA,
        view=view,
    )
    assert "2 gold cards" in shown
    assert "4 nuggets" in shown
    assert "nothing" in shown
    assert shown.count("winner</span>") == 1
    assert '<td class="num">4</td>' in shown


def test_the_role_and_what_one_knows_are_shown_and_nothing_to_onlookers(
    environment: Environment,
) -> None:
    source = (
        '{% from "web/macros/cards.html" import role_card with context %}'
        '{{ role_card(view, "You win.", ("Goal I3: face down.",)) }}'
    )
    shown = render(environment, source, view=view_of())
    assert "gold-digger" in shown
    assert "Goal I3: face down." in shown
    assert render(environment, source, view=view_of(role=None, seat=None)).strip() == ""


def test_places_are_listed_in_words_too(environment: Environment) -> None:
    shown = render(
        environment,
        '{% from "web/macros/table.html" import mine_frame, place_list with context %}'
        "{{ mine_frame(view, places, ghost) }}{{ place_list(places) }}{{ place_list(()) }}",
        view=view_of(),
        places=[Place("E5", "Lay it at E5", "?cell=E5"), Place("H5", "Lay it at H5", "?cell=H5")],
        ghost=Ghost("E5", "path-tr"),
    )
    assert "The same 2 places as a list" in shown
    assert shown.count('href="?cell=E5"') == 2
    assert shown.count("<details") == 1


def test_every_picture_and_word_is_there_for_templates(environment: Environment) -> None:
    shown = render(
        environment,
        '{{ goal_picture("treasure") }}{{ role_picture("saboteur") }}{{ tool_picture("cart") }}'
        '{{ gold_picture(2) }}{{ card_picture("path-tr", turned=true) }}'
        '{{ "path-bl"|shape_name }}{{ "cart"|tool_name }}{{ "treasure"|goal_name }}{{ at|relative }}',
        at=NOW,
    )
    assert shown.count("<svg") == 5
    assert "bend (down, left)" in shown
    assert shown.endswith("the treasurejust now")


def test_a_commitment_can_be_copied_whole(environment: Environment) -> None:
    shown = render(
        environment,
        '{% from "web/macros/commitments.html" import commitment with context %}{{ commitment("Gold", "ab12") }}',
    )
    assert "<code>ab12</code>" in shown
