"""The steps of a delivery that change the outbox: notifications are claimed, their messages stored, the outcome recorded.

``claim`` and commit; prepare, compose, ``store_messages`` and commit; send; ``mark_sent`` and commit. A
worker that dies in between leaves a lease that expires, and the next one sends the same bytes under the same Message-ID.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from webapp.kernel.email_outcomes import DelayCause, DropReason
from webapp.kernel.tx import Tx
from webapp.mail.outbox import bounces
from webapp.mail.queries import bounces as refused_emails
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import Delay
from webapp.operations.queries import outages
from webapp.operations.site_figures import count_attempts

LEASE_DURATION: Final = timedelta(minutes=3)
"""More than twice as long as sending an email may take. What a dead worker had claimed waits as long."""
MAX_RETRY_PERIOD: Final = timedelta(days=5)
"""How long a refused email is retried before it is given up (RFC 5321 4.5.4.1)."""
MAX_CLAIMS: Final = 20
"""Emails that a worker claims at a time: one transaction composes them."""
_FIRST_PAUSE: Final = timedelta(seconds=30)
_MAX_PAUSE: Final = timedelta(hours=1)
_MAX_DOUBLINGS: Final = 7
"""After so many doublings the first pause is as long as the longest."""
_ACCOUNTS_OF_SYSTEM_REFUSAL: Final = 2
"""If so many people are refused for a reason of the system, and no email is accepted, the relay refuses everyone."""
_ACCOUNTS_OF_SAME_REFUSAL: Final = 3
"""If so many are refused for good with the same answer, and no email is accepted, it isn't about them."""
_REPLY: Final = re.compile(r"(\d{3}) (?:(\d\.\d{1,3}\.\d{1,3})(?!\d))?")
Claim: TypeAlias = outbox.Claim
"""A notification that one worker may deliver until its lease ends."""
RefusalOutcome: TypeAlias = Literal["waits", "all-wait", "dead"]
"""What becomes of a refused email: it waits, it waits like all others because the relay takes none, or it is given up."""


def claim(
    tx: Tx, *, limit: int = MAX_CLAIMS, lease_duration: timedelta = LEASE_DURATION
) -> tuple[Claim, ...]:
    """Claim notifications that are due, for as long as the lease."""
    lease_until = tx.now + lease_duration
    return outbox.claim(tx, lease_until=lease_until, limit=limit)


def store_messages(tx: Tx, messages: Sequence[tuple[Claim, bytes]]) -> frozenset[int]:
    """Store composed messages before they are sent for the first time.

    Returns the ids whose claims still hold. The leases of the others expired, and another worker sends them.
    """
    return outbox.store_messages(tx, messages) if messages else frozenset()


def drop_superseded(tx: Tx, dropped_claims: Sequence[tuple[Claim, str]]) -> None:
    """Record that superseded emails are not sent, each with its reason."""
    outbox.mark_dropped(tx, dropped_claims)


def suppress(tx: Tx, claims: Sequence[Claim]) -> None:
    """Record that these emails are not sent, because others to the same people have come back: they count as not delivered."""
    for claim in claims:
        outbox.mark_failed(tx, claim, reason=DropReason.SUPPRESSED.code)


def mark_sent(tx: Tx, sent_claims: Sequence[tuple[Claim, str]]) -> None:
    """Record that the relay accepted responsibility for these emails, each with its Message-ID, and erase their bytes."""
    if sent_claims:
        outbox.mark_sent(tx, sent_claims)
        count_attempts(tx, "accepted", len(sent_claims))


def postpone(tx: Tx, claim: Claim, *, code: str, cause: DelayCause = "recipient") -> RefusalOutcome:
    """Record that this email was refused for now: retry it at growing intervals, and give it up in the end.

    The time limit runs from the first attempt, so that an email that was queued while nothing ran gets all of it. The number
    of attempts gives a lower bound of the time passed, because every pause between two of them is known.
    """
    if _time_since_first_attempt(claim.attempts) >= MAX_RETRY_PERIOD:
        outbox.mark_failed(tx, claim, reason=code)
        return "dead"
    _retry_later(tx, claim, Delay(cause, code, tx.now), counted_attempts=claim.attempts)
    return "waits"


def postpone_for_recipients(tx: Tx, postponed_claims: Sequence[tuple[Claim, datetime]]) -> None:
    """Record that these emails were not attempted, because their recipients have quiet hours or are on the site until then."""
    outbox.postpone_for_recipients(tx, postponed_claims)


def postpone_unreachable(
    tx: Tx, claim: Claim, *, code: str, cause: DelayCause = "unreachable"
) -> RefusalOutcome:
    """Record that the relay takes no email at all: retry at growing intervals for as long as the email applies.

    That is for the operator to fix, and deadlines move by as long as it lasts. Once the pauses are at their maximum such an attempt
    is not counted, or the first refusal after a long outage would be the last.
    """
    counted_attempts = claim.attempts - (_pause_after(claim.attempts - 1) == _MAX_PAUSE)
    _retry_later(tx, claim, Delay(cause, code, tx.now), counted_attempts=counted_attempts)
    outages.note_unreachable_relay(tx)
    return "all-wait"


def postpone_refused(tx: Tx, claim: Claim, *, code: str) -> RefusalOutcome:
    """Record that the relay refused this email for a reason of the system; if it refuses everyone, that is an outage of email."""
    if _is_everyone_refused(tx, claim.id):
        return postpone_unreachable(tx, claim, code=code, cause="refused")
    return postpone(tx, claim, code=code, cause="refused")


def _is_everyone_refused(tx: Tx, email_id: int) -> bool:
    """Return whether, with this email, the relay has refused several people for a reason of the system since it last took one.

    One account is never enough, or its mailbox could stop the clocks of all games. Addresses without an account do not count.
    """
    return refused_emails.count_refused_accounts(tx, email_id) >= _ACCOUNTS_OF_SYSTEM_REFUSAL


def give_up(tx: Tx, claim: Claim, *, code: str) -> RefusalOutcome:
    """Record that the relay will never accept the email.

    If it has answered the same to several people and accepted nothing meanwhile, it isn't about them: all these emails wait.
    """
    outbox.mark_failed(tx, claim, reason=code)
    ids = _emails_with_same_refusal(tx, code)
    if not ids:
        bounces.count_refusal(tx, claim.id, code)
        return "dead"
    due_at = tx.now + _pause_after(claim.attempts)
    refused_emails.revive(tx, ids, refused_at=tx.now, due_at=due_at)
    outages.note_unreachable_relay(tx)
    return "all-wait"


def _emails_with_same_refusal(tx: Tx, code: str) -> Sequence[int]:
    """Return the emails that were given up with this answer since the relay last took one; none if only few people got it."""
    key = _refusal_key(code)
    rows = [
        row
        for row in refused_emails.refused_since_last_accepted(tx)
        if _refusal_key(row.reason or "") == key
    ]
    account_ids = {row.account_id for row in rows} - {None}
    return [row.id for row in rows] if len(account_ids) >= _ACCOUNTS_OF_SAME_REFUSAL else []


def _refusal_key(code: str) -> str:
    """Return what two refusals have in common: code and enhanced status, or else the words without numbers in them."""
    found = _REPLY.match(code)
    if found and found[2]:
        return found[0]
    return " ".join(word for word in code.split() if not re.search(r"\d", word[3:]))


def release_claims(tx: Tx, claims: Sequence[Claim]) -> None:
    """Give up claims of emails that were not attempted, as if they had never been claimed."""
    for claim in claims:
        outbox.release_claim(tx, claim)


def _retry_later(tx: Tx, claim: Claim, delay: Delay, *, counted_attempts: int) -> None:
    due_at = delay.at + _pause_after(claim.attempts)
    outbox.postpone(tx, claim, delay, attempts=counted_attempts, due_at=due_at)


def _pause_after(attempts: int) -> timedelta:
    doublings = min(max(attempts, 1) - 1, _MAX_DOUBLINGS)
    return min(_FIRST_PAUSE * (1 << doublings), _MAX_PAUSE)


def _time_since_first_attempt(attempts: int) -> timedelta:
    """Return how long ago the first of so many attempts was, at least."""
    return sum(map(_pause_after, range(1, attempts)), timedelta())
