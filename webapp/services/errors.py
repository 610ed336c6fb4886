"""The families of refusal. Codes and parameters only: the sentences live in the translations.

What the rules of the game refuse is :class:`engine.errors.IllegalAction`, which passes through unchanged.
"""

from enum import StrEnum

import msgspec

from webapp.store.errors import Unavailable

__all__ = [
    "Denied",
    "FieldError",
    "FieldErrors",
    "NotAllowed",
    "NotFound",
    "Refused",
    "StaleTurn",
    "Unavailable",
]


class Refused(Exception):
    """Somebody asked for what cannot be. Nothing has changed."""


class FieldError(msgspec.Struct, frozen=True):
    """What is wrong with one field; ``params`` complete the sentence."""

    field: str
    code: str
    params: dict[str, str | int] = {}


class FieldErrors(Refused):
    """Something cannot be read; ``errors`` names every wrong field."""

    def __init__(self, *errors: FieldError) -> None:
        super().__init__(", ".join(f"{error.field}: {error.code}" for error in errors))
        self.errors = errors


class Denied(StrEnum):
    """Why something is not allowed here and now."""

    NOT_HOST = "not-host"
    NOT_OPEN = "not-open"
    NOT_RUNNING = "not-running"
    TABLE_FULL = "table-full"
    SEAT_TAKEN = "seat-taken"
    ALREADY_SEATED = "already-seated"
    NOT_SEATED = "not-seated"
    NO_NAME = "no-name"
    FREE_SEATS = "free-seats"
    INVITATION_USED = "invitation-used"
    TOO_MANY_TABLES = "too-many-tables"


class NotAllowed(Refused):
    """This person may not do this now; ``reason`` says why."""

    def __init__(self, reason: Denied) -> None:
        super().__init__(reason.value)
        self.reason = reason


class StaleTurn(Refused):
    """The game moved on; ``seq`` is where it stands now, if that is known."""

    def __init__(self, seq: int | None = None) -> None:
        super().__init__()
        self.seq = seq


class NotFound(Refused):
    """There is no such thing for this person."""
