"""The emails of a long game, grouped: those that did not arrive one by one, the others counted by kind and outcome."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from webapp.store.moderation.game_detail import SentEmail

_UNSENT_STATUSES: Final = frozenset({"failed", "pending"})


class EmailsOfKindAndStatus(NamedTuple):
    """Emails of one kind with the same outcome, newest first."""

    kind: str
    status: str
    emails: tuple[SentEmail, ...]


def failed_or_pending_emails(emails: Iterable[SentEmail]) -> tuple[SentEmail, ...]:
    """Return the emails that were refused or still wait, in the given order."""
    return tuple(email for email in emails if email.status in _UNSENT_STATUSES)


def group_settled_emails(emails: Sequence[SentEmail]) -> tuple[EmailsOfKindAndStatus, ...]:
    """Return the other emails by kind and outcome; the kind of the newest email comes first."""
    settled_emails = [email for email in emails if email.status not in _UNSENT_STATUSES]
    keys = dict.fromkeys((email.kind, email.status) for email in settled_emails)
    return tuple(
        EmailsOfKindAndStatus(
            kind,
            status,
            tuple(
                email for email in settled_emails if (email.kind, email.status) == (kind, status)
            ),
        )
        for kind, status in keys
    )
