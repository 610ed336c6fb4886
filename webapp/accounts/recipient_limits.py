"""Limits that keep emails to an address that its owner has not confirmed from being used against them.

A mailbox gets three a day from all people together, invitations as well as links that confirm a new address; what is over that is accepted and not sent, because a refusal would show
who else has invited the person. Counting happens under a lock, so that requests at the same time count one by one.
"""

from datetime import timedelta
from typing import Final

from webapp.accounts.person import Person
from webapp.accounts.queries import recipients
from webapp.kernel.refusals import FieldError, FieldErrors
from webapp.kernel.statements import lock_count
from webapp.kernel.tx import Tx
from webapp.lobby.queries import tables

EMAILS_PER_RECIPIENT_AND_DAY: Final = 3
"""Invitations to tables and clubs, offers of seats and links to confirm an address, from everyone together."""
INVITATIONS_OF_NEWCOMER_PER_DAY: Final = 10
"""Addresses that someone who has finished no game can invite in a day: enough for a full table."""
UNANSWERED_FOR: Final = timedelta(days=30)
"""How long an unanswered invitation keeps the same person from sending another."""
MAX_INVITATIONS_TO_CANCELLED_TABLES: Final = 2
"""Unanswered invitations to tables that were cancelled, after which the same person sends no other to the mailbox."""
_DAY: Final = timedelta(days=1)


def lock_invitations(tx: Tx, inviter: Person, address: str) -> None:
    """Make others who invite as this person, or invite the same mailbox, wait. To be called after the game or club is locked."""
    lock_count(tx, "invitations", inviter.id)
    recipients.lock_recipient(tx, address)


def check_newcomer_limit(tx: Tx, inviter: Person) -> None:
    """Raise FieldErrors if someone who has finished no game has invited as many people as they may in a day."""
    if tables.count_games(tx, inviter.id).finished:
        return
    if recipients.count_invited(tx, inviter.id, since=tx.now - _DAY) >= (
        INVITATIONS_OF_NEWCOMER_PER_DAY
    ):
        error = FieldError("address", "newcomer", {"max": INVITATIONS_OF_NEWCOMER_PER_DAY})
        raise FieldErrors(error)


def check_unanswered(tx: Tx, inviter: Person, address: str, *, is_rematch: bool = False) -> None:
    """Raise FieldErrors if this person waits for an answer to an invitation of this mailbox to any table, or to any rematch.

    A table may be cancelled and opened again, but not so often that it becomes a way to send emails.
    """
    since = tx.now - UNANSWERED_FOR
    unanswered = recipients.count_unanswered_invitations(
        tx, inviter.id, address, is_rematch=is_rematch, since=since
    )
    if (
        unanswered.to_waiting_tables
        or unanswered.to_cancelled_tables >= MAX_INVITATIONS_TO_CANCELLED_TABLES
    ):
        raise FieldErrors(FieldError("address", "unanswered"))


def may_be_emailed(tx: Tx, address: str) -> bool:
    """Return whether a mailbox may get another invitation today."""
    count = recipients.count_emails(tx, address, since=tx.now - _DAY)
    return count < EMAILS_PER_RECIPIENT_AND_DAY
