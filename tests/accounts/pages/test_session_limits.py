"""How long a browser stays signed in, and what it forgets when it no longer is."""

from datetime import timedelta

import pytest

from tests.support.cast import ALICE
from tests.support.factories import sign_in_guest
from tests.support.postgres import make_read_only
from tests.support.statements import recorded_statements
from tests.support.visitors import Site, Visitor
from webapp.accounts.emails.sign_in import SignInContext
from webapp.accounts.sessions import SESSION_LIFETIME, SESSION_UNUSED_LIMIT
from webapp.kernel import urls

DAY = timedelta(days=1)
CLEARED = '"storage"'


def is_signed_in(visitor: Visitor) -> bool:
    return visitor.get(urls.account_security()).status_code == 200


def test_session_ends_when_it_is_not_used(site: Site) -> None:
    alice = site.signed_in(ALICE)
    site.clock.move(SESSION_UNUSED_LIMIT - DAY)
    assert is_signed_in(alice)
    site.clock.move(SESSION_UNUSED_LIMIT - DAY)
    assert is_signed_in(alice)
    site.clock.move(SESSION_UNUSED_LIMIT)
    assert not is_signed_in(alice)


def test_session_in_use_ends_after_its_lifetime(site: Site) -> None:
    alice = site.signed_in(ALICE)
    step = timedelta(days=20)
    for _ in range(SESSION_LIFETIME // step - 1):
        site.clock.move(step)
        assert is_signed_in(alice)
    site.clock.move(step)
    assert not is_signed_in(alice)


def test_session_that_has_ended_is_not_renewed(site: Site) -> None:
    guest = sign_in_guest(site.database, ALICE, now=site.clock.now)
    site.clock.move(SESSION_UNUSED_LIMIT)
    for _ in range(2):
        assert not is_signed_in(site.signed_out().with_session(guest.cookie))


def test_use_is_recorded_once_a_minute(site: Site) -> None:
    alice = site.signed_in(ALICE)
    written = []
    for minutes in (0, 1, 0, 0, 5):
        site.clock.move(minutes * timedelta(minutes=1))
        with recorded_statements(site.database) as statements:
            alice.get(urls.home())
        written.append(any("UPDATE session" in statement for statement in statements))
    assert written == [False, True, False, False, True]


@pytest.mark.own_database
def test_page_is_shown_though_use_cannot_be_recorded(site: Site) -> None:
    alice = site.signed_in(ALICE)
    site.clock.move(DAY)
    make_read_only(site.database)
    assert is_signed_in(alice)


def test_security_page_says_when_unused_browsers_are_signed_out(site: Site) -> None:
    page = site.signed_in(ALICE).page(urls.account_security())
    assert "signed out after 60 days without a visit" in page.text


def test_browser_forgets_what_it_stored_at_sign_out(site: Site) -> None:
    alice = site.signed_in(ALICE)
    assert "Clear-Site-Data" not in alice.get(urls.home()).headers
    answer = alice.post(urls.sign_out())
    assert answer.headers["Clear-Site-Data"] == CLEARED
    assert "Clear-Site-Data" not in alice.get(urls.home()).headers


def test_browser_that_was_signed_out_elsewhere_forgets_what_it_stored_at_the_next_request(
    site: Site,
) -> None:
    alice, other_browser = site.signed_in(ALICE), site.signed_in(ALICE)
    other_browser.post(urls.other_sessions())
    assert alice.get(urls.home()).headers["Clear-Site-Data"] == CLEARED
    assert "Clear-Site-Data" not in alice.get(urls.home()).headers
    assert "Clear-Site-Data" not in other_browser.get(urls.home()).headers


def test_signing_in_again_ends_the_session_that_the_browser_had(site: Site) -> None:
    earlier = sign_in_guest(site.database, ALICE, now=site.clock.now)
    browser = site.signed_out()
    browser.send(browser.page(urls.sign_in()).form(urls.sign_in()), address=ALICE.address)
    [email] = site.deliver_emails()
    assert isinstance(email, SignInContext)
    browser.with_session(earlier.cookie)
    form = browser.page(urls.sign_in_code()).form(urls.sign_in_code())
    assert browser.send(form, code=email.code).status_code == 303
    assert is_signed_in(browser)
    assert not is_signed_in(site.signed_out().with_session(earlier.cookie))
