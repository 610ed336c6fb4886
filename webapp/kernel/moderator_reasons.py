"""The reason that every act of a moderator needs: it is shown to the people concerned and kept in the ledger for ever."""

from typing import Final

from webapp.kernel.errors import FieldError, FieldErrors

MAX_REASON_LENGTH: Final = 500
_LINE_BREAK: Final = "\n"


def checked_reason(typed_reason: str, *, field: str = "reason") -> str:
    """Return a reason without surrounding blanks, its line breaks as one character. Raises FieldErrors for the field."""
    reason = _LINE_BREAK.join(typed_reason.strip().splitlines())
    error = _reason_error(reason, field)
    if error is not None:
        raise FieldErrors(error)
    return reason


def _reason_error(reason: str, field: str) -> FieldError | None:
    if not reason:
        return FieldError(field, "required")
    if len(reason) > MAX_REASON_LENGTH:
        return FieldError(field, "too-long", {"max": MAX_REASON_LENGTH})
    if not all(character.isprintable() or character == _LINE_BREAK for character in reason):
        return FieldError(field, "control-characters")
    return None
