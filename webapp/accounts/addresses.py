"""Reading of email addresses that players type: their own at sign-in, and those of people they invite."""

from typing import Final

from email_validator import EmailNotValidError, validate_email

from webapp.accounts.names import typed_text
from webapp.kernel.refusals import FieldError, FieldErrors

_MAX_ADDRESS_LENGTH: Final = 254


def same_mailbox(address: str, other: str) -> bool:
    """Return whether two addresses differ at most in case and ``+tag``; ``webapp.kernel.schema.folded`` does it in SQL."""
    return _without_tag(address) == _without_tag(other)


def masked_address(address: str) -> str:
    """Return an address with only its first character and its domain: its owner recognizes it, and no one else learns it."""
    local_part, _, domain = address.rpartition("@")
    return f"{local_part[:1]}•••@{domain}"


def other_recipient(address: str | None, viewer_address: str | None) -> str | None:
    """Return the masked ``address`` of an invitation; None if it was to all, to the viewer, or no one is signed in."""
    if address is None or viewer_address is None or same_mailbox(address, viewer_address):
        return None
    return masked_address(address)


def parse_address(typed_address: str) -> str:
    """Return the typed email address in the form that SMTP accepts. Raises FieldErrors for ``address``."""
    text = typed_text(typed_address)
    if not text:
        raise FieldErrors(FieldError("address", "required"))
    if len(text) > _MAX_ADDRESS_LENGTH:
        raise FieldErrors(FieldError("address", "too-long", {"max": _MAX_ADDRESS_LENGTH}))
    try:
        # No DNS lookup, and domains such as .test are valid: Lodepost also runs in networks without public names.
        validated_address = validate_email(
            text, check_deliverability=False, allow_smtputf8=False, test_environment=True
        )
    except EmailNotValidError as error:
        is_mailbox_ascii = text.rpartition("@")[0].isascii()
        code = "not-an-address" if is_mailbox_ascii else "mailbox-not-ascii"
        raise FieldErrors(FieldError("address", code)) from error
    return validated_address.ascii_email or validated_address.normalized


def _without_tag(address: str) -> str:
    local_part, _, domain = address.lower().rpartition("@")
    name, _, _ = local_part.partition("+")
    return f"{name or local_part}@{domain}"
