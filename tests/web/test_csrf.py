"""Every form has the CSRF token of its browser; a form with another changes nothing and keeps what was typed."""

import re

import pytest
from flask import Flask

from tests.support.cast import ALICE, BOB
from tests.support.html import Page
from tests.support.page_robot import discard_form
from tests.support.visitors import Site, open_table, table_link
from webapp.kernel import urls

INVALID_TOKENS: list[dict[str, str]] = [
    {},
    {"csrf_token": ""},
    {"csrf_token": "forged"},
    {"csrf_token": "\x00"},
    {"csrf_token": "é"},
    {"csrf_token": "QUJD"},
    {"csrf_token": "_" * 44},
]


_STATUS_BY_PATH_WITHOUT_OBJECT = {
    "/clubs/": 404,
    "/club-invitations/": 404,
    "/seat-offers/": 404,
    "/moderation/filters": 400,
    "/moderation/": 404,
    "/appeals/": 404,
    "/account/away/1/end": 400,
    "/account/away/1": 404,
    "/account/address/withdraw": 400,
    "/account/address/emails": 400,
    "/account/address/": 303,
}
"""What is answered where these visitors have nothing: no club, no offer, nothing to moderate, no new address to confirm."""


_NEED_NO_CSRF_TOKEN = {"unsubscribe.unsubscribe", "email_moves.play_move"}
"""Who has such a link may use it, wherever they press its button."""


def post_paths(app: Flask, **arguments: str) -> list[str]:
    """Return a path for every route that accepts POST, except those whose links are all that they ask for; other arguments are "1"."""
    adapter = app.url_map.bind("localhost")
    return [
        adapter.build(rule.endpoint, {name: arguments.get(name, "1") for name in rule.arguments})
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and rule.endpoint not in _NEED_NO_CSRF_TOKEN
    ]


def _refused_status(path: str) -> int:
    # Their buttons have no page of their own: the finished game says what is wrong.
    if path.endswith(("/rematch", "/share", "/share/withdraw")):
        return 303
    matching_statuses = (
        status for start, status in _STATUS_BY_PATH_WITHOUT_OBJECT.items() if path.startswith(start)
    )
    return next(matching_statuses, 400)


def test_no_form_acts_without_a_csrf_token(site: Site) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, seats="3", audience="public")
    earlier_text = alice.page(urls.game(slug)).text
    for path in post_paths(
        site.app, slug=slug, link=table_link(alice, slug), ref="ref", verb="approve"
    ):
        for visitor in (alice, bob):
            fields = {"name": "Forged", "address": "x@example.test", "rulebook": "lv-2009"}
            answer = visitor.client.post(path, data=fields)
            assert answer.status_code == _refused_status(path), path
    assert alice.page(urls.game(slug)).text == earlier_text
    assert alice.page(urls.profile()).form(urls.profile()).fields["name"] == "Alice"
    assert site.deliver_emails() == []


@pytest.mark.parametrize("token_field", INVALID_TOKENS)
def test_form_with_an_invalid_csrf_token_keeps_what_was_typed(
    site: Site, token_field: dict[str, str]
) -> None:
    alice = site.signed_in(ALICE)
    typed_fields = {"rulebook": "sv-web", "seats": "7", "allowance": "11", "unit": "hours"}
    answer = alice.client.post(urls.tables(), data=typed_fields | token_field)
    assert answer.status_code == 400
    form = Page(answer.text).form(urls.tables())
    assert "This page had expired" in answer.text
    assert {name: form.fields[name] for name in typed_fields} == typed_fields
    assert alice.send(form).status_code == 303


def test_csrf_token_looks_new_in_every_response_and_works_in_every_tab(site: Site) -> None:
    alice = site.signed_in(ALICE)
    tabs = [alice.page(urls.profile()) for _ in range(3)]
    forms = [tab.form(urls.profile()) for tab in tabs]
    assert len({form.fields["csrf_token"] for form in forms}) == 3
    for form in reversed(forms):
        assert alice.send(form).status_code == 303


def test_forms_of_one_page_have_one_csrf_token(site: Site) -> None:
    alice = site.signed_in(ALICE)
    tokens = re.findall(r'name="csrf_token" value="([^"]+)"', alice.get(urls.profile()).text)
    assert len(tokens) > 1
    assert len(set(tokens)) == 1


def test_csrf_token_of_another_browser_is_refused(site: Site) -> None:
    other = site.signed_out().token()
    alice = site.signed_in(ALICE)
    alice.token()
    answer = alice.client.post(urls.profile(), data={"csrf_token": other, "name": "Forged"})
    assert answer.status_code == 400
    assert alice.page(urls.profile()).form(urls.profile()).fields["name"] == "Alice"


def test_turn_with_an_invalid_csrf_token_keeps_the_selection(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3", bots="1", starter="1")
    fields = discard_form(alice, slug).fields
    answer = alice.client.post(urls.turns(slug), data=fields | {"csrf_token": "forged"})
    assert answer.status_code == 400
    form = Page(answer.text).form_named("confirm")
    assert form.fields | {"csrf_token": ""} == fields | {"csrf_token": ""}
    assert alice.send(form).status_code == 303
