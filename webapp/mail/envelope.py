"""What all kinds of email have in common: the recipient, the place in the thread, and the tokens in their links and addresses."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from webapp.kernel.keyring import Keyring, derived_token, hash_of
from webapp.kernel.redacted import Redacted
from webapp.mail.outbox.unsubscribe import UnsubscribeScope
from webapp.mail.queries.email_facts import ClaimedNotification
from webapp.mail.queries.opt_outs import TokenRow

_REPORT_LOCAL_PART: Final = "bounce"
OptOuts: TypeAlias = Mapping[UnsubscribeScope, int | None]
"""What the recipient of an email can stop, with the id of the game or of the club."""


class UnsubscribeTokens(Redacted, frozen=True, kw_only=True):
    """One-click tokens by what they stop; they do not expire and carry no address (RFC 8058)."""

    game: str | None = None
    club: str | None = None
    requests: str | None = None
    """The emails about requests to join a club."""
    seats: str | None = None
    """The emails about open seats."""
    reminders: str | None = None
    everything: str | None = None


class Envelope(Redacted, frozen=True, kw_only=True):
    """The recipient, their language and time zone, and the email's place in its thread."""

    kind: str
    address: str
    name: str
    language: str
    zone: str
    message_id: str
    """The Message-ID in angle brackets; the same on every retry."""
    root_id: str | None
    """The Message-ID that all emails of the game refer to; None outside games."""
    list_id: str | None
    reply_to: str | None = None
    """The address to which the recipient can answer with commands; None if answers are not read."""
    reply_address: str = ""
    """The address where emails are received, without a token; empty if none are."""
    move_token: str | None = None
    """The token in the links that preview a move and play it; None if there are no such links."""
    is_link_only: bool = False
    """Whether the recipient wants the email to contain nothing that only they may know."""
    unsubscribe: UnsubscribeTokens


class EmailContext(Redacted, frozen=True, kw_only=True):
    """What an email is about, for one recipient, and its envelope; each kind of email has its own."""

    envelope: Envelope


def message_id_of(notification: ClaimedNotification, keys: Keyring) -> str:
    """Return the Message-ID: the same on every retry, another one for each notification (RFC 5322)."""
    return keys.message_id(
        notification.kind,
        notification.game_id,
        notification.seq,
        notification.account_id,
        notification.dedup_key,
    )


def reply_token_of(game_id: int, account_id: int, seq: int, keys: Keyring) -> str:
    """Return the token with which one player answers the emails about one turn: the same in all of them.

    It follows from the token in their links, so that one row is enough for both.
    """
    return derived_token(move_token_of(game_id, account_id, seq, keys))


def move_token_of(game_id: int, account_id: int, seq: int, keys: Keyring) -> str:
    """Return the token in the links of the emails about one turn to one player, with which anyone who has one can play it."""
    return keys.token("move", game_id, account_id, seq)


def with_token(address: str, token: str) -> str:
    """Return an address with a token in it: `reply+TOKEN@lodepost.example` (RFC 5233)."""
    local_part, _, domain = address.rpartition("@")
    return f"{local_part}+{token}@{domain}"


def unsubscribe_tokens(
    address: str, opt_outs: OptOuts, keys: Keyring
) -> tuple[UnsubscribeTokens, tuple[TokenRow, ...]]:
    """Return the tokens for an email and the rows that make them work."""
    owner = address.lower()
    tokens = {
        scope: keys.token("unsubscribe", owner, scope, subject_id)
        for scope, subject_id in opt_outs.items()
    }
    rows = tuple(
        _token_row(tokens[scope], owner, scope, subject_id)
        for scope, subject_id in opt_outs.items()
    )
    return UnsubscribeTokens(**tokens), rows


def _token_row(
    token: str, address: str, scope: UnsubscribeScope, subject_id: int | None
) -> TokenRow:
    """Return the row of a token; its subject is a club or a game."""
    if scope in {"club", "requests"}:
        return TokenRow(hash_of(token), address, scope, None, subject_id)
    return TokenRow(hash_of(token), address, scope, subject_id)


def report_address_of(mail_from: str) -> str:
    """Return the address, without a token, to which mail servers report what became of emails from here (VERP)."""
    return f"{_REPORT_LOCAL_PART}@{mail_from.rpartition('@')[2]}"


def token_in(recipient: str, address: str) -> str | None:
    """Return the token in an address that was made by ``with_token``; None for any other address."""
    local_part, _, domain = recipient.strip().lower().rpartition("@")
    base, _, token = local_part.partition("+")
    own_base, _, own_domain = address.lower().rpartition("@")
    if not address or (base, domain) != (own_base, own_domain):
        return None
    # What anyone can write into an address reaches no query otherwise.
    return token if token.isascii() and token.isalnum() else None
