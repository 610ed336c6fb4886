"""Addresses with a token between + and @ (RFC 5233): of answers, and of reports about the delivery of one email."""

from typing import Final

_REPORT_LOCAL_PART: Final = "bounce"


def report_address_of(mail_from: str) -> str:
    """Return the address, without a token, to which mail servers report what became of emails from here (VERP)."""
    return f"{_REPORT_LOCAL_PART}@{mail_from.rpartition('@')[2]}"


def with_token(address: str, token: str) -> str:
    """Return an address with a token in it: `reply+TOKEN@lodepost.example`."""
    local_part, _, domain = address.rpartition("@")
    return f"{local_part}+{token}@{domain}"


def token_in(recipient: str, address: str) -> str | None:
    """Return the token in an address that was made by ``with_token``; None for any other address."""
    local_part, _, domain = recipient.strip().lower().rpartition("@")
    base, _, token = local_part.partition("+")
    own_base, _, own_domain = address.lower().rpartition("@")
    if not address or (base, domain) != (own_base, own_domain):
        return None
    return token if is_token(token) else None


def is_token(text: str) -> bool:
    """Return whether text may be a token: what anyone can write into an address reaches no query otherwise."""
    return text.isascii() and text.isalnum()
