from typing import Final

from email_validator import EmailNotValidError, validate_email

from webapp.services.errors import FieldError, FieldErrors

_LONGEST: Final = 254


def address_from(text: str) -> str:
    """The mail address that somebody typed, as mail can carry it. Raises FieldErrors for ``address``."""
    typed = text.strip()
    if not typed:
        raise FieldErrors(FieldError("address", "required"))
    if len(typed) > _LONGEST:
        raise FieldErrors(FieldError("address", "too-long", {"max": _LONGEST}))
    try:
        # A machine without a name in the outside world has players too; whether mail arrives, the mail shows.
        valid = validate_email(
            typed, check_deliverability=False, allow_smtputf8=False, test_environment=True
        )
    except EmailNotValidError as wrong:
        raise FieldErrors(FieldError("address", "not-an-address")) from wrong
    return valid.ascii_email or valid.normalized
