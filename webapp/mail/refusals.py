"""What the answer of a relay is about: the recipient, the sender, or the mail system itself (RFC 3463)."""

import re
from typing import Final

_STATUS: Final = re.compile(r"([245])\.(\d{1,3})\.(\d{1,3})(?!\d)")
_ADDRESS: Final = re.compile(r"[^\s<>()\[\]\"',;:=]+@[^\s<>()\[\]\"',;:=]+")
_HIDDEN_ADDRESS: Final = "(address)"
_SECURITY_CLASS: Final = "7"
_SYSTEM_CLASS: Final = "3"
_SENDER_STATUSES: Final = (("1", "7"), ("1", "8"))
_CONGESTED_STATUS: Final = ("4", "5")
"""Congestion, which relays also answer when a quota of the sender is used up."""
_TOO_BIG_STATUS: Final = ("3", "4")


def is_about_sender(answer: str) -> bool:
    """Return whether another envelope sender may be accepted (5.1.7, 5.1.8, 5.7.x)."""
    subject, detail = _status_of(answer)
    return subject == _SECURITY_CLASS or (subject, detail) in _SENDER_STATUSES


def is_about_system(answer: str, *, is_permanent: bool) -> bool:
    """Return whether the relay refuses this server, or cannot work, so that the recipient is not the reason.

    A temporary 4.7.x is greylisting, which concerns one email. An email that is too big (x.3.4) is refused for itself.
    """
    subject, detail = _status_of(answer)
    if (subject, detail) == _TOO_BIG_STATUS:
        return False
    if subject == _SYSTEM_CLASS or (subject, detail) == _CONGESTED_STATUS:
        return True
    return is_permanent and is_about_sender(answer)


def without_addresses(answer: str) -> str:
    """Return an answer without email addresses, so that logs may contain it and two recipients' answers can be compared."""
    return _ADDRESS.sub(_HIDDEN_ADDRESS, answer)


def _status_of(answer: str) -> tuple[str, str]:
    """Return subject and detail of the enhanced status at the beginning of an answer; empty if it has none."""
    found = _STATUS.match(answer)
    return (found[2], found[3]) if found else ("", "")
