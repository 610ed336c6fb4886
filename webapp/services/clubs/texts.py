"""Names of clubs and seasons, checked like names of people, and how long other texts of a club may be."""

from typing import Final

from webapp.services.accounts.names import name_errors, normalize_name
from webapp.services.errors import FieldError

MAX_CLUB_NAME_LENGTH: Final = 60
MAX_DESCRIPTION_LENGTH: Final = 1000
MAX_ANNOUNCEMENT_LENGTH: Final = 2000


def club_name_and_errors(typed_name: str, *, field: str = "name") -> tuple[str, list[FieldError]]:
    """Return the name, normalized, of a club or a season, and why it cannot be used, if anything."""
    name = normalize_name(typed_name)
    errors = name_errors(name, max_length=MAX_CLUB_NAME_LENGTH)
    return name, [FieldError(field, error.code, error.params) for error in errors]
