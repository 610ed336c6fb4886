"""The form of the lobby that sends an invitation."""

import pytest

from tests.support.cast import ALICE, BOB
from tests.support.lobby_forms import refused_lobby_form, send_lobby_form
from tests.support.visitors import Site, open_table
from webapp.kernel import urls
from webapp.lobby.emails.invitation import InvitationContext


def test_invitation_is_sent_and_listed_for_the_inviter(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, audience="public")
    page_text = send_lobby_form(alice, slug, "invite", address="bob@example.test")
    assert "Invitation sent." in page_text
    assert "bob@example.test" in page_text
    [email] = site.deliver_emails()
    assert isinstance(email, InvitationContext)
    assert "bob@example.test" not in site.signed_out().page(urls.game(slug)).text


def test_player_without_a_name_sends_no_invitation(site: Site) -> None:
    slug = open_table(site.signed_in(ALICE), audience="public")
    bob = site.newcomer(BOB)
    assert bob.post(urls.lobby_action(slug, "invite"), address="x@example.test").status_code == 303
    assert "on its way" not in bob.page(urls.profile()).text


@pytest.mark.parametrize(
    "address",
    [
        "",
        "no-address",
        "b@example.test\r\nBcc: c@example.test",
        "b@exam\x00ple.test",
        "<b@example.test>",
    ],
)
def test_invitation_to_an_invalid_address_is_refused(site: Site, address: str) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    answer = alice.post(urls.lobby_action(slug, "invite"), address=address)
    assert answer.status_code == 422
    assert 'id="address"' in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert site.deliver_emails() == []


def test_own_address_is_not_invited(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    assert "That's your own address" in refused_lobby_form(
        alice, slug, "invite", address=ALICE.address.upper()
    )
    assert site.deliver_emails() == []


def test_same_address_is_not_invited_twice(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice)
    send_lobby_form(alice, slug, "invite", address="bob@example.test")
    assert "already invited this address" in refused_lobby_form(
        alice, slug, "invite", address="BOB@example.test"
    )
