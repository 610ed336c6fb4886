"""Invitations cannot be used against the people who get them: limits per mailbox, per inviter and for new players."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select

from tests.support.cast import ALICE, BOB, CAROL, DAVE, MALLORY
from tests.support.experience import finish_games
from tests.support.factories import DAY, Guest, open_table, sign_in_guest, sign_in_guests
from tests.support.lobby_actions import take_lobby_action
from tests.support.moderation import execute
from tests.support.outbox_steps import collect_emails, dropped_reasons
from tests.support.transactions import KEYS, NOON, transaction, using
from webapp.accounts.addresses import same_mailbox
from webapp.accounts.recipient_limits import INVITATIONS_OF_NEWCOMER_PER_DAY
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.schema import folded
from webapp.kernel.tx import Database
from webapp.lobby.invitations import invite
from webapp.lobby.schema import Invitation
from webapp.mail.queries import opt_outs
from webapp.mail.queries.opt_outs import TokenRow
from webapp.mail.schema import Notification
from webapp.play import access

VICTIM = "victim@example.org"


def send(
    database: Database, slug: str, guest: Guest, address: str, *, now: datetime = NOON
) -> str | None:
    """Invite an address; return why that was refused, None if it was accepted."""
    try:
        with transaction(database, now) as tx:
            game = access.game_for(tx, slug, guest.cookie, mode="change").game
            source = TokenSource(KEYS, secrets.token_bytes)
            invite(using(tx, source=source), game, guest.person, address=address)
    except FieldErrors as refusal:
        return refusal.errors[0].code
    return None


def email_count(database: Database) -> int:
    query = select(func.count()).select_from(Notification)
    with transaction(database) as tx:
        return tx.execute(query.where(Notification.kind == "invitation")).scalar_one()


def test_mailbox_gets_three_invitations_a_day_from_all_people(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL, DAVE, MALLORY)
    for number, guest in enumerate(guests):
        tag = f"+{number}" if number else ""
        assert (
            send(database, open_table(database, guest), guest, f"Victim{tag}@example.org") is None
        )
    assert email_count(database) == 3
    later = NOON + DAY + timedelta(minutes=1)
    dave = guests[3]
    assert send(database, open_table(database, dave), dave, "other@example.org", now=NOON) is None
    eve_slug = open_table(database, guests[4], now=later)
    assert send(database, eve_slug, guests[4], "other+2@example.org", now=later) is None
    assert email_count(database) == 5


def test_one_inviter_waits_for_an_answer_before_the_next_invitation(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    first, second = (open_table(database, alice) for _ in range(2))
    assert send(database, first, alice, VICTIM) is None
    assert send(database, first, alice, "victim+2@example.org") == "duplicate"
    assert send(database, second, alice, "VICTIM+3@example.org") == "unanswered"
    assert email_count(database) == 1
    with transaction(database) as tx:
        tx.execute(Invitation.__table__.update().values(accepted_by=alice.person.id))
    assert send(database, second, alice, VICTIM) is None


def test_cancelling_tables_is_no_way_to_send_more_emails(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    answers = []
    for day in range(4):
        now = NOON + day * DAY
        slug = open_table(database, alice, now=now)
        answers.append(send(database, slug, alice, VICTIM, now=now))
        take_lobby_action(database, slug, alice, "cancel_table", now=now)
    assert answers == [None, None, "unanswered", "unanswered"]
    assert email_count(database) == 2


def test_emails_about_cancelled_tables_count_for_the_mailbox(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    for guest in guests:
        slug = open_table(database, guest)
        assert send(database, slug, guest, VICTIM) is None
        execute(database, "UPDATE notification SET status = 'sent', settled_at = :at", at=NOON)
        take_lobby_action(database, slug, guest, "cancel_table")
    assert email_count(database) == 2


def test_new_player_has_a_small_quota(database: Database) -> None:
    alice = sign_in_guest(database, ALICE)
    slugs = [open_table(database, alice) for _ in range(2)]
    for number in range(INVITATIONS_OF_NEWCOMER_PER_DAY):
        assert send(database, slugs[number % 2], alice, f"guest{number}@example.org") is None
    finish_games(database, alice.person, count=1, is_alone_with_bots=True)
    assert send(database, slugs[0], alice, VICTIM) == "newcomer"
    finish_games(database, alice.person, count=1)
    assert send(database, slugs[0], alice, VICTIM) is None


def test_invitations_at_the_same_time_count_one_by_one(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL, DAVE, MALLORY)
    slugs = [open_table(database, guest) for guest in guests]
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda pair: send(database, *pair, VICTIM), zip(slugs, guests, strict=True)))
    assert email_count(database) == 3


def test_opt_out_covers_every_tag_of_a_mailbox(database: Database) -> None:
    alice, bob = sign_in_guests(database, ALICE, BOB)
    token = TokenRow(b"hash", "victim+first@example.org", "everything", None)
    with transaction(database) as tx:
        opt_outs.opt_out(tx.at(NOON), token)
    send(database, open_table(database, alice), alice, VICTIM)
    send(database, open_table(database, bob), bob, "Victim+other@example.org")
    assert collect_emails(database, kind="invitation") == []
    assert dropped_reasons(database, "invitation") == ["unsubscribed"] * 2
    with transaction(database) as tx:
        opt_outs.resubscribe_address(tx, VICTIM, "everything", None)
    send(database, open_table(database, alice), alice, "victim+new@example.org")


@pytest.mark.parametrize(
    "address, mailbox",
    [
        ("Bob+Tag@Example.org", "bob@example.org"),
        ("bob+a+b@example.org", "bob@example.org"),
        ("+bob@example.org", "+bob@example.org"),
        ("bob@plus+example.org", "bob@plus+example.org"),
    ],
)
def test_database_and_services_fold_addresses_alike(
    database: Database, address: str, mailbox: str
) -> None:
    with transaction(database) as tx:
        assert tx.execute(select(folded(address))).scalar_one() == mailbox
    assert same_mailbox(address, mailbox)
