"""Reading of the settings about security itself: secret keys, who takes reports of vulnerabilities, and where HTTPS is demanded."""

from typing import Final
from urllib.parse import quote, urlsplit

from email_validator import EmailNotValidError, validate_email

MIN_KEY_LENGTH: Final = 32
"""The characters that a secret key needs at least."""
_MAX_CONTACTS: Final = 5
_ANSWERS: Final = {"yes": True, "no": False}


def read_security_contacts(raw_value: str) -> tuple[str, ...]:
    """Return the URIs of contacts, separated by commas, best first; an email address becomes a ``mailto:`` URI."""
    contacts = tuple(_contact_uri(part.strip()) for part in raw_value.split(","))
    if len(contacts) > _MAX_CONTACTS:
        raise ValueError(f"has {len(contacts)} contacts; it may have at most {_MAX_CONTACTS}.")
    return contacts


def read_security_policy(raw_value: str) -> str:
    """Return the address of a page that says how to report vulnerabilities."""
    if not _is_https_url(raw_value):
        raise ValueError(f"must be the https:// address of a page, not {raw_value!r}.")
    return raw_value


def read_hsts_subdomains(raw_value: str) -> bool:
    """Return whether browsers shall demand HTTPS of all hosts below this one too."""
    if raw_value.lower() not in _ANSWERS:
        raise ValueError(f"must be yes or no, not {raw_value!r}.")
    return _ANSWERS[raw_value.lower()]


def _contact_uri(contact: str) -> str:
    if _is_https_url(contact):
        return contact
    try:
        # Addresses of private networks are valid, as in all settings.
        address = validate_email(
            contact.removeprefix("mailto:"),
            allow_smtputf8=False,
            check_deliverability=False,
            test_environment=True,
        )
    except EmailNotValidError as error:
        raise ValueError(
            f"must be an email address or the https:// address of a page, not {contact!r}."
        ) from error
    return f"mailto:{quote(address.ascii_email or contact, safe='@')}"


def _is_https_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    is_printable = text.isascii() and text.isprintable() and " " not in text
    return is_printable and parts.scheme == "https" and bool(parts.hostname)


def read_secret_key(raw_value: str) -> str:
    """Return a key that is long enough. Raises ValueError, which never quotes it."""
    if len(raw_value) < MIN_KEY_LENGTH:
        raise ValueError(
            f"has {len(raw_value)} characters; it needs at least {MIN_KEY_LENGTH} random ones."
        )
    return raw_value


def read_old_secret_keys(raw_value: str) -> tuple[str, ...]:
    """Return keys with commas or line breaks between. Raises ValueError."""
    keys = [key.strip() for line in raw_value.splitlines() for key in line.split(",")]
    return tuple(read_secret_key(key) for key in keys if key)


def read_metrics_token(raw_value: str) -> str:
    """Return a token that can be sent in a header. Raises ValueError."""
    if not raw_value.isascii() or not raw_value.isprintable() or " " in raw_value:
        raise ValueError(
            "must consist of ASCII characters without spaces, because it is sent in a header."
        )
    return read_secret_key(raw_value)
