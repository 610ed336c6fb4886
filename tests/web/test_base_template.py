"""What surrounds every page, and the sentences and times in templates."""

from datetime import timedelta

import pytest
from markupsafe import Markup

from tests.support.rendering import HOSTILE_NAME, NOW, layout, render, template_environment


def test_page_names_its_language_and_starts_with_a_skip_link() -> None:
    page = render('{% extends "web/base.html" %}{% block title %}A{% endblock %}')
    assert '<html lang="en">' in page
    assert page.index('href="#main"') < page.index("<header")
    assert '<main class="page" id="main" tabindex="-1">' in page
    assert "<title>A</title>" in page
    assert "trademark of its publisher" in page


def test_header_marks_the_current_page() -> None:
    page = render('{% extends "web/base.html" %}')
    assert '<a href="/" aria-current="page">Home' in page


def test_icon_has_no_text_alternative_beside_the_name() -> None:
    page = render('{% extends "web/base.html" %}', layout=layout(icon="/static/icon.svg"))
    assert '<link rel="icon" type="image/svg+xml" href="/static/icon.svg">' in page
    assert '<img src="/static/icon.svg" alt=""' in page
    assert "icon" not in render('{% extends "web/base.html" %}')


def test_flashed_messages_are_above_the_page_and_name_their_kind() -> None:
    page = render(
        '{% extends "web/base.html" %}{% block main %}HERE{% endblock %}',
        layout=layout(flashes=(("bad", HOSTILE_NAME), ("good", "Fine"))),
    )
    assert page.index("Fine") < page.index("HERE")
    assert "That didn't work" in page
    assert str(Markup.escape(HOSTILE_NAME)) in page
    assert HOSTILE_NAME not in page


def test_base_template_has_no_inline_style_and_no_script() -> None:
    page = render('{% extends "web/base.html" %}')
    assert "<script" not in page
    assert "style=" not in page
    assert "<style" not in page


def test_rendering_without_a_reader_raises_an_error() -> None:
    with pytest.raises(LookupError):
        template_environment().from_string('{{ _("Rules") }}').render()


def test_translated_sentences_escape_their_values() -> None:
    rendered_text = render(
        '{{ _("Round %(round)s", round=name) }} {{ ngettext("%(num)s card", "%(num)s cards", 2) }}',
        name="<b>",
    )
    assert rendered_text == "Round &lt;b&gt; 2 cards"


def test_times_are_shown_in_the_zone_of_the_viewer_and_in_machine_format() -> None:
    rendered_text = render(
        '{% from "web/macros/times.html" import deadline, moment %}'
        "{{ deadline(at) }}{{ moment(at) }}{{ at|absolute }}{{ gap|duration }}",
        at=NOW + timedelta(hours=2),
        gap=timedelta(days=3),
    )
    assert 'class="deadline deadline--soon"' in rendered_text
    assert 'datetime="2026-05-05T14:00:00+00:00"' in rendered_text
    assert "Play by Tue 5 May, 17:00 EEST (2 hours left)" in rendered_text
    assert "3 days" in rendered_text
