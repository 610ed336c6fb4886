"""What people do that the security log keeps, and what keeps them from filling it."""

import logging
from datetime import timedelta

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, CAROL, MALLORY, MO
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.accounts import security_log
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel import urls
from webapp.logs.fields import FIELDS_ATTRIBUTE
from webapp.moderation.moderators import add_moderator

SECURITY_LOGGER = "lodepost.security"


def rows_of(site: Site, kind: str) -> list[tuple[int, str]]:
    """Return how often each row of this kind has counted, and whom it names or is about."""
    query = text(
        "SELECT e.times, coalesce(a.name, '') FROM security_event e LEFT JOIN account a"
        " ON a.id = coalesce(e.account_id, (e.detail->>'account')::bigint)"
        " WHERE e.kind = :kind ORDER BY e.id"
    )
    with site.database.engine.begin() as connection:
        return [(times, name) for times, name in connection.execute(query, {"kind": kind})]


def lines_about(caplog: pytest.LogCaptureFixture, kind: str) -> list[dict[str, object]]:
    all_fields = [getattr(record, FIELDS_ATTRIBUTE, {}) for record in caplog.records]
    return [fields for fields in all_fields if fields.get("kind") == kind]


@pytest.fixture
def moderator(site: Site) -> Visitor:
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, MO.address, reason="helps")
    return site.signed_in(MO)


def type_wrong_codes(site: Site, address: str, count: int) -> None:
    browser = site.signed_out()
    browser.post(urls.sign_in(), address=address)
    for _ in range(count):
        assert browser.post(urls.sign_in_code(), code="no code").status_code == 409


def test_wrong_codes_are_one_row_a_day_for_each_account(
    site: Site, moderator: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=SECURITY_LOGGER)
    site.signed_in(ALICE)
    type_wrong_codes(site, ALICE.address, 5)
    for address in ("no-account@example.test", "none-either@example.test"):
        type_wrong_codes(site, address, 1)
    assert rows_of(site, "code-refused") == [(5, "Alice"), (2, "")]
    assert [line["times"] for line in lines_about(caplog, "code-refused")] == [1, 2, 4, 1, 2]
    assert "example.test" not in caplog.text
    page = moderator.page(urls.security_log(kind="code-refused"))
    assert "Not signed in" in page.text
    assert "5 times, the last one at" in page.text
    assert [link.text for link in page.links if link.text == "Alice"] == ["Alice"]


def test_ended_sessions_are_recorded_once(site: Site, moderator: Visitor) -> None:
    alice, other_browser = site.signed_in(ALICE), site.signed_in(ALICE)
    page = alice.page(urls.account_security())
    alice.send(page.form(next(form.action for form in page.forms if "/sessions/" in form.action)))
    for _ in range(2):
        other_browser.post(urls.sign_out())
        alice.post(urls.sign_out())
    assert rows_of(site, "session-ended") == [(1, "Alice")]
    assert len(rows_of(site, "sign-out")) == 1
    text_of_page = moderator.page(urls.security_log()).text
    assert "Signed out another browser" in text_of_page


def test_refused_pages_are_counted_for_each_person(
    site: Site, moderator: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    mallory = site.signed_in(MALLORY)
    for path in (urls.game(game.slug), urls.game("nonesuch"), urls.moderation()):
        assert mallory.get(path).status_code == 404
    assert mallory.post(urls.turns(game.slug), card="x").status_code == 404
    for visitor in (site.signed_out(), moderator):
        visitor.get(urls.moderated_game("none"))
    mallory.get("/no-such-page")
    assert sorted(rows_of(site, "access-denied")) == [(1, "Mallory"), (3, "Mallory")]
    assert game.slug not in caplog.text
    page = moderator.page(urls.security_log(kind="access-denied"))
    assert "A page for moderators" in page.text
    assert "A table of other people, or one that doesn't exist" in page.text


def test_row_stops_counting_at_a_limit_and_a_new_day_has_a_new_row(site: Site) -> None:
    visitor = site.signed_in(MALLORY)
    visitor.get(urls.moderation())
    with site.database.engine.begin() as connection:
        connection.execute(text("UPDATE security_event SET times = 1000"))
    visitor.get(urls.moderation())
    assert rows_of(site, "access-denied") == [(1000, "Mallory")]
    site.clock.move(timedelta(days=1))
    visitor.get(urls.moderation())
    assert rows_of(site, "access-denied") == [(1000, "Mallory"), (1, "Mallory")]


def test_command_is_shown_as_it_was_typed(site: Site, moderator: Visitor) -> None:
    with transaction(site.database, site.clock.now) as tx:
        security_log.record_command(tx, "emails show", subjects={"email": 4711})
    page = moderator.page(urls.security_log(kind=SecurityEventKind.OPERATOR_COMMAND))
    assert "lodepost emails show 4711" in page.text
    assert "The operator" in page.text
