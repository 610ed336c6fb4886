"""The page "This wasn't me" of sign-in emails: a person stops sign-in emails that strangers request, and can still sign in themselves."""

from datetime import timedelta

from tests.accounts.pages.test_sign_in import is_signed_in, request_sign_in, sign_in_email
from tests.support.cast import BOB
from tests.support.fakes import FakeClock
from tests.support.visitors import Site
from webapp.kernel import urls


def test_link_shows_a_button_and_stops_nothing_by_itself(site: Site) -> None:
    stranger = site.signed_out()
    request_sign_in(stranger)
    path = urls.sign_in_pause(sign_in_email(site).pause_token)
    page = site.signed_out().page(path)
    assert page.form(path)
    request_sign_in(stranger)
    assert len(site.deliver_emails()) == 1


def test_pause_stops_emails_for_a_day_and_ends_sent_codes(site: Site, clock: FakeClock) -> None:
    stranger, owner = site.signed_out(), site.signed_out()
    request_sign_in(stranger)
    email = sign_in_email(site)
    path = urls.sign_in_pause(email.pause_token)
    for _ in range(2):
        answer = owner.send(owner.page(path).form(path))
        assert answer.status_code == 200
        assert "24 hours" in answer.text
    assert stranger.post(urls.sign_in_code(), code=email.code).status_code == 409
    request_sign_in(stranger)
    assert site.deliver_emails() == []
    request_sign_in(stranger, BOB.address)
    assert len(site.deliver_emails()) == 1
    clock.move(timedelta(hours=24))
    request_sign_in(stranger)
    assert len(site.deliver_emails()) == 1


def test_browser_in_which_the_owner_has_signed_in_still_gets_emails(site: Site) -> None:
    owner, stranger = site.signed_out(), site.signed_out()
    request_sign_in(owner)
    owner.post(urls.sign_in_code(), code=sign_in_email(site).code)
    owner.post(urls.sign_out())
    request_sign_in(stranger)
    path = urls.sign_in_pause(sign_in_email(site).pause_token)
    stranger.send(stranger.page(path).form(path))
    request_sign_in(owner)
    owner.post(urls.sign_in_code(), code=sign_in_email(site).code)
    assert is_signed_in(owner)


def test_invented_pause_link_is_not_found(site: Site) -> None:
    assert site.signed_out().get(urls.sign_in_pause("none-such")).status_code == 404
