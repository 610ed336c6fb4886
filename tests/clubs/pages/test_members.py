"""The pages about the members, the settings and the invitations of a club."""

import pytest
from sqlalchemy import select

from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY, MO
from tests.support.clubs import club_profile, found_club, join_club, membership_of
from tests.support.factories import Guest, sign_in_guest, sign_in_guests
from tests.support.html import Page
from tests.support.transactions import transaction
from tests.support.visitors import Site, Visitor
from webapp.clubs.emails.club_act import ClubActContext
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.moderation.moderators import add_moderator
from webapp.moderation.schema import LedgerEntry


@pytest.fixture
def guests(database: Database) -> list[Guest]:
    return sign_in_guests(database, ALICE, BOB, CAROL)


@pytest.fixture
def club(database: Database, guests: list[Guest]) -> str:
    """A public club that Alice has founded, with Bob as a member."""
    slug = found_club(database, guests[0], club_profile(is_public=True))
    join_club(database, slug, guests[1])
    return slug


def visitor_of(site: Site, guest: Guest) -> Visitor:
    return site.signed_out().with_session(guest.cookie)


def submit_form(visitor: Visitor, page: str, action: str, **fields: str) -> str:
    """Send a form of a page, which must succeed; return the text of the page that follows."""
    answer = visitor.send(visitor.page(page).form(action), **fields)
    assert answer.status_code == 303, Page(answer.text).text
    return visitor.page(answer.location).text


def test_request_to_join_is_answered_on_the_page_of_members(
    site: Site, guests: list[Guest], club: str
) -> None:
    alice, carol = visitor_of(site, guests[0]), visitor_of(site, guests[2])
    text = submit_form(carol, urls.club(club), urls.club_action(club, "ask"))
    assert "A moderator will answer" in text
    assert "you've asked to join" in carol.page(urls.clubs()).text
    assert "1 request to join" in alice.page(urls.clubs()).text
    assert "1 person asks to join" in alice.page(urls.club(club)).text
    member_id = membership_of(site.database, club, guests[2]).id
    approve_path = urls.club_member_action(club, member_id, "approve")
    form = alice.page(urls.club_members(club)).form(approve_path)
    assert "They're a member now" in submit_form(alice, urls.club_members(club), approve_path)
    assert alice.send(form).status_code == 303
    assert "Your membership" in carol.page(urls.club(club)).text


def test_request_to_join_can_be_withdrawn(site: Site, guests: list[Guest], club: str) -> None:
    carol = visitor_of(site, guests[2])
    submit_form(carol, urls.club(club), urls.club_action(club, "ask"))
    leave_path = urls.club_action(club, "leave")
    assert "taken back your request" in submit_form(carol, urls.club(club), leave_path)
    assert "Ask to join" in carol.page(urls.club(club)).text


def test_founder_promotes_hands_over_and_leaves(site: Site, guests: list[Guest], club: str) -> None:
    alice, bob = visitor_of(site, guests[0]), visitor_of(site, guests[1])
    member_id, page = membership_of(site.database, club, guests[1]).id, urls.club_members(club)
    for verb, sentence in (
        ("promote", "They're a moderator now"),
        ("demote", "a member like the others again"),
        ("hand-over", "The club has a new founder"),
    ):
        action = urls.club_member_action(club, member_id, verb)
        assert sentence in submit_form(alice, page, action)
    assert "You're the founder" in bob.page(urls.club(club)).text
    assert "left the club" in submit_form(alice, urls.club(club), urls.club_action(club, "leave"))
    assert "Members of" not in alice.get(page).text


def test_removing_a_member_twice_says_that_they_have_gone(
    site: Site, guests: list[Guest], club: str
) -> None:
    alice = visitor_of(site, guests[0])
    member_id, page = membership_of(site.database, club, guests[1]).id, urls.club_members(club)
    form = alice.page(page).form(urls.club_member_action(club, member_id, "remove"))
    assert alice.send(form).status_code == 303
    answer = alice.send(form)
    assert answer.status_code == 409
    assert "That person has left" in Page(answer.text).text
    assert alice.send(form, proof="x").status_code == 404


def test_rights_that_ended_a_second_ago_are_refused(
    site: Site, guests: list[Guest], club: str
) -> None:
    """Bob has the page of a moderator open while Alice takes that rank away."""
    alice, bob = visitor_of(site, guests[0]), visitor_of(site, guests[1])
    member_id, page = membership_of(site.database, club, guests[1]).id, urls.club_members(club)
    submit_form(alice, page, urls.club_member_action(club, member_id, "promote"))
    form = bob.page(page).form(urls.club_action(club, "invite"))
    submit_form(alice, page, urls.club_member_action(club, member_id, "demote"))
    answer = bob.send(form, address="new@example.test")
    assert answer.status_code == 409
    assert "Only the founder and the moderators" in Page(answer.text).text


def test_invitation_leads_through_signing_in_to_the_club(site: Site, guests: list[Guest]) -> None:
    alice = visitor_of(site, guests[0])
    slug = found_club(site.database, guests[0], club_profile(name="Closed shaft"))
    text = submit_form(
        alice,
        urls.club_members(slug),
        urls.club_action(slug, "invite"),
        address="zoe@example.test",
    )
    assert "Invitation sent" in text
    assert "zoe@example.test" in text
    [email] = [email for email in site.deliver_emails() if email.envelope.kind == "club-invitation"]
    path = urls.club_invitation(email.token)  # type: ignore[union-attr]
    visitor = site.signed_out()
    answer = visitor.send(visitor.page(path).form(path))
    assert answer.location == urls.sign_in()
    dave = site.signed_in(DAVE)
    assert "Closed shaft" in dave.page(path).text
    assert "Welcome to the club" in submit_form(dave, path, path)
    assert "already a member" in dave.page(path).text
    mallory = site.signed_in(MALLORY)
    assert "already been used" in mallory.page(path).text
    assert mallory.post(path).status_code == 409


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({"season_name": ""}, "Please fill this in"),
        ({"starts_on": "soon"}, "Please enter a date"),
        ({"ends_on": "2025-01-01"}, "last day can't be before the first"),
        ({"starts_on": "0001-01-01"}, "Please enter a date"),
        ({"season_name": "S\u202e"}, "characters we can't show"),
    ],
)
def test_impossible_season_is_refused_with_a_sentence(
    site: Site, guests: list[Guest], club: str, fields: dict[str, str], sentence: str
) -> None:
    alice, action = visitor_of(site, guests[0]), urls.club_action(club, "seasons")
    valid_fields = {"season_name": "Winter", "starts_on": "2026-01-01", "ends_on": "2026-02-28"}
    form = alice.page(urls.club_settings(club)).form(action)
    answer = alice.send(form, **(valid_fields | fields))
    assert answer.status_code == 422
    text = Page(answer.text).text
    assert sentence in text
    assert text.index("Please fix the following") < text.index("Name of the club")


def test_season_is_added_shown_and_deleted(site: Site, guests: list[Guest], club: str) -> None:
    alice, page = visitor_of(site, guests[0]), urls.club_settings(club)
    season = {"season_name": "Winter", "starts_on": "2026-01-01", "ends_on": "2026-12-31"}
    assert "Season added" in submit_form(alice, page, urls.club_action(club, "seasons"), **season)
    assert "No game of the club has ended in this season" in alice.page(urls.club(club)).text
    [delete_form] = [form for form in alice.page(page).forms if "/seasons/" in form.action]
    assert "Season deleted" in submit_form(alice, page, delete_form.action)
    assert alice.get(urls.club(club, season=9999)).status_code == 404


def test_changed_settings_are_shown(site: Site, guests: list[Guest], club: str) -> None:
    alice, page = visitor_of(site, guests[0]), urls.club_settings(club)
    text = submit_form(alice, page, page, name="Day shift", description="At noon.")
    assert "Day shift" in text
    assert "At noon." in text
    form = alice.page(page).form(page)
    answer = alice.send(form, name="Day\u202eshift")
    assert answer.status_code == 422


def test_site_moderator_closes_a_club_with_a_reason_in_the_ledger(
    site: Site, guests: list[Guest]
) -> None:
    slug = found_club(site.database, guests[0])
    mo = sign_in_guest(site.database, MO)
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, MO.address, reason="helps")
    visitor, page = visitor_of(site, mo), urls.club_settings(slug)
    form = visitor.page(page).form(urls.club_action(slug, "close"))
    assert visitor.send(form).status_code == 422
    assert visitor.send(form, reason="No one is left.").status_code == 303
    with transaction(site.database) as tx:
        query = select(LedgerEntry.act, LedgerEntry.reason).where(LedgerEntry.club_id.is_not(None))
        assert [tuple(row) for row in tx.execute(query)] == [("club-close", "No one is left.")]
    [email] = [
        email_context
        for email_context in site.deliver_emails()
        if isinstance(email_context, ClubActContext)
    ]
    assert email.envelope.address == guests[0].person.address
    assert (email.is_closed, email.reason) == (True, "No one is left.")


def test_announcement_and_its_emails_are_chosen_on_the_page_of_the_club(
    site: Site, guests: list[Guest], club: str
) -> None:
    alice, bob = visitor_of(site, guests[0]), visitor_of(site, guests[1])
    action = urls.club_action(club, "announce")
    text = submit_form(alice, urls.club(club), action, announcement="Bring a lantern.")
    assert "Alice wrote" in text
    assert "Bring a lantern." in bob.page(urls.club(club)).text
    assert "Bring a lantern." not in site.signed_out().page(urls.club(club)).text
    form = alice.page(urls.club(club)).form(action)
    answer = alice.send(form, announcement=" ")
    assert answer.status_code == 422
    form = bob.page(urls.club(club)).form(urls.club_action(club, "emails"))
    fields = {name: text for name, text in form.fields.items() if name != "announcements"}
    assert bob.client.post(form.action, data=fields).status_code == 303
    assert not membership_of(site.database, club, guests[1]).wants_announcements
