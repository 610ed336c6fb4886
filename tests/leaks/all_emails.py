"""Emails of every kind to every player of the running game, some of which fail."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from email import message_from_bytes, policy

from sqlalchemy import insert, text

from tasks import delivery
from tests.leaks.observed_site import ObservedSite
from tests.leaks.seed_data import ZOE
from tests.leaks.seed_votes import OPEN_VOTE_ID, REJECTED_VOTE_ID
from tests.leaks.stored_game_pairs import SEATED_CHARACTERS
from tests.support.cast import ALICE, BOB, Character
from tests.support.caused_emails import (
    cause_address_change_emails,
    cause_answer_to_a_reply,
    cause_briefing_emails,
    cause_cancelled_table_email,
    cause_club_emails,
    cause_club_invitation_email,
    cause_invitation_email,
    cause_leaving_emails,
    cause_lifted_ban_email,
    cause_missed_turn_emails,
    cause_removed_player_email,
    cause_sanction_emails,
    cause_unanswered_check_emails,
    cause_waiting_table_email,
    changed_address,
)
from tests.support.factories import Guest, sign_in_guest, sign_in_guests, stored_game
from tests.support.transactions import NOON, transaction, use_other_random_bytes
from tests.support.volunteers import cause_open_seats_email
from webapp.mail.compose import Composer
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import MessageParts
from webapp.mail.schema import Notification
from webapp.mail.transport import PermanentFailure, RenderedEmail, TransientFailure

_STRANGERS = tuple(
    Character(name, f"{name.lower()}@example.test") for name in ("Uma", "Vera", "Wim")
)


def emails_to_reader(observed_site: ObservedSite) -> Iterator[tuple[str, str]]:
    """Deliver emails of every kind to everyone while some cannot be composed or sent; yield the reader's."""
    guest = observed_site.guest()
    if guest is not None:
        _cause_emails_to(observed_site, guest)
    # After the missed turns of other games: before, all calls of the site are marked as sent.
    _queue_every_kind(observed_site)
    seed_data = observed_site.seed_data
    cause_briefing_emails(observed_site.database, seed_data.running_slug, seed_data.seated_guests)
    cause_address_change_emails(observed_site.database, seed_data.seated_guests)
    for seated_guest in seed_data.seated_guests:
        cause_answer_to_a_reply(observed_site.context, seed_data.running_slug, seated_guest)
    cause_sanction_emails(observed_site.database, observed_site.seed_data.seated_guests)
    observed_site.recording_transport.after_sending = _fail_some_deliveries
    failing_composer = _FailingComposer(observed_site, observed_site.context.composer)
    delivery.deliver(replace(observed_site.context, composer=failing_composer))
    addresses = set() if guest is None else {guest.person.address}
    if observed_site.observer is not None:
        addresses.add(changed_address(observed_site.observer))
    for email in observed_site.recording_transport.emails:
        if email.recipient in addresses:
            yield _email_text(email)


def _cause_emails_to(observed_site: ObservedSite, guest: Guest) -> None:
    """Cause the emails that anyone with an account may get, whether they play in the running game or not."""
    database = observed_site.database
    use_other_random_bytes(database, "emails to every reader")
    seated_guests = observed_site.seed_data.seated_guests
    other_guests = [
        seated_guest
        for seated_guest in (*seated_guests[2:], *seated_guests[:2])
        if seated_guest != guest
    ]
    founder = other_guests[0]
    # The crawl has signed the reader out.
    guest = sign_in_guest(database, Character(guest.person.name, guest.person.address))
    cause_lifted_ban_email(database, guest)
    cause_leaving_emails(database, [guest, founder, other_guests[1]])
    cause_missed_turn_emails(database, [guest, founder, other_guests[1]])
    cause_cancelled_table_email(database, founder, guest)
    cause_waiting_table_email(database, founder, guest)
    cause_removed_player_email(database, founder, guest)
    cause_unanswered_check_emails(database, founder, guest)
    cause_unanswered_check_emails(database, guest, founder)
    cause_club_emails(database, founder, guest, ZOE.address)
    # An invitation to a club of which one is a member is not sent.
    cause_club_invitation_email(database, other_guests[1], guest.person.address)
    cause_invitation_email(database, founder, guest.person.address)
    # The last, because the reader gets it while they may be in another game. They may have blocked the others.
    cause_open_seats_email(database, guest, sign_in_guests(database, *_STRANGERS))


class _FailingComposer(Composer):
    """Composes like another composer, but fails for Alice, or for Bob if Alice is the reader."""

    def __init__(self, observed_site: ObservedSite, composer: Composer) -> None:
        self._composer = composer
        self._failing_character = (
            BOB if observed_site.observer == SEATED_CHARACTERS.index(ALICE) else ALICE
        )

    def compose(self, context: EmailContext, *, now: datetime) -> MessageParts:
        if context.envelope.name == self._failing_character.name:
            message = "No emails today."
            raise RuntimeError(message)
        return self._composer.compose(context, now=now)


def _fail_some_deliveries(email: RenderedEmail) -> None:
    # Its address is another one in the counterfactual, but ends the same.
    if email.recipient.endswith(ZOE.address):
        raise PermanentFailure(f"550 5.1.1 <{email.recipient}>: no such user")
    if b"Feedback-ID: sign-in" in email.message:
        raise TransientFailure(f"451 4.7.1 <{email.recipient}>: later")


def _email_text(email: RenderedEmail) -> tuple[str, str]:
    """Return a name for the email, and its text both as sent and with every part decoded."""
    message = message_from_bytes(email.message, policy=policy.default)
    part_texts = [
        str(message_part.get_content())
        for message_part in message.walk()
        if not message_part.is_multipart()
    ]
    kind, message_id = str(message["Feedback-ID"]).partition(":")[0], message["Message-ID"]
    raw_message = email.message.decode()
    return f"email {kind} {message_id}", "\n\n".join([str(email.senders), raw_message, *part_texts])


def _queue_every_kind(observed_site: ObservedSite) -> None:
    """Queue an email of every kind about the running game for every player."""
    row = stored_game(
        observed_site.database,
        observed_site.seed_data.running_slug,
        observed_site.seed_data.seated_guests[0],
    ).row
    assert row.remind_at is not None
    dedup_keys = {"your-turn": 0, "reminder": int(row.remind_at.timestamp()), "dealt": 0}
    rounds = {f"round-over {ended_round}": ended_round for ended_round in range(1, row.round)}
    dedup_keys |= rounds | _acts_on_game(observed_site, row.id)
    dedup_keys |= {"vote-opened": OPEN_VOTE_ID, "vote-ended": REJECTED_VOTE_ID}
    # The player on turn gets the deal with the email about that turn: an email of its own is about an earlier one.
    dedup_keys["dealt earlier"] = 0
    notifications = [
        {
            "id": 936_900_000 + number * 10 + seat,
            "kind": kind.split()[0],
            "game_id": row.id,
            "seq": row.turn_seq - 1 if kind == "dealt earlier" else row.turn_seq,
            "account_id": observed_site.seed_data.seated_guests[seat].person.id,
            "dedup_key": dedup_key,
            "first_due_at": NOON,
            "due_at": NOON,
        }
        for number, (kind, dedup_key) in enumerate(dedup_keys.items())
        for seat in range(len(SEATED_CHARACTERS))
    ]
    with transaction(observed_site.database) as tx:
        tx.execute(insert(Notification), notifications)


def _acts_on_game(observed_site: ObservedSite, game_id: int) -> dict[str, int]:
    """Return the entry in the ledger that an email of each of these kinds is about."""
    query = text("SELECT act, id FROM ledger WHERE game_id = :game_id")
    with observed_site.database.engine.begin() as connection:
        entries = {row.act: row.id for row in connection.execute(query, {"game_id": game_id})}
    return {"moderator-act": entries["announce-to-table"], "nudge": entries["nudge"]}
