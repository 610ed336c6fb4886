from datetime import timedelta

import pytest

from tests.support.cast import ALICE, BOB
from tests.support.visitors import Site, Visitor
from webapp.accounts.emails.address_change import AddressChangeContext
from webapp.accounts.emails.identity_code import IdentityCodeContext
from webapp.kernel import urls

NEW_ADDRESS = "alice@elsewhere.test"


@pytest.fixture
def alice(site: Site) -> Visitor:
    visitor = site.signed_in(ALICE)
    site.deliver_emails()
    return visitor


def emailed_link(site: Site) -> str:
    [context] = [
        email_context
        for email_context in site.deliver_emails()
        if isinstance(email_context, AddressChangeContext)
    ]
    assert context.link_token is not None
    return urls.address_link(context.link_token)


def test_address_is_changed_with_the_emailed_link(site: Site, alice: Visitor) -> None:
    answer = alice.post(urls.account_address(), address=NEW_ADDRESS)
    assert (answer.status_code, answer.location) == (303, urls.account_security())
    assert NEW_ADDRESS in alice.page(urls.account_security()).text
    link = emailed_link(site)
    page = alice.page(link)
    assert ALICE.address in alice.page(urls.account_security()).text
    assert alice.send(page.form(link)).status_code == 303
    shown_texts = alice.page(urls.account_security()).text
    assert f"Your address is now {NEW_ADDRESS}" in shown_texts
    assert ALICE.address not in shown_texts


def test_pending_change_can_be_withdrawn(site: Site, alice: Visitor) -> None:
    alice.post(urls.account_address(), address=NEW_ADDRESS)
    page = alice.page(urls.account_security())
    assert alice.send(page.form(urls.withdraw_address())).status_code == 303
    assert NEW_ADDRESS not in alice.page(urls.account_security()).text


def test_answer_does_not_reveal_whether_an_address_has_an_account(
    site: Site, alice: Visitor
) -> None:
    site.signed_in(BOB)
    shown_texts = []
    for address in (BOB.address, "new@example.test"):
        answer = alice.post(urls.account_address(), address=address)
        page = alice.page(urls.account_security()).text
        shown_texts.append((answer.status_code, answer.location, page.replace(address, "X")))
    assert shown_texts[0] == shown_texts[1]


def test_link_of_another_account_looks_like_an_invented_one(site: Site, alice: Visitor) -> None:
    alice.post(urls.account_address(), address=NEW_ADDRESS)
    link, bob = emailed_link(site), site.signed_in(BOB)
    shown_texts = []
    for path in (link, urls.address_link("invented")):
        for answer in (bob.get(path), bob.post(path)):
            page = bob.page(urls.account_security()).text
            shown_texts.append((answer.status_code, answer.location, page))
    assert shown_texts[:2] == shown_texts[2:]
    assert "That link doesn't work" in shown_texts[0][2]


def test_link_asks_a_signed_out_visitor_to_sign_in_and_returns(site: Site, alice: Visitor) -> None:
    alice.post(urls.account_address(), address=NEW_ADDRESS)
    link = emailed_link(site)
    visitor = site.signed_out()
    assert visitor.get(link).location == urls.sign_in()
    with visitor.client.session_transaction() as session:
        assert session["return_path"] == link


def test_change_of_address_needs_a_fresh_proof_of_identity(site: Site, alice: Visitor) -> None:
    site.clock.move(timedelta(hours=1))
    answer = alice.get(urls.account_address())
    assert (answer.status_code, answer.location) == (303, urls.identity())
    answer = alice.post(urls.account_address(), address=NEW_ADDRESS)
    assert (answer.status_code, answer.location) == (303, urls.identity())
    assert NEW_ADDRESS not in alice.page(urls.account_security()).text


def test_emailed_code_confirms_identity_and_returns_to_the_act(site: Site, alice: Visitor) -> None:
    site.clock.move(timedelta(hours=1))
    alice.get(urls.account_address())
    page = alice.page(urls.identity())
    assert not page.has_form(urls.identity())
    alice.send(page.form(urls.identity_code()))
    [email] = site.deliver_emails()
    assert isinstance(email, IdentityCodeContext)
    assert email.envelope.address == ALICE.address
    form = alice.page(urls.identity()).form(urls.identity())
    refused_answer = alice.send(form, code="no code")
    assert refused_answer.status_code == 409
    assert "You have 4 tries left" in refused_answer.text
    answer = alice.send(form, code=email.code)
    assert (answer.status_code, answer.location) == (303, urls.account_address())
    assert alice.page(urls.account_address()).has_form(urls.account_address())


def test_invalid_new_address_shows_the_form_again(alice: Visitor) -> None:
    answer = alice.post(urls.account_address(), address="nowhere")
    assert answer.status_code == 422
    assert "nowhere" in answer.text


@pytest.mark.parametrize(
    "path",
    [urls.account_security(), urls.account_address(), urls.identity(), urls.address_link("x")],
)
def test_account_pages_ask_a_signed_out_visitor_to_sign_in(site: Site, path: str) -> None:
    answer = site.signed_out().get(path)
    assert (answer.status_code, answer.location) == (303, urls.sign_in())


def test_sessions_show_browser_network_and_time(site: Site, alice: Visitor) -> None:
    page = alice.page(urls.account_security())
    assert "192.0.2.7" in page.text
