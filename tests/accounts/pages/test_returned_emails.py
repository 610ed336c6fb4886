"""Someone whose emails come back reads so on every page, and can have them sent again."""

from datetime import timedelta

from tests.support.cast import ALICE, BOB
from tests.support.returned_emails import let_emails_come_back
from tests.support.visitors import Site
from webapp.accounts.emails.address_change import AddressChangeContext
from webapp.kernel import urls


def test_player_reads_it_and_has_emails_sent_again(site: Site) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    assert "We've stopped emailing" not in alice.page(urls.home()).text
    let_emails_come_back(site, ALICE.address)
    page = alice.page(urls.clubs())
    assert f"We've stopped emailing {ALICE.address}" in page.text
    assert "We've stopped emailing" not in bob.page(urls.clubs()).text
    answer = alice.send(page.form(urls.resume_emails()))
    assert (answer.status_code, answer.location) == (303, urls.clubs())
    page = alice.page(urls.clubs())
    assert f"We'll send emails to {ALICE.address} again." in page.text
    assert "We've stopped emailing" not in page.text


def test_notice_ends_with_the_suppression(site: Site) -> None:
    alice = site.signed_in(ALICE)
    let_emails_come_back(site, ALICE.address)
    site.clock.move(timedelta(days=5))
    assert "We've stopped emailing" not in alice.page(urls.home()).text


def test_another_address_starts_with_a_clean_slate(site: Site) -> None:
    alice = site.signed_in(ALICE)
    let_emails_come_back(site, ALICE.address)
    site.deliver_emails()
    alice.post(urls.account_address(), address="alice@elsewhere.test")
    [link_token] = [
        context.link_token
        for context in site.deliver_emails()
        if isinstance(context, AddressChangeContext)
    ]
    assert link_token is not None
    link = urls.address_link(link_token)
    assert alice.send(alice.page(link).form(link)).status_code == 303
    assert "We've stopped emailing" not in alice.page(urls.home()).text
