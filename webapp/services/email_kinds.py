"""The kinds of email that Lodepost sends: the `kind` of a row in the outbox."""

from typing import Literal, TypeAlias

NotificationKind: TypeAlias = Literal[
    "sign-in",
    "invitation",
    "ready-check",
    "dealt",
    "your-turn",
    "reminder",
    "round-over",
    "game-over",
]
