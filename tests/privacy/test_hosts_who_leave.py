"""Tables and games whose host deletes their account."""

import pytest
from sqlalchemy import select

from tests.support.acts import ledger_acts, perform_act, recipients, undo_act
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    Guest,
    confirm_ready,
    open_table,
    seat_guest,
    sign_in_guest,
    sign_in_guests,
    stored_game,
)
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import transaction
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.refusals import NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby import invitations
from webapp.lobby.emails.invitation import InvitationContext
from webapp.lobby.invitations import accept_invitation
from webapp.lobby.schema import Invitation
from webapp.lobby.seats import leave_seat
from webapp.mail.outbox import delivery
from webapp.mail.preparation import OutgoingEmail, prepare_emails
from webapp.play.access import game_for
from webapp.play.emails.player_left import PlayerLeftContext
from webapp.play.views.history_page import history_page
from webapp.privacy.deletion import delete_account, deletion_page


def delete(database: Database, guest: Guest) -> None:
    with transaction(database) as tx:
        delete_account(tx, guest.person, typed_address=guest.person.address)


def table_links(database: Database) -> list[bytes]:
    """Return what identifies the links of all tables."""
    with transaction(database) as tx:
        query = select(Invitation.token_hash).where(Invitation.address.is_(None))
        return list(tx.connection.scalars(query))


def invite(database: Database, slug: str, guest: Guest, address: str) -> None:
    with transaction(database) as tx:
        game = game_for(tx, slug, guest.person, mode="change").game
        invitations.invite(tx, game, guest.person, address=address)


def deliver_all(database: Database) -> list[OutgoingEmail]:
    """Send all emails and return them."""
    with transaction(database) as tx:
        outgoing = prepare_emails(tx, delivery.claim(tx))
        mark_all_sent(tx, [email.claim for email in outgoing])
    return list(outgoing)


def test_seated_person_becomes_the_host_of_a_table_before_the_deal(database: Database) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice)
    for guest in (bob, carol):
        seat_guest(database, slug, guest)
    links = table_links(database)
    delete(database, alice)
    row = stored_game(database, slug, bob).row
    assert (row.status, row.host_id, row.host_name) == ("open", bob.person.id, "Bob")
    assert row.seats[0].is_free
    assert table_links(database) == links
    assert ledger_acts(database) == ["hand-over-table"]
    assert recipients(database) == [bob.person.id, carol.person.id]


def test_invited_people_learn_that_a_table_without_a_host_is_closed(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slug = open_table(database, alice)
    invite(database, slug, alice, BOB.address)
    assert [email.address for email in deliver_all(database)] == [BOB.address]
    invite(database, slug, alice, "late@example.test")
    delete(database, alice)
    [email] = deliver_all(database)
    assert (email.address, email.context.envelope.kind) == (BOB.address, "table-cancelled")
    with transaction(database) as tx:
        leaving_contexts = tx.connection.scalars(
            select(Invitation.address).where(Invitation.address != "")
        ).all()
        assert leaving_contexts == [BOB.address]


def test_invitations_to_a_table_that_others_keep_open_still_work(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    seat_guest(database, slug, bob)
    invite(database, slug, alice, CAROL.address)
    delete(database, alice)
    invitation = next(email for email in deliver_all(database) if email.address == CAROL.address)
    assert isinstance(invitation.context, InvitationContext)
    assert invitation.context.host == "Bob"
    carol = sign_in_guest(database, CAROL)
    with transaction(database) as tx:
        assert accept_invitation(tx, invitation.context.token, carol.person) == slug


def test_longest_seated_person_becomes_the_host_of_a_game(
    database: Database, guests: list[Guest], slug: str
) -> None:
    alice, bob, carol = guests
    dave = sign_in_guest(database, DAVE)
    perform_act(
        database,
        slug,
        GameRight.SEAT_PERSON,
        seat=1,
        name=dave.person.name,
        address=dave.person.address,
    )
    earlier_recipients = recipients(database)
    delete(database, alice)
    row = stored_game(database, slug, carol).row
    assert (row.host_id, row.host_name) == (carol.person.id, "Carol")
    assert ledger_acts(database) == ["seat-person", "hand-over-table"]
    assert recipients(database) == earlier_recipients
    with transaction(database) as tx:
        outgoing = prepare_emails(tx, delivery.claim(tx))
        page = history_page(tx, slug, carol.cookie)
    leaving_contexts = [
        mail.context for mail in outgoing if isinstance(mail.context, PlayerLeftContext)
    ]
    assert len(leaving_contexts) == 2
    for context in leaving_contexts:
        assert context.new_host is not None
        assert context.new_host.name == "Carol"
    assert page.acts[0].act == GameRight.HAND_OVER_TABLE
    assert page.acts[0].reason == ServerReason.HOST_LEFT
    assert bob.person.id not in recipients(database, "player-left")


def test_host_without_a_seat_hands_over_too(database: Database) -> None:
    alice, bob, carol, dave = sign_in_guests(database, ALICE, BOB, CAROL, DAVE)
    slug = open_table(database, alice)
    with transaction(database) as tx:
        game = game_for(tx, slug, alice.person, mode="change").game
        leave_seat(tx, game, alice.person)
    for guest in (bob, carol, dave):
        seat_guest(database, slug, guest)
    for guest in (bob, carol, dave):
        confirm_ready(database, slug, guest)
    with transaction(database) as tx:
        assert [game.slug for game in deletion_page(tx, alice.person).running_games] == [slug]
    delete(database, alice)
    assert stored_game(database, slug, bob).row.host_id == bob.person.id
    assert recipients(database) == [bob.person.id, carol.person.id, dave.person.id]
    assert recipients(database, "player-left") == []


def test_name_of_a_former_host_leaves_the_table(
    database: Database, guests: list[Guest], slug: str
) -> None:
    perform_act(database, slug, GameRight.HAND_OVER_TABLE, seat=1)
    assert stored_game(database, slug, guests[1]).row.host_name == "Alice"
    delete(database, guests[0])
    row = stored_game(database, slug, guests[1]).row
    assert (row.host_id, row.host_name) == (guests[1].person.id, "")


def test_table_is_not_handed_back_to_a_deleted_account(
    database: Database, guests: list[Guest], slug: str
) -> None:
    entry_id = perform_act(database, slug, GameRight.HAND_OVER_TABLE, seat=1)
    delete(database, guests[0])
    with pytest.raises(NotAllowed):
        undo_act(database, slug, GameRight.HAND_OVER_TABLE, entry_id)
    assert stored_game(database, slug, guests[1]).row.host_id == guests[1].person.id
