"""The kinds of email that Lodepost sends: the `kind` of a row in the outbox.

Its own module because both `services/play` and `services/notifications` need it, and neither may depend on the other's callers.
"""

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
