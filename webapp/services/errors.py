"""Why services refuse: classes with codes and parameters, whose sentences live in the translations.

Refusals by the rules of the game are :class:`engine.errors.IllegalAction`, which services pass through unchanged.
"""

from enum import StrEnum

import msgspec


class Refused(Exception):
    """The request cannot be granted. Nothing has changed."""


class FieldError(msgspec.Struct, frozen=True):
    """What is wrong with one field; ``params`` complete the sentence."""

    field: str
    code: str
    params: dict[str, str | int] = {}


def out_of_range(field: str, low: int, high: int) -> FieldError:
    """Return the error of a number that must be between ``low`` and ``high``."""
    return FieldError(field, "out-of-range", {"low": low, "high": high})


class FieldErrors(Refused):
    """The input is invalid; ``errors`` names every wrong field."""

    def __init__(self, *errors: FieldError) -> None:
        super().__init__(", ".join(f"{error.field}: {error.code}" for error in errors))
        self.errors = errors


class Denied(StrEnum):
    """Why something is not allowed here and now."""

    NOT_HOST = "not-host"
    LOBBY_CLOSED = "not-open"
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
    """The person may not do this now; ``reason`` says why."""

    def __init__(self, reason: Denied) -> None:
        super().__init__(reason.value)
        self.reason = reason


class StaleTurn(Refused):
    """The game has moved on; ``seq`` is where it stands now, if that is known."""

    def __init__(self, seq: int | None = None) -> None:
        super().__init__()
        self.seq = seq


class NotFound(Refused):
    """It does not exist, or not for this person: both look the same."""


class NotInGame(NotFound):
    """A game that the viewer may see has no such turn, or no history yet. Signing in would not change that."""


class Unavailable(Exception):
    """The database cannot be reached, is too busy to answer in time, or takes no changes at present.

    Nothing has changed, unless the answer to a COMMIT was lost; even then a repeated turn is not taken twice.
    """
