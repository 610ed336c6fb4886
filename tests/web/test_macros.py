"""The macros of pages: forms, notices, the hand, seats, history, results, the mine."""

from types import SimpleNamespace

import pytest
from markupsafe import Markup
from wtforms import BooleanField, Form, RadioField, StringField, validators
from wtforms.fields.choices import SelectChoice

from engine.errors import Reason
from engine.narration import Line, LineKey
from engine.state import RoundResult
from tests.support.rendering import ANNA, ENGLISH, HOSTILE_NAME, NOW, render, sample_seat_summary
from tests.support.views import view_of
from webapp.kernel import urls
from webapp.picture.places import Place, Preview
from webapp.play.history import HistoryEntry
from webapp.wording.error_messages import refusal
from webapp.wording.turns import NO_NOTE, HandNote


class SampleForm(Form):
    name = StringField("Name", [validators.InputRequired("Say a name.")])
    agree = BooleanField("I agree")
    pace = RadioField("Pace", choices=[SelectChoice("a", "Brisk"), SelectChoice("b", "Daily")])


def test_field_with_an_error_refers_to_its_hint_and_its_error() -> None:
    form = SampleForm()
    form.validate()
    rendered_text = render(
        '{% from "web/macros/forms.html" import field, choices, error_summary %}'
        '{{ error_summary(form) }}{{ field(form.name, "As the others see it.", autocomplete="name") }}'
        '{{ field(form.agree) }}{{ choices(form.pace, "Pace") }}',
        form=form,
    )
    assert 'aria-describedby="name-hint name-error-1"' in rendered_text
    assert 'aria-invalid="true"' in rendered_text
    assert 'autocomplete="name"' in rendered_text
    assert '<p class="field__hint" id="name-hint">' in rendered_text
    assert 'id="name-error-1"' in rendered_text
    assert '<a href="#name">Name</a>' in rendered_text
    assert 'type="checkbox"' in rendered_text
    assert rendered_text.count('type="radio"') == 2


def test_button_form_posts_with_its_csrf_token() -> None:
    rendered_text = render(
        '{% from "web/macros/forms.html" import button_form %}'
        '{{ button_form("/games/x/ready", "Ready", "primary", {"seq": 4}) }}',
    )
    assert 'method="post" action="/games/x/ready"' in rendered_text
    assert 'name="csrf_token" value="t&lt;"' in rendered_text
    assert 'name="seq" value="4"' in rendered_text
    assert '<button class="button button--primary" type="submit">Ready</button>' in rendered_text


def test_refusal_links_to_its_rule() -> None:
    rendered_text = render(
        '{% from "web/macros/notices.html" import refusal, empty %}'
        '{{ refusal(refused, "/rules/en-2004") }}{{ empty("Nothing here.", "/new", "Open a game") }}',
        refused=refusal(Reason.EDGES_DIFFER, ENGLISH),
    )
    assert 'href="/rules/en-2004#R15"' in rendered_text
    assert 'role="alert"' in rendered_text
    assert '<a class="button" href="/new">Open a game</a>' in rendered_text


def test_hand_cards_are_links_and_others_say_why_they_cannot_be_picked() -> None:
    tiles = [
        SimpleNamespace(card="map", turned=False, href="?card=map", chosen=True, note=NO_NOTE),
        SimpleNamespace(
            card="rockfall",
            turned=False,
            href=None,
            chosen=False,
            note=HandNote("nothing lies there", "nothing lies"),
        ),
    ]
    rendered_text = render(
        '{% from "web/macros/cards.html" import hand, gold_radio %}'
        '{{ hand(tiles, "Your hand") }}{{ gold_radio("gold", 3, true) }}',
        tiles=tiles,
    )
    assert '<a class="card-tile" href="?card=map" aria-current="true">' in rendered_text
    assert '<span class="visually-hidden">nothing lies there</span>' in rendered_text
    assert rendered_text.count("<a ") == 1
    assert 'name="gold" value="3" checked' in rendered_text
    assert "3 nuggets" in rendered_text


def test_chips_of_seats_name_who_is_to_play_and_what_is_broken() -> None:
    view = view_of(gold=((2, 1), None, None, None), round=2)
    rendered_text = render(
        '{% from "web/macros/seats.html" import seat_chips %}{{ seat_chips(seats, view) }}',
        seats=[sample_seat_summary(n) for n in range(4)],
        view=view,
    )
    assert rendered_text.count("to play") == 1
    assert "lantern broken" in rendered_text
    assert "3 nuggets" in rendered_text
    assert str(Markup.escape(HOSTILE_NAME)) in rendered_text
    assert "saboteur" not in rendered_text


def test_seat_list_of_the_lobby_shows_free_and_ready_seats() -> None:
    seats = [
        sample_seat_summary(0),
        sample_seat_summary(1, is_ready=False),
        sample_seat_summary(2, is_free=True),
        sample_seat_summary(3, has_salt=True),
    ]
    rendered_text = render(
        '{% from "web/macros/table.html" import seat_list %}{{ seat_list(seats) }}',
        seats=seats,
    )
    assert "Free seat" in rendered_text
    assert "not ready yet" in rendered_text
    assert "added random words" in rendered_text
    assert "card in hand" not in rendered_text


@pytest.mark.parametrize("macro", ["seat_list", "invited_seats"])
def test_bot_before_the_deal_is_a_name_and_a_badge_whose_title_has_the_level(macro: str) -> None:
    seats = [sample_seat_summary(0), sample_seat_summary(1, is_bot=True, bot_level="steady")]
    rendered_text = render(
        f'{{% from "web/macros/table.html" import {macro} %}}{{{{ {macro}(seats) }}}}',
        seats=seats,
    )
    assert '<span class="badge" title="bot, steady">bot</span>' in rendered_text


def test_timeline_shows_each_turn_with_its_sentences_and_the_card_it_laid() -> None:
    lines = (
        Line(key=LineKey.CARD_LAID, seat=1, card="path-rl", cell="H3"),
        Line(key=LineKey.STONE_TURNED, seat=1, cell="I3", goal="stone-tl"),
    )
    entries = [
        HistoryEntry(seq=0, seat=None, by="player", at=NOW, lines=()),
        HistoryEntry(seq=4, seat=1, by="player", at=NOW, lines=lines),
        HistoryEntry(
            seq=5, seat=0, by="clock", at=NOW, lines=(Line(key=LineKey.DISCARDED, seat=0),)
        ),
    ]
    rendered_text = render(
        '{% from "web/macros/history.html" import timeline %}'
        '{{ timeline(entries, perspective, slug="abc") }}',
        entries=entries,
        perspective=ANNA,
        urls=urls,
    )
    assert "The deal" in rendered_text
    assert str(Markup.escape(f"{HOSTILE_NAME} laid a straight tunnel at H3")) in rendered_text
    assert "Your time ran out; a card was discarded face down." in rendered_text
    assert rendered_text.count("<svg") == 1
    assert "until=4#mine" in rendered_text
    assert rendered_text.count("player-mark--") == 2


def test_gold_that_was_picked_automatically_is_no_plan() -> None:
    lines = (Line(key=LineKey.GOLD_TAKEN, seat=0),)
    entries = [
        HistoryEntry(seq=seat + 1, seat=seat, by="server", at=NOW, lines=lines) for seat in (0, 1)
    ]
    rendered_text = render(
        '{% from "web/macros/history.html" import timeline %}{{ timeline(entries, perspective) }}',
        entries=entries,
        perspective=ANNA,
    )
    assert rendered_text.count("picked for you") == 1
    assert rendered_text.count("picked automatically") == 1
    assert "by plan" not in rendered_text


def test_results_show_roles_and_shares() -> None:
    result = RoundResult(
        round=1,
        ending="exhausted",
        winners="saboteurs",
        roles=("digger", "saboteur", "digger", "digger"),
        aside="digger",
        gold_cards=(2, 0, 0, 0),
        nuggets_paid=(0, 4, 0, 0),
    )
    view = view_of(results=(result,))
    rendered_text = render(
        '{% from "web/macros/results.html" import round_table %}'
        "{{ round_table(view, perspective) }}",
        perspective=ANNA,
        view=view,
    )
    assert "2 gold cards" in rendered_text
    assert "4 nuggets" in rendered_text
    assert "none" in rendered_text


def test_reveal_says_why_gold_of_others_is_shown_without_nuggets() -> None:
    result = RoundResult(
        round=1,
        ending="treasure",
        winners="diggers",
        roles=("digger", "digger", "saboteur"),
        aside="saboteur",
        gold_cards=(2, 1, 0),
        nuggets_paid=(0, 0, 0),
    )
    for gold, is_said in ((((3, 1), None, None), True), (((3, 1), (1,), ()), False)):
        rendered_text = render(
            '{% from "play/over/_round.html" import reveal %}{{ reveal(over, perspective) }}',
            perspective=ANNA,
            over=SimpleNamespace(result=result, gold=gold, is_gold_pending=False),
        )
        assert "4 nuggets" in rendered_text
        assert ("1 gold card" in rendered_text) is is_said
        assert ("Gold cards stay face down until the game ends." in rendered_text) is is_said


@pytest.mark.parametrize("seats, is_said", [((1, 0, 0), True), ((1, 2), False), ((), False)])
def test_gold_that_was_picked_for_the_viewer_leads_to_the_setting(
    seats: tuple[int, ...], *, is_said: bool
) -> None:
    entries = [
        HistoryEntry(seq=number, seat=seat, by="server", at=NOW, lines=())
        for number, seat in enumerate(seats)
    ]
    rendered_text = render(
        '{% from "play/over/_round.html" import picked_gold %}{{ picked_gold(entries, perspective) }}',
        entries=entries,
        perspective=ANNA,
        urls=urls,
    )
    assert rendered_text.count(f"{urls.profile()}#picks_gold") == is_said


def test_role_bar_shows_role_and_goals_as_pictures_and_sentences() -> None:
    rendered_text = render(
        '{% include "play/table/_role_bar.html" %}',
        view=view_of(),
        role_sentence="You win.",
        goals=("Goal I3: face down.",),
    )
    summary, sentences = rendered_text.split("</summary>")
    assert "gold-digger" in summary
    assert summary.count("<title>face down</title>") == 3
    assert "You win." in sentences
    assert "Goal I3: face down." in sentences


def test_places_of_the_mine_are_also_a_list_of_links() -> None:
    rendered_text = render(
        '{% from "web/macros/table.html" import mine_frame, place_list %}'
        "{{ mine_frame(view, places, preview) }}{{ place_list(places) }}{{ place_list(()) }}",
        view=view_of(),
        places=[Place("E5", "Lay it at E5", "?cell=E5"), Place("H5", "Lay it at H5", "?cell=H5")],
        preview=Preview("E5", "path-tr"),
    )
    assert "Show these 2 places as a list" in rendered_text
    assert rendered_text.count('href="?cell=E5"') == 2
    assert rendered_text.count("<details") == 1


def test_templates_have_every_picture_and_name() -> None:
    rendered_text = render(
        '{{ goal_picture("treasure") }}{{ role_picture("saboteur") }}{{ tool_picture("cart") }}'
        '{{ gold_picture(2) }}{{ card_picture("path-tr", turned=true) }}'
        '{{ "map"|card_name }}{{ "treasure"|goal_name }}{{ at|relative }}',
        at=NOW,
    )
    assert rendered_text.count("<svg") == 5
    assert rendered_text.endswith("mapthe treasurejust now")


def test_commitment_is_unbroken_text() -> None:
    rendered_text = render(
        '{% from "web/macros/commitments.html" import commitment %}{{ commitment("Gold", "ab12") }}',
    )
    assert "<code>ab12</code>" in rendered_text
