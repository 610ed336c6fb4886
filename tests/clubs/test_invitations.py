"""Invitations to clubs, announcements, and the emails that follow."""

from datetime import timedelta

import msgspec
import pytest

from tests.support.cast import CAROL, MALLORY
from tests.support.clubs import (
    club_profile,
    found_club,
    join_club,
    locked_club_access,
    membership_of,
)
from tests.support.factories import DAY, Guest, open_table, sign_in_guest, table_settings
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import NOON, transaction
from webapp.clubs import invitations, joining, members
from webapp.clubs.access import find_club
from webapp.clubs.announcements import MOST_ANNOUNCEMENTS_A_DAY, announce
from webapp.clubs.emails.club_announcement import ClubAnnouncementContext
from webapp.clubs.emails.club_invitation import ClubInvitationContext
from webapp.clubs.founding import FOUNDED_CLUBS_PER_DAY, MAX_FOUNDED_CLUBS, close_club
from webapp.clubs.lists import MembersPage, members_page
from webapp.clubs.queries import clubs
from webapp.clubs.queries import invitations as stored_invitations
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Database
from webapp.lobby.invitations import invite as invite_to_table
from webapp.mail.envelope import EmailContext
from webapp.mail.outbox import delivery
from webapp.mail.outbox.unsubscribe import resubscribe, unsubscribe
from webapp.mail.preparation import prepare_emails
from webapp.play.access import game_for
from webapp.privacy.retention import apply_retention


@pytest.fixture
def club(database: Database, guests: list[Guest]) -> str:
    """A private club that Alice has founded, with Bob as a member."""
    slug = found_club(database, guests[0], club_profile(language="lv"))
    join_club(database, slug, guests[1])
    return slug


def invite(database: Database, slug: str, inviter: Guest, address: str) -> None:
    with transaction(database) as tx:
        access = locked_club_access(tx, slug, inviter)
        invitations.invite_to_club(tx, access, address=address)


def announce_text(database: Database, slug: str, author: Guest, text: str) -> None:
    with transaction(database) as tx:
        announce(tx, locked_club_access(tx, slug, author), text=text)


def emails(database: Database) -> list[EmailContext]:
    """Deliver what is due, and return what the emails about clubs are built from."""
    with transaction(database) as tx:
        claims = delivery.claim(tx.at(NOON + timedelta(minutes=1)))
        outgoing = prepare_emails(tx.at(NOON), claims)
        mark_all_sent(tx.at(NOON), claims)
    contexts = (email.context for email in outgoing)
    kinds = (ClubInvitationContext, ClubAnnouncementContext)
    return [context for context in contexts if isinstance(context, kinds)]


def accept(database: Database, token: str, guest: Guest) -> str:
    with transaction(database) as tx:
        return joining.accept_club_invitation(tx, token, guest.person)


def members_page_for(database: Database, slug: str, guest: Guest) -> MembersPage:
    with transaction(database) as tx:
        return members_page(tx, find_club(tx, slug, guest.person))


def invitation_token(database: Database) -> str:
    [context] = emails(database)
    assert isinstance(context, ClubInvitationContext)
    return context.token


def test_invited_person_joins_with_the_emailed_link(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, _, carol = guests
    invite(database, club, alice, "new@example.test")
    [context] = emails(database)
    assert isinstance(context, ClubInvitationContext)
    assert (context.club, context.inviter) == ("Night shift", "Alice")
    assert context.envelope.language == "lv"
    assert accept(database, context.token, carol) == club
    assert accept(database, context.token, carol) == club
    assert membership_of(database, club, carol).status == "member"
    assert members_page_for(database, club, alice).sent_invitations[0].is_accepted
    mallory = sign_in_guest(database, MALLORY)
    with pytest.raises(NotAllowed) as error_info:
        accept(database, context.token, mallory)
    assert error_info.value.reason is DenialReason.INVITATION_USED


def test_page_says_to_whom_the_invitation_of_another_person_was_sent(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, _, carol = guests
    invite(database, club, alice, carol.person.address)
    token = invitation_token(database)
    recipients = []
    for viewer in (carol.person, sign_in_guest(database, MALLORY).person, None):
        with transaction(database) as tx:
            page = joining.club_invitation_page(tx, token, viewer)
            recipients.append(page.sent_to)
    domain = carol.person.address.partition("@")[2]
    assert recipients == [None, f"c•••@{domain}", None]


def test_club_link_lets_everyone_in_until_it_is_replaced(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, _, carol = guests
    link = members_page_for(database, club, alice).link_token
    assert link is not None
    accept(database, link, carol)
    with transaction(database) as tx:
        access = locked_club_access(tx, club, alice)
        invitations.replace_club_link(tx, access)
    with pytest.raises(NotFound):
        accept(database, link, sign_in_guest(database, MALLORY))
    assert members_page_for(database, club, alice).link_token not in {link, None}


def test_club_that_lost_its_link_gets_a_new_one(
    database: Database, guests: list[Guest], club: str
) -> None:
    """The link goes with the account of the person who made it."""
    with transaction(database) as tx:
        access = locked_club_access(tx, club, guests[0])
        stored_invitations.delete_link(tx, access.club.id)
    assert members_page_for(database, club, guests[0]).link_token is None
    with transaction(database) as tx:
        access = locked_club_access(tx, club, guests[0])
        invitations.replace_club_link(tx, access)
    assert members_page_for(database, club, guests[0]).link_token is not None


def test_removed_member_cannot_come_back_with_an_old_link(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, _, carol = guests
    invite(database, club, alice, "new@example.test")
    token, link = invitation_token(database), members_page_for(database, club, alice).link_token
    accept(database, token, carol)
    row = membership_of(database, club, carol)
    with transaction(database) as tx:
        access = locked_club_access(tx, club, alice)
        members.remove_member(tx, access, row)
    for used_token in (token, link or ""):
        with pytest.raises(NotFound):
            accept(database, used_token, carol)


def test_address_is_invited_once_by_each_moderator_and_emailed_once(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, _ = guests
    invite(database, club, alice, "new@example.test")
    with pytest.raises(FieldErrors):
        invite(database, club, alice, "NEW@example.test")
    with pytest.raises(NotAllowed):
        invite(database, club, bob, "other@example.test")
    with transaction(database) as tx:
        row = membership_of(database, club, bob)
        members.set_moderator(tx, locked_club_access(tx, club, alice), row, as_moderator=True)
    invite(database, club, bob, "new@example.test")
    assert len(emails(database)) == 1
    assert [card.address for card in members_page_for(database, club, bob).sent_invitations] == [
        "new@example.test"
    ]


def test_emails_of_a_closed_club_and_to_members_are_not_sent(
    database: Database, guests: list[Guest], club: str
) -> None:
    invite(database, club, guests[0], CAROL.address)
    join_club(database, club, guests[2])
    assert emails(database) == []
    invite(database, club, guests[0], "new@example.test")
    announce_text(database, club, guests[0], "Farewell.")
    with transaction(database) as tx:
        close_club(tx, locked_club_access(tx, club, guests[0]))
    assert emails(database) == []


def test_announcement_is_emailed_to_members_who_want_it(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, carol = guests
    join_club(database, club, carol)
    with transaction(database) as tx:
        access = locked_club_access(tx, club, carol)
        members.choose_emails(tx, access, announcements=False, requests=True)
    for _ in range(2):
        announce_text(database, club, alice, "We dig on Tuesdays.\nBring a lantern.")
    [context] = emails(database)
    assert isinstance(context, ClubAnnouncementContext)
    assert context.envelope.address == bob.person.address
    assert (context.author, context.text) == ("Alice", "We dig on Tuesdays.\nBring a lantern.")


def test_one_click_stops_announcements_of_this_club_alone(
    database: Database, guests: list[Guest], club: str
) -> None:
    alice, bob, _ = guests
    announce_text(database, club, alice, "First.")
    [context] = emails(database)
    token = context.envelope.unsubscribe.club
    assert token is not None
    for _ in range(2):
        with transaction(database) as tx:
            page = unsubscribe(tx, token)
        assert (page.scope, page.is_unsubscribed) == ("club", True)
    assert not membership_of(database, club, bob).wants_announcements
    announce_text(database, club, alice, "Second.")
    assert emails(database) == []
    with transaction(database) as tx:
        assert not resubscribe(tx, token).is_unsubscribed
    announce_text(database, club, alice, "Third.")
    assert len(emails(database)) == 1


def test_club_sends_a_limited_number_of_announcements_a_day(
    database: Database, guests: list[Guest], club: str
) -> None:
    for number in range(MOST_ANNOUNCEMENTS_A_DAY):
        announce_text(database, club, guests[0], f"Number {number}.")
    with pytest.raises(NotAllowed) as error_info:
        announce_text(database, club, guests[0], "One more.")
    assert error_info.value.reason is DenialReason.TOO_MANY_ANNOUNCEMENTS
    with pytest.raises(NotAllowed) as error_info:
        announce_text(database, club, guests[1], "From a member.")
    assert error_info.value.reason is DenialReason.NOT_CLUB_MODERATOR


def test_one_person_founds_a_limited_number_of_clubs(
    database: Database, guests: list[Guest]
) -> None:
    for number in range(MAX_FOUNDED_CLUBS):
        found_club(
            database, guests[0], club_profile(name=f"Club {number}"), now=NOON + number * DAY
        )
    later = NOON + MAX_FOUNDED_CLUBS * DAY
    with pytest.raises(NotAllowed) as error_info:
        found_club(database, guests[0], club_profile(name="One more"), now=later)
    assert error_info.value.reason is DenialReason.TOO_MANY_FOUNDED
    assert found_club(database, guests[0], club_profile(name="Club 0"), now=later)


def test_clubs_that_were_closed_count_among_those_of_a_day(
    database: Database, guests: list[Guest]
) -> None:
    for number in range(FOUNDED_CLUBS_PER_DAY):
        slug = found_club(database, guests[0], club_profile(name=f"Club {number}"))
        with transaction(database) as tx:
            close_club(tx, locked_club_access(tx, slug, guests[0]))
    with pytest.raises(NotAllowed) as error_info:
        found_club(database, guests[0], club_profile(name="One more"))
    assert error_info.value.reason is DenialReason.FOUNDED_ENOUGH_TODAY
    found_club(database, guests[0], club_profile(name="One more"), now=NOON + DAY)


def test_closed_club_without_a_game_is_deleted_after_a_month(
    database: Database, guests: list[Guest]
) -> None:
    slugs = [
        found_club(database, guest, club_profile(name=f"Club of {guest.person.name}"))
        for guest in guests
    ]
    settings = msgspec.structs.replace(table_settings(), club=slugs[0])
    open_table(database, guests[0], settings)
    for slug, guest in zip(slugs[:2], guests, strict=False):
        with transaction(database) as tx:
            close_club(tx, locked_club_access(tx, slug, guest))
    kept = []
    for now in (NOON + 29 * DAY, NOON + 31 * DAY):
        with transaction(database, now) as tx:
            apply_retention(tx)
            kept.append([clubs.slug_exists(tx, slug) for slug in slugs])
    # One has had a table, one has none, and one is open.
    assert kept == [[True, True, True], [True, False, True]]


def test_invitation_to_a_table_of_the_club_is_in_the_language_of_the_club(
    database: Database, guests: list[Guest], club: str
) -> None:
    settings = msgspec.structs.replace(table_settings(), club=club)
    slug = open_table(database, guests[0], settings)
    with transaction(database) as tx:
        game = game_for(tx, slug, guests[0].person, mode="change").game
        for address in ("new@example.test", CAROL.address):
            invite_to_table(tx, game, guests[0].person, address=address)
        claims = delivery.claim(tx)
        outgoing = prepare_emails(tx, claims)
    languages = {
        email.address: email.context.envelope.language
        for email in outgoing
        if email.context is not None
    }
    assert languages == {"new@example.test": "lv", CAROL.address: CAROL.language}
