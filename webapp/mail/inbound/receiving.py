"""Accepts emails: each is stored before it is accepted, and nothing else happens to it here."""

import hashlib
from datetime import datetime
from typing import Final

from webapp.services.keys import hash_of
from webapp.services.tx import Tx
from webapp.store.notifications import replies

MAX_MESSAGE_SIZE: Final = 1024 * 1024
"""Bytes of an email; an answer has a few lines, and what it quotes."""


def token_in(recipient: str, reply_address: str) -> str | None:
    """Return the token in an address for answers, `reply+TOKEN@lodepost.example`; None for any other address."""
    local_part, _, domain = recipient.strip().lower().rpartition("@")
    base, _, token = local_part.partition("+")
    own_base, _, own_domain = reply_address.lower().rpartition("@")
    if not reply_address or (base, domain) != (own_base, own_domain) or not token.isascii():
        return None
    return token or None


def is_known_token(tx: Tx, token: str) -> bool:
    """Return whether an email to this token is accepted: it was issued, and its game has not ended long ago."""
    return replies.find_token(tx.connection, hash_of(token)) is not None


def receive(tx: Tx, token: str, message: bytes, *, is_vouched: bool = False, now: datetime) -> bool:
    """Store an email for an address with a known token; return whether it is new.

    ``is_vouched`` says that the receiver itself knows who has sent it. The same message to the same address is stored once.
    """
    token_hash = hash_of(token)
    digest = hashlib.sha256(token_hash + message).digest()
    is_new = replies.add(
        tx.connection,
        digest=digest,
        token_hash=token_hash,
        is_vouched=is_vouched,
        message=message,
        now=now,
    )
    if is_new:
        tx.nudges.add("replies")
    return is_new
