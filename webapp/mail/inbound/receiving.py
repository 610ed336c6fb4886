"""Accepts emails: each is stored before it is accepted, and nothing else happens to it here."""

import hashlib
from typing import Final, NamedTuple

from webapp.kernel.config import Settings
from webapp.kernel.keyring import hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.envelope import report_address_of, token_in
from webapp.mail.inbound.reading import message_id_in
from webapp.mail.outbox.bounces import find_email
from webapp.mail.outbox.unsubscribe import stops_emails
from webapp.mail.queries import replies
from webapp.mail.queries.replies import NewInboundEmail

MAX_MESSAGE_SIZE: Final = 1024 * 1024
"""Bytes of an email; an answer has a few lines, and what it quotes."""


class OwnAddresses(NamedTuple):
    """The addresses at which emails are received, each without the token that is added to it."""

    replies: str
    """The address for answers; empty if they are not read."""
    reports: str
    """The address for reports about delivery."""


NO_ADDRESSES: Final = OwnAddresses("", "")


def own_addresses(settings: Settings) -> OwnAddresses:
    """Return the addresses of a site."""
    return OwnAddresses(settings.reply_address, report_address_of(settings.mail_from))


class Mailbox(Redacted, frozen=True, kw_only=True):
    """What an address is for: answers with a token, or reports about an email."""

    token_hash: bytes | None = None
    notification_id: int | None = None


def find_mailbox(tx: Tx, recipient: str, addresses: OwnAddresses) -> Mailbox | None:
    """Return what an address is for; None if nothing is accepted for it.

    A token for answers must have been issued, and its game must not have ended long ago; one that stops emails never expires;
    and the email of a report must have been sent.
    """
    token = token_in(recipient, addresses.replies)
    if token is not None:
        token_hash = hash_of(token)
        found = replies.find_token(tx, token_hash)
        is_known = found is not None or stops_emails(tx, token_hash)
        return Mailbox(token_hash=token_hash) if is_known else None
    return find_reported(tx, token_in(recipient, addresses.reports) or "")


def find_reported(tx: Tx, message_id: str) -> Mailbox | None:
    """Return the mailbox of a report that was sent elsewhere, by the Message-ID in it of an email from here."""
    notification_id = find_email(tx, message_id)
    return None if notification_id is None else Mailbox(notification_id=notification_id)


def receive(tx: Tx, mailbox: Mailbox, message: bytes, *, is_vouched: bool = False) -> bool:
    """Store an email; return whether it is new: the same message to the same address is stored once, by whichever routes it comes.

    ``is_vouched`` says that the receiver itself knows who has sent it.
    """
    email = NewInboundEmail(
        digest=digest_of(mailbox, message),
        message_id_digest=_message_id_digest(mailbox, message),
        token_hash=mailbox.token_hash,
        notification_id=mailbox.notification_id,
        is_vouched=is_vouched,
        message=message,
        received_at=tx.now,
    )
    is_new = replies.add(tx, email)
    if is_new:
        tx.nudges.add("replies")
    return is_new


def digest_of(mailbox: Mailbox, message: bytes) -> bytes:
    """Return a digest that is the same if the same message comes to the same address again."""
    return hashlib.sha256(_recipient_key(mailbox) + message).digest()


def _message_id_digest(mailbox: Mailbox, message: bytes) -> bytes | None:
    """Return a digest that is the same if a message comes by another route, with other fields of mail servers.

    None without a Message-ID.
    """
    message_id = message_id_in(message)
    if not message_id:
        return None
    return hashlib.sha256(_recipient_key(mailbox) + message_id.encode("utf-8", "replace")).digest()


def _recipient_key(mailbox: Mailbox) -> bytes:
    return mailbox.token_hash or str(mailbox.notification_id).encode()
