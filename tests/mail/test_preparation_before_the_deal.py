import secrets
from datetime import timedelta

import pytest
from msgspec.structs import asdict

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    Guest,
    confirm_ready,
    emailed_code,
    enter_code,
    open_table,
    request_sign_in_email,
    seat_guest,
    sign_in_by_email,
    sign_in_guests,
    table_settings,
)
from tests.support.lobby_actions import send_invitation
from tests.support.outbox_steps import collect_email, collect_emails, dropped_reasons
from tests.support.transactions import NOON, transaction, using
from webapp.accounts.emails.sign_in import SignInContext
from webapp.accounts.profile import change_profile
from webapp.accounts.sessions import OpenedSession
from webapp.accounts.sign_in import Browser, sign_in_by_link
from webapp.kernel.tx import Database
from webapp.lobby.emails.invitation import InvitationContext
from webapp.lobby.emails.ready_check import ReadyCheckContext
from webapp.lobby.host_actions import cancel_table
from webapp.lobby.invitations import accept_invitation
from webapp.mail.outbox.delivery import LEASE_DURATION
from webapp.play import access


def test_sign_in_email_contains_code_and_link(database: Database) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
        code = emailed_code(tx, ALICE)
    context = collect_email(database, "sign-in").context
    assert isinstance(context, SignInContext)
    assert context.code == code
    assert context.envelope.address == ALICE.address
    assert context.envelope.root_id is None
    assert context.envelope.unsubscribe.everything is None
    with transaction(database) as tx:
        outcome = sign_in_by_link(
            using(tx, random_bytes=secrets.token_bytes),
            context.link_token,
            browser=Browser(key=ALICE.browser),
        )
    assert isinstance(outcome, OpenedSession)


def test_used_or_expired_sign_in_is_not_emailed(database: Database) -> None:
    sign_in_by_email(database, ALICE)
    with transaction(database) as tx:
        request_sign_in_email(tx, BOB)
    assert collect_emails(database, now=NOON + timedelta(minutes=10)) == []
    assert sorted(filter(None, dropped_reasons(database, "sign-in"))) == ["expired", "expired"]
    with transaction(database) as tx:
        request_sign_in_email(tx, BOB)
        code = emailed_code(tx, BOB)
        enter_code(tx, code, browser=BOB.browser)
    assert collect_emails(database) == []
    assert "used" in dropped_reasons(database, "sign-in")


def test_recipient_with_an_account_gets_their_language_and_time_zone(
    database: Database,
) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    with transaction(database) as tx:
        change_profile(tx, bob.person, name="Bob", language="lv", zone=BOB.zone, picks_gold=True)
        request_sign_in_email(tx, BOB._replace(address=BOB.address.upper()))
        request_sign_in_email(tx, DAVE)
    slug = open_table(database, alice)
    for address in (BOB.address.upper(), DAVE.address):
        send_invitation(database, slug, alice, address)
    addressed_emails = [
        email.context.envelope for email in collect_emails(database) if email.context
    ]
    assert {
        (email.address.lower(), email.kind, email.language, email.zone)
        for email in addressed_emails
    } == {
        (BOB.address, "sign-in", "lv", BOB.zone),
        (BOB.address, "invitation", "lv", BOB.zone),
        (DAVE.address, "sign-in", "en", "UTC"),
        (DAVE.address, "invitation", "en", ALICE.zone),
    }


def test_invitation_email_leads_to_the_table(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    send_invitation(database, slug, alice, BOB.address)
    context = collect_email(database, "invitation").context
    assert isinstance(context, InvitationContext)
    assert (context.host, context.table.slug) == ("Alice", slug)
    with transaction(database) as tx:
        assert accept_invitation(tx, context.token, bob.person) == slug


@pytest.mark.parametrize("address, scope", [(BOB.address, "game"), (DAVE.address, "everything")])
def test_invitation_email_has_one_link_that_stops_emails(
    database: Database, address: str, scope: str
) -> None:
    alice, _ = sign_in_guests(database, ALICE, BOB)
    send_invitation(database, open_table(database, alice), alice, address)
    context = collect_email(database, "invitation").context
    assert context is not None
    tokens = asdict(context.envelope.unsubscribe)
    assert [name for name, token in tokens.items() if token is not None] == [scope]


def test_used_invitation_or_cancelled_table_is_not_emailed(
    database: Database,
) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    slug = open_table(database, alice)
    send_invitation(database, slug, alice, BOB.address)
    token = invitation_token_of(database)
    with transaction(database) as tx:
        accept_invitation(tx, token, bob.person)
    send_invitation(database, slug, alice, CAROL.address)
    with transaction(database) as tx:
        game = access.game_for(tx, slug, alice.cookie, mode="change").game
        cancel_table(tx, game, alice.person)
    assert collect_emails(database, kind="invitation") == []
    assert list(filter(None, dropped_reasons(database, "invitation"))) == ["moved-on", "moved-on"]


def test_invitation_is_dropped_if_no_seat_is_free_or_the_recipient_has_one(
    database: Database,
) -> None:
    alice, bob, carol = sign_in_guests(database, ALICE, BOB, CAROL)
    slug = open_table(database, alice, table_settings(public=True))
    send_invitation(database, slug, alice, DAVE.address)
    send_invitation(database, slug, alice, BOB.address.upper())
    seat_guest(database, slug, bob)
    assert [email.address for email in collect_emails(database, kind="invitation")] == [
        DAVE.address
    ]
    assert dropped_reasons(database, "invitation") == ["seated"]
    seat_guest(database, slug, carol)
    assert collect_emails(database, now=NOON + LEASE_DURATION, kind="invitation") == []
    assert dropped_reasons(database, "invitation") == ["seated", "full"]


def test_ready_check_email_goes_to_players_who_are_not_ready(
    database: Database, guests: list[Guest]
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    confirm_ready(database, slug, guests[1])
    emails = collect_emails(database, kind="ready-check")
    assert [email.address for email in emails] == [ALICE.address, CAROL.address]
    assert dropped_reasons(database, "ready-check") == ["ready"]
    context = emails[1].context
    assert isinstance(context, ReadyCheckContext)
    assert context.seats[2].is_me


def invitation_token_of(database: Database) -> str:
    context = collect_email(database, "invitation").context
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE notification SET lease_until = NULL")
    assert isinstance(context, InvitationContext)
    return context.token
