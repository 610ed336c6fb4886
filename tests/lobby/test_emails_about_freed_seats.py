"""Where the email to a person who has lost a seat before the deal leads, and what it promises."""

import msgspec

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.clubs import found_club, join_club
from tests.support.factories import (
    Guest,
    confirm_ready,
    open_table,
    seat_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.lobby_actions import lobby_of
from tests.support.outbox_steps import collect_emails
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.lobby.emails.seat_freed_email import SeatFreedContext
from webapp.lobby.host_actions import RemovalRequest, remove_player
from webapp.play import access


def remove(database: Database, slug: str, host: Guest, seat: int) -> None:
    token = next(
        other.form_token
        for other in lobby_of(database, slug, host).removable_seats
        if other.number == seat
    )
    with transaction(database) as tx:
        game = access.game_for(tx, slug, host.cookie, mode="change").game
        request = RemovalRequest(seat=seat, form_token=token)
        remove_player(tx, game, host.person, request)


def email_contexts(database: Database) -> dict[str, SeatFreedContext]:
    """Return the contexts of the emails to the removed, by their addresses."""
    emails = collect_emails(database, kind="player-removed")
    return {
        email.address: email.context
        for email in emails
        if isinstance(email.context, SeatFreedContext)
    }


def test_member_is_led_to_the_private_table_of_the_club_and_others_to_their_invitation(
    database: Database,
) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    club = found_club(database, alice)
    join_club(database, club, bob)
    settings = msgspec.structs.replace(table_settings(), club=club)
    slug = open_table(database, alice, settings)
    for guest in (bob, carol):
        seat_guest(database, slug, guest)
    for seat in (1, 2):
        remove(database, slug, alice, seat)
    contexts = email_contexts(database)
    assert {address: context.may_see_table for address, context in contexts.items()} == {
        BOB.address: True,
        CAROL.address: False,
    }


def test_no_seat_is_promised_once_the_cards_are_dealt(database: Database) -> None:
    alice, bob, carol, dave = sign_in_guests(database, ALICE, BOB, CAROL, DAVE)
    slug = open_table(database, alice, table_settings(public=True))
    for guest in (bob, carol):
        seat_guest(database, slug, guest)
    remove(database, slug, alice, 1)
    seat_guest(database, slug, dave)
    for guest in (alice, carol, dave):
        confirm_ready(database, slug, guest)
    [context] = email_contexts(database).values()
    assert (context.may_see_table, context.can_return) == (True, False)
