"""Table talk: what is stored, who gets it in emails, and what remains of it when an account is deleted."""

from itertools import pairwise

import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, deal_game, play_turn, sign_in_guests
from tests.support.transactions import NOON, seeded_tokens, transaction, using
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import claim
from webapp.mail.preparation import prepare_emails
from webapp.play.access import game_for
from webapp.play.emails.turn_email import TurnContext
from webapp.play.talk.talk import (
    MessageInput,
    delete_message,
    edit_message,
    mute_author,
    send_message,
)
from webapp.play.views.page_version import page_version
from webapp.privacy.deletion import delete_account
from webapp.privacy.queries import own_data


@pytest.fixture
def guests(database: Database) -> list[Guest]:
    return sign_in_guests(database, ALICE, BOB, CAROL)


@pytest.fixture
def slug(database: Database, guests: list[Guest]) -> str:
    return deal_game(database, guests)


def say(database: Database, slug: str, guest: Guest, text: str, form_id: str = "") -> None:
    with transaction(database) as tx:
        access = game_for(tx, slug, guest.cookie)
        send_message(tx, access, MessageInput(text, form_id or text))


def messages_read_by(database: Database, slug: str, guest: Guest) -> list[str]:
    with transaction(database) as tx:
        return [message.text for message in game_for(tx, slug, guest.cookie).game.row.messages]


def turn_email_of(database: Database, guest: Guest) -> TurnContext:
    with transaction(database) as tx:
        outgoing = prepare_emails(tx, claim(tx))
    [context] = [
        email.context
        for email in outgoing
        if isinstance(email.context, TurnContext) and email.address == guest.person.address
    ]
    return context


def test_only_the_latest_ten_messages_are_on_the_table_page(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for number in range(12):
        say(database, slug, guests[number % 3], f"message {number}")
    assert messages_read_by(database, slug, guests[0]) == [
        f"message {number}" for number in range(2, 12)
    ]


def test_turn_email_brings_what_others_said(
    database: Database, guests: list[Guest], slug: str
) -> None:
    say(database, slug, guests[0], "Watch Carol")
    say(database, slug, guests[1], "I said this myself")
    play_turn(database, slug, guests[0])
    context = turn_email_of(database, guests[1])
    assert [message.text for message in context.messages] == ["Watch Carol"]


def test_turn_email_brings_what_was_said_since_the_player_s_last_turn_began(
    database: Database, guests: list[Guest], slug: str
) -> None:
    alice, bob, carol = guests
    say(database, slug, bob, "Good luck")
    for guest in guests:
        play_turn(database, slug, guest)
    # Alice may play from the email that she has already.
    say(database, slug, carol, "Watch Bob")
    play_turn(database, slug, alice)
    play_turn(database, slug, bob)
    say(database, slug, bob, "Well dug")
    play_turn(database, slug, carol)
    context = turn_email_of(database, alice)
    assert [message.text for message in context.messages] == ["Watch Bob", "Well dug"]


def test_turn_email_leaves_out_what_muted_people_said(
    database: Database, guests: list[Guest], slug: str
) -> None:
    say(database, slug, guests[0], "@Bob, hurry up")
    say(database, slug, guests[2], "Take your time")
    with transaction(database) as tx:
        access = game_for(tx, slug, guests[1].cookie)
        mute_author(using(tx, random_bytes=seeded_tokens("mutes")), access, 1)
    play_turn(database, slug, guests[0])
    context = turn_email_of(database, guests[1])
    assert [message.text for message in context.messages] == ["Take your time"]


def test_message_sends_no_email_and_moves_no_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        claim(tx)
        seq = game_for(tx, slug, guests[0].cookie).game.seq
    say(database, slug, guests[1], "@Alice, your turn")
    with transaction(database) as tx:
        assert claim(tx) == ()
        assert game_for(tx, slug, guests[0].cookie).game.seq == seq


def test_open_pages_notice_new_changed_and_deleted_messages(
    database: Database, guests: list[Guest], slug: str
) -> None:
    versions = []
    for number, change in enumerate((None, "say", "edit", "delete")):
        now = NOON.replace(second=number)
        with transaction(database, now) as tx:
            access = game_for(tx, slug, guests[0].cookie)
            if change == "say":
                send_message(tx, access, MessageInput("Hello", "x"))
            elif change == "edit":
                edit_message(tx, access, 1, "Hello all")
            elif change == "delete":
                delete_message(tx, access, 1)
            versions.append(page_version(game_for(tx, slug, guests[1].cookie)))
    assert all(earlier != later for earlier, later in pairwise(versions))


def test_person_without_a_seat_cannot_write(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests[:2])
    with transaction(database) as tx:
        access = game_for(tx, slug, guests[0].cookie)._replace(seat=None)
        with pytest.raises(NotAllowed) as refusal:
            send_message(tx, access, MessageInput("Hello", "x"))
    assert refusal.value.reason == DenialReason.NOT_SEATED


def test_download_has_what_its_owner_said(
    database: Database, guests: list[Guest], slug: str
) -> None:
    say(database, slug, guests[0], "Watch Carol")
    with transaction(database) as tx:
        data = own_data.read(tx, guests[0].person.id)
        other_data = own_data.read(tx, guests[1].person.id)
    assert [row["text"] for row in data["messages"]] == ["Watch Carol"]
    assert other_data["messages"] == []


def test_deleted_account_leaves_no_message(
    database: Database, guests: list[Guest], slug: str
) -> None:
    say(database, slug, guests[0], "Watch Carol")
    with transaction(database) as tx:
        delete_account(tx, guests[0].person, typed_address=ALICE.address)
    assert messages_read_by(database, slug, guests[1]) == []
