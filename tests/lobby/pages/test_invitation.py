import re

import pytest
from werkzeug.test import TestResponse

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.html import Page
from tests.support.lobby_forms import send_lobby_form
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp.kernel import urls
from webapp.lobby.emails.invitation import InvitationContext


def host_slug_and_invitation_path(site: Site, **settings: str) -> tuple[Visitor, str, str]:
    """Return Alice, her table, and the path of the invitation in Bob's email."""
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3", **settings)
    alice.post(urls.lobby_action(slug, "invite"), address=BOB.address)
    [email] = site.deliver_emails()
    assert isinstance(email, InvitationContext)
    return alice, slug, urls.invitation(email.token)


def test_invited_player_with_a_taken_name_chooses_another(site: Site) -> None:
    alice, slug, invitation = host_slug_and_invitation_path(site)
    bob = site.signed_in(BOB)
    bob.post(urls.profile(), name="Alice", language="en", zone="UTC")
    answer = bob.send(bob.page(invitation).form(invitation))
    assert answer.status_code == 422
    form = Page(answer.text).form(invitation)
    assert form.fields["name"] == "Alice"
    assert bob.send(form, name="Alice the Second").status_code == 303
    assert "Alice the Second" in alice.page(urls.game(slug)).text


def test_opening_an_invitation_does_not_accept_it(site: Site) -> None:
    alice, slug, invitation = host_slug_and_invitation_path(site)
    for visitor in (site.signed_out(), site.signed_in(BOB)):
        visitor.page(invitation)
    assert "not used yet" in alice.page(urls.game(slug)).text


def test_emailed_invitation_seats_one_player(site: Site) -> None:
    _, slug, invitation = host_slug_and_invitation_path(site)
    bob, mallory = site.signed_in(BOB), site.signed_in(MALLORY)
    assert bob.post(invitation).status_code == 303
    assert "This invitation has already been used" in mallory.page(invitation).text
    answer = mallory.post(invitation)
    assert answer.status_code == 409
    assert mallory.get(urls.game(slug)).status_code == 404
    assert "You already have a seat at this table" in bob.page(invitation).text


def test_invitation_of_another_person_says_to_whom_it_was_sent_before_the_button(
    site: Site,
) -> None:
    _, _, invitation = host_slug_and_invitation_path(site)
    text = site.signed_in(MALLORY).page(invitation).text
    assert "sent to b•••@" in text
    assert text.index("sent to b•••@") < text.index("Take a seat")
    for visitor in (site.signed_out(), site.signed_in(BOB)):
        assert "sent to" not in visitor.page(invitation).text


def test_table_link_seats_several_players(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    link = urls.invitation(table_link(alice, slug))
    assert site.signed_in(BOB).post(link, seat="2").status_code == 303
    assert site.signed_in(CAROL).post(link).status_code == 303
    latecomer = site.signed_in(MALLORY)
    page = latecomer.page(link)
    assert "The seats are filled. Ask Alice for the next table." in page.text
    assert urls.bot_game() in {shown_link.href for shown_link in page.links}
    assert latecomer.post(link).status_code == 409


@pytest.mark.parametrize("seat", ["0", "7", "x", "-1"])
def test_impossible_seat_is_refused_on_the_invitation_page(site: Site, seat: str) -> None:
    _, _, invitation = host_slug_and_invitation_path(site)
    answer = site.signed_in(BOB).post(invitation, seat=seat)
    assert answer.status_code in {409, 422}
    assert "Your invitation to Alice" in answer.text


def test_invitation_shows_settings(site: Site) -> None:
    _, _, invitation = host_slug_and_invitation_path(site, rulebook="uk-2017", open_gold="y")
    page_text = site.signed_out().page(invitation).text
    assert "Ukrainian rules, 2017" in page_text
    assert "Everyone can see how much gold" in page_text


def test_invitation_shows_no_email_address(site: Site) -> None:
    _, _, invitation = host_slug_and_invitation_path(site)
    for visitor in (site.signed_out(), site.signed_in(MALLORY)):
        text = visitor.get(invitation).text
        assert BOB.address not in text
        assert ALICE.address not in text


@pytest.mark.parametrize("token", ["x", "x" * 128, "x" * 129, "%00", "..%2f", "%ff"])
def test_unknown_invitation_is_not_found(site: Site, token: str) -> None:
    visitor = site.signed_in(MALLORY)
    assert visitor.get(f"/invitations/{token}").status_code == 404
    assert visitor.post(f"/invitations/{token}").status_code == 404


def test_inviting_to_a_full_table_is_refused(site: Site) -> None:
    alice, slug, _ = host_slug_and_invitation_path(site)
    for visitor in (site.signed_in(BOB), site.signed_in(CAROL)):
        visitor.post(urls.invitation(table_link(alice, slug)))
    answer = alice.post(urls.lobby_action(slug, "invite"), address=MALLORY.address)
    assert answer.status_code == 409
    assert "All seats at this table are taken" in Page(answer.text).text
    assert "on its way" not in alice.page(urls.game(slug)).text


def _without_what_changes(answer: TestResponse) -> tuple[int, str]:
    """Return status and page without the link itself and tokens that are new in every answer."""
    return answer.status_code, re.sub(r"[\w-]{22,}(\.[\w.-]+)?", "", answer.text)


def _assert_same_as_unknown(visitor: Visitor, invitation: str) -> None:
    unknown = urls.invitation("unknown-" + "x" * 35)
    for send in (visitor.get, visitor.post):
        known_answer = _without_what_changes(send(invitation))
        assert known_answer == _without_what_changes(send(unknown))
        assert known_answer[0] == 404


def test_invitation_to_a_cancelled_table_is_unknown_to_strangers(site: Site) -> None:
    alice, slug, invitation = host_slug_and_invitation_path(site)
    visitors = (site.signed_out(), site.signed_in(BOB))
    for visitor in visitors:
        assert visitor.get(invitation).status_code == 200
    alice.post(urls.lobby_action(slug, "cancel"))
    bob = visitors[1]
    _assert_same_as_unknown(bob, invitation)
    assert visitors[0].get(invitation).status_code == 404
    assert alice.get(invitation).location == urls.game(slug)


def test_invitation_to_a_running_private_game_is_unknown_to_strangers(site: Site) -> None:
    alice, slug, invitation = host_slug_and_invitation_path(site)
    table_invitation = urls.invitation(table_link(alice, slug))
    carol = site.signed_in(CAROL)
    carol.post(table_invitation)
    alice.post(urls.lobby_action(slug, "fill"), confirmed="1")
    send_lobby_form(carol, slug, "ready")
    bob = site.signed_in(BOB)
    _assert_same_as_unknown(bob, table_invitation)
    assert site.signed_out().get(table_invitation).status_code == 404
    assert bob.get(urls.game(slug)).status_code == 404
    # Who was invited by email reads whom to ask, and nothing of the game.
    for visitor in (bob, site.signed_out()):
        for answer in (visitor.get(invitation), visitor.post(invitation)):
            assert answer.status_code == 410
            text = Page(answer.text).text
            assert "The seats are filled. Ask Alice for the next table." in text
            assert urls.bot_game() in {link.href for link in Page(answer.text).links}
            assert "Carol" not in text
            assert slug not in answer.text


def test_confirmation_of_filling_with_bots_names_the_open_invitations(site: Site) -> None:
    alice, slug, _ = host_slug_and_invitation_path(site)
    answer = alice.post(urls.lobby_action(slug, "fill"))
    assert answer.status_code == 409
    bots = answer.text.partition('id="bots"')[2].partition("</section>")[0]
    assert BOB.address in bots


def test_invitation_leads_players_to_the_game_that_has_begun(site: Site) -> None:
    alice = site.signed_in(ALICE)
    slug = open_table(alice, seats="3")
    link = urls.invitation(table_link(alice, slug))
    carol = site.signed_in(CAROL)
    carol.post(link)
    alice.post(urls.lobby_action(slug, "fill"))
    send_lobby_form(carol, slug, "ready")
    for player in (alice, carol):
        for answer in (player.get(link), player.post(link)):
            assert (answer.status_code, answer.location) == (303, urls.game(slug))
