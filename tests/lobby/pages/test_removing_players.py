import re

from tests.lobby.pages.test_lobby import full_table
from tests.support.cast import ALICE, BOB, DAVE
from tests.support.html import Form, Page
from tests.support.lobby_forms import refused_lobby_form, send_lobby_form
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp.kernel import urls
from webapp.lobby.emails.seat_freed_email import SeatFreedContext


def removal_form(host: Visitor, slug: str, seat: int) -> Form:
    """Return the form that frees a seat, counted from 0."""
    forms = host.page(urls.game(slug)).forms
    action = urls.lobby_action(slug, "remove")
    return next(
        form for form in forms if form.action == action and form.fields["seat"] == str(seat)
    )


def test_host_removes_a_player_after_reading_what_it_means(site: Site) -> None:
    slug, alice, bob, _ = full_table(site)
    page = alice.page(urls.game(slug))
    assert "Remove Bob from seat 2" in page.text
    assert "Remove Alice" not in page.text
    assert "Their seat is free for others then" in page.text
    assert "Remove a player" not in bob.page(urls.game(slug)).text
    site.deliver_emails()
    form = removal_form(alice, slug, 1)
    answers = [alice.send(form) for _ in range(2)]
    assert [(answer.status_code, answer.location) for answer in answers] == [
        (303, urls.game(slug))
    ] * 2
    assert "The seat is free again." in alice.page(urls.game(slug)).text
    [email] = site.deliver_emails()
    assert isinstance(email, SeatFreedContext)
    assert (email.envelope.address, email.may_see_table) == (BOB.address, True)


def test_removed_player_is_not_seated_again_by_an_old_page(site: Site) -> None:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    slug = open_table(alice, seats="3", audience="public")
    old_form = bob.page(urls.game(slug)).form(urls.lobby_action(slug, "sit"))
    invitation_path = urls.invitation(table_link(alice, slug))
    old_acceptance = bob.page(invitation_path).form(invitation_path)
    bob.send(old_form)
    alice.send(removal_form(alice, slug, 1))
    for form in (old_form, old_acceptance):
        answer = bob.send(form)
        assert answer.status_code == 409
        assert "The seats at this table have changed" in Page(answer.text).text
    send_lobby_form(bob, slug, "sit")
    assert "Leave seat" in bob.page(urls.game(slug)).text


def test_form_of_a_player_who_has_left_removes_no_one_else(site: Site) -> None:
    slug, alice, bob, _ = full_table(site)
    form = removal_form(alice, slug, 1)
    send_lobby_form(bob, slug, "leave")
    send_lobby_form(site.signed_in(DAVE), slug, "sit")
    answer = alice.send(form)
    assert answer.status_code == 409
    assert "so we did nothing" in Page(answer.text).text
    assert "Dave" in alice.page(urls.game(slug)).text
    assert "You can't remove yourself." in refused_lobby_form(alice, slug, "remove", seat="0")


def test_full_table_says_by_when_everyone_has_to_confirm(site: Site) -> None:
    slug, alice, *_ = full_table(site)
    page_text = alice.page(urls.game(slug)).text
    assert re.search(r"Confirm by \w{3} \d+ \w{3}, \d\d:\d\d \w+ to keep your seat\.", page_text)
    assert "The ready check ends" not in page_text
    assert "The ready check ends in 4 days" in send_lobby_form(alice, slug, "ready")
