"""The kinds of email that Lodepost sends: the `kind` of a row in the outbox."""

from typing import Final, Literal, TypeAlias, get_args

NotificationKind: TypeAlias = Literal[
    "sign-in",
    "identity-code",
    "address-change",
    "address-requested",
    "address-changed",
    "invitation",
    "seat-offer",
    "ready-check",
    "ready-check-missed",
    "ready-check-over",
    "player-removed",
    "table-waiting",
    "table-cancelled",
    "dealt",
    "your-turn",
    "reminder",
    "turn-missed",
    "seat-opened",
    "open-seats",
    "deadlines-moved",
    "briefing",
    "round-over",
    "game-over",
    "club-invitation",
    "club-announcement",
    "club-act",
    "club-request",
    "club-admitted",
    "club-declined",
    "moderator-act",
    "nudge",
    "player-left",
    "vote-opened",
    "vote-ended",
    "warning",
    "ban",
    "ban-lifted",
    "report-decided",
]
REQUESTED_KINDS: Final[frozenset[NotificationKind]] = frozenset(
    {
        "sign-in",
        "identity-code",
        "address-change",
        "address-requested",
        "address-changed",
        "warning",
        "ban",
        "ban-lifted",
        "report-decided",
    }
)
"""Emails about the account itself, which are sent even to an address that has stopped all email, and cannot be stopped."""
DelayCause: TypeAlias = Literal["recipient", "refused", "unreachable", "composing"]
"""Why an email waits: its recipient's mailbox, a relay that refuses this server, one that can't be reached, or a bug here."""
DELAY_CAUSES: Final[tuple[DelayCause, ...]] = get_args(DelayCause)
