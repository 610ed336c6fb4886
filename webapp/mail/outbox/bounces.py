"""Emails that came back or were called spam: they count as not delivered, and an account whose emails keep coming back gets none for a while.

A score by account goes up with each such report and halves every week. While it is above a limit nothing is sent but emails about
the account itself; afterwards the next email is a new attempt. The player, or a moderator who lets an email be sent again, ends that at once.
"""

import logging
import math
import re
from datetime import datetime, timedelta
from enum import Enum
from typing import Final, NamedTuple

from webapp.accounts.person import Person
from webapp.kernel.keyring import local_part_of
from webapp.kernel.tx import Tx
from webapp.logs.fields import event_fields
from webapp.mail.queries import bounces
from webapp.mail.queries.bounces import BounceScore

HALF_LIFE: Final = timedelta(days=7)
LIMIT: Final = 4.0
"""The highest score with which emails are sent."""
HARD_WEIGHT: Final = 3.0
"""The weight of an address that does not exist: two of these within days pass the limit."""
SOFT_WEIGHT: Final = 1.0
"""The weight of a full mailbox, a refused content, or a server that was away for days."""
COMPLAINT_WEIGHT: Final = 64.0
"""The weight of an email that was called spam: it takes four weeks to decay to the limit."""
_MAX_SCORE: Final = 64.0
_HARD_DETAILS_OF_MAILBOX: Final = frozenset({"2.1"})
_MAX_STATUS_LENGTH: Final = 12
_STATUS: Final = re.compile(r"\b5\.\d{1,3}\.\d{1,3}\b")
_log = logging.getLogger(__name__)


class ReportKind(Enum):
    """What is reported; the value is the word in logs and in the reason of the notification."""

    BOUNCE = "bounced"
    REFUSAL = "refused"
    COMPLAINT = "complaint"


class DeliveryReport(NamedTuple):
    """A report about one email; ``status`` is its enhanced status such as 5.1.1 (RFC 3463), empty for a complaint."""

    kind: ReportKind
    status: str

    @property
    def weight(self) -> float:
        """The number that it adds to the score."""
        if self.kind == ReportKind.COMPLAINT:
            return COMPLAINT_WEIGHT
        return HARD_WEIGHT if is_hard(self.status) else SOFT_WEIGHT

    @property
    def reason(self) -> str:
        """The stored reason why the email was not delivered."""
        return f"{self.kind.value} {self.status}".strip()


def is_hard(status: str) -> bool:
    """Return whether a status says that the mailbox does not exist or is switched off; otherwise another email may be delivered."""
    status_class, _, detail = status.partition(".")
    is_about_address = detail.startswith("1.") or detail in _HARD_DETAILS_OF_MAILBOX
    return status_class == "5" and (is_about_address or detail == "0.0")


def find_email(tx: Tx, message_id: str) -> int | None:
    """Return the email from here with this Message-ID, or with this part of it before the @; None if none was sent."""
    token = local_part_of(message_id)
    if not token.isascii() or not token.isalnum():
        return None
    return bounces.find_sent(tx, token)


def known_status(text: str) -> str:
    """Return an enhanced status as it is stored; 5.0.0 for anything else."""
    status = text[:_MAX_STATUS_LENGTH]
    is_known = status.replace(".", "").isdecimal() and status.isascii()
    return status if is_known else "5.0.0"


def record_report(tx: Tx, notification_id: int, report: DeliveryReport | None) -> str:
    """Record that an email that the relay had taken was not delivered, or was called spam; return the outcome as one word."""
    if report is None:
        return "no-report"
    account_id = bounces.mark_undelivered(tx, notification_id, report.reason)
    if account_id is None:
        return "not-sent"
    count_undelivered(tx, account_id, report)
    _log.info(
        "Email %s came back: %s.",
        notification_id,
        report.reason,
        extra=event_fields("email-returned", email=notification_id, reason=report.reason),
    )
    return report.kind.value


def count_refusal(tx: Tx, notification_id: int, answer: str) -> None:
    """Count an email that the relay has refused for good, with its answer."""
    account_id = bounces.account_of(tx, notification_id)
    if account_id is not None:
        found = _STATUS.search(answer)
        status = found[0] if found else ""
        report = DeliveryReport(ReportKind.REFUSAL, status)
        count_undelivered(tx, account_id, report)


def count_undelivered(tx: Tx, account_id: int, report: DeliveryReport) -> None:
    """Raise the score of an account, and stop its emails if it passes the limit."""
    stored = bounces.lock_score(tx, account_id)
    score = min(_decayed(stored, tx.now) + report.weight, _MAX_SCORE)
    bounces.store_score(
        tx,
        account_id,
        BounceScore(score, tx.now, _suppressed_until(score, tx.now), report.reason),
    )


def resume_emails(tx: Tx, person: Person) -> None:
    """Send emails to this person again, because they say that their mailbox works."""
    bounces.forget_score(tx, person.id)


def _decayed(stored: BounceScore, now: datetime) -> float:
    if stored.at is None:
        return 0.0
    half_lives = max((now - stored.at) / HALF_LIFE, 0.0)
    return stored.score / math.exp2(half_lives)


def _suppressed_until(score: float, now: datetime) -> datetime | None:
    """Return when a score will have decayed to the limit; None if it is not above it."""
    return None if score <= LIMIT else now + HALF_LIFE * math.log2(score / LIMIT)
