"""Refused emails: whose fault a refusal is, which is seen from what the relay answers to several people in a row."""

import re
from collections.abc import Sequence
from typing import Final

from webapp.services.tx import Tx
from webapp.store.notifications import refused_emails

ACCOUNTS_OF_SYSTEM_REFUSAL: Final = 2
"""If so many people are refused for a reason of the system, and no email is accepted, the relay refuses everyone."""
ACCOUNTS_OF_SAME_REFUSAL: Final = 3
"""If so many are refused for good with the same answer, and no email is accepted, it isn't about them."""
_REPLY: Final = re.compile(r"(\d{3}) (?:(\d\.\d{1,3}\.\d{1,3})(?!\d))?")


def is_everyone_refused(tx: Tx, email_id: int) -> bool:
    """Return whether, with this email, the relay has refused several people for a reason of the system since it last took one.

    One account is never enough, or its mailbox could stop the clocks of all games. Addresses without an account do not count.
    """
    return (
        refused_emails.count_refused_accounts(tx.connection, email_id) >= ACCOUNTS_OF_SYSTEM_REFUSAL
    )


def emails_with_same_refusal(tx: Tx, code: str) -> Sequence[int]:
    """Return the emails that were given up with this answer since the relay last took one; none if only few people got it."""
    key = refusal_key(code)
    rows = [
        row
        for row in refused_emails.refused_since_last_accepted(tx.connection)
        if refusal_key(row.reason or "") == key
    ]
    account_ids = {row.account_id for row in rows} - {None}
    return [row.id for row in rows] if len(account_ids) >= ACCOUNTS_OF_SAME_REFUSAL else []


def refusal_key(code: str) -> str:
    """Return what two refusals have in common: code and enhanced status, or else the words without numbers in them."""
    found = _REPLY.match(code)
    if found and found[2]:
        return found[0]
    return " ".join(word for word in code.split() if not re.search(r"\d", word[3:]))
