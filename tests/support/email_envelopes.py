"""The envelopes of the emails in tests, and when they are sent."""

from datetime import UTC, datetime
from typing import Any, Final

from webapp.services.email_kinds import REQUESTED_KINDS, NotificationKind
from webapp.services.notifications.email_envelope import Envelope, UnsubscribeTokens

NOW: Final = datetime(2026, 5, 5, 12, 30, tzinfo=UTC)


def envelope_for(kind: NotificationKind, **changed_fields: Any) -> Envelope:
    """Return the envelope of an email to Anna."""
    is_about_account = kind in REQUESTED_KINDS
    defaults: dict[str, Any] = {
        "kind": kind,
        "address": "anna@example.org",
        "name": "Anna",
        "language": "en",
        "zone": "Europe/Riga",
        "message_id": "<0123456789abcdef0123456789abcdef@lodepost.example>",
        "root_id": None
        if is_about_account
        else "<fedcba9876543210fedcba9876543210@lodepost.example>",
        "list_id": None if is_about_account else "k7h2m.lodepost.example",
        "unsubscribe": UnsubscribeTokens()
        if is_about_account
        else UnsubscribeTokens(
            game="game-token", reminders="reminder-token", everything="all-token"
        ),
    }
    return Envelope(**(defaults | changed_fields))
