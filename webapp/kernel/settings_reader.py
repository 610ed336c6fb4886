"""Reads settings from environment variables, and secret ones from files that variables name: what Docker calls secrets.

A secret in the environment is visible to every child process and in `docker inspect`; a file is visible to its owner. Functions
that read a value raise ValueError with what is wrong with it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote, urlsplit

from email_validator import EmailNotValidError, validate_email

SECRET_NAMES: Final = (
    "DATABASE_URL",
    "REDIS_URL",
    "SMTP_URL",
    "IMAP_URL",
    "SECRET_KEY",
    "OLD_SECRET_KEYS",
    "METRICS_TOKEN",
    "EMAIL_WEBHOOK_SECRET",
)
"""The settings that contain a password or a key: each can be read from the file that ``NAME_FILE`` names."""
_MAX_FILE_BYTES: Final = 4096
DEFAULT_DRAIN_SECONDS: Final = 5
DEFAULT_EMAIL_WAIT_MINUTES: Final = 5
_MAX_EMAIL_WAIT_MINUTES: Final = 10
_MAX_DRAIN_SECONDS: Final = 30
_MAX_PROXIES: Final = 10
MIN_KEY_LENGTH: Final = 32
"""The characters that a secret key needs at least."""
_MAX_CONTACTS: Final = 5
_ANSWERS: Final = {"yes": True, "no": False}

T = TypeVar("T")


class SettingsReader:
    """Reads one variable after another and collects a sentence for each invalid one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.problems: list[str] = []
        self._raw_values = {name: value.strip() for name, value in environ.items()}
        for name in SECRET_NAMES:
            self._read_secret_file(name)

    def is_set(self, name: str) -> bool:
        """Return whether the variable has a value, or a file is named for it."""
        return bool(self._raw_values.get(name) or self._raw_values.get(f"{name}_FILE"))

    def read(self, name: str, default: str, parse: Callable[[str], T]) -> T | None:
        """Return the parsed value; None if there is none, or if ``parse`` raises ValueError with what is wrong with it."""
        raw_value = self._raw_values.get(name) or default
        if not raw_value:
            return None
        try:
            return parse(raw_value)
        except ValueError as error:
            self.problems.append(f"{name} {error}")
            return None

    def _read_secret_file(self, name: str) -> None:
        path = self._raw_values.get(f"{name}_FILE")
        if not path:
            return
        if self._raw_values.get(name):
            self.problems.append(f"{name} and {name}_FILE are both set; use one of them.")
            return
        try:
            self._raw_values[name] = _secret_in(Path(path))
        except ValueError as error:
            self.problems.append(f"{name}_FILE {error}")


def _secret_in(path: Path) -> str:
    """Return what a file contains, without line breaks around it. Raises ValueError, which never quotes it."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ValueError(f"names {str(path)!r}: {error.strerror}.") from error
    if len(content) > _MAX_FILE_BYTES:
        raise ValueError(f"names {str(path)!r}, which has more than {_MAX_FILE_BYTES} bytes.")
    try:
        secret = content.decode().strip()
    except UnicodeDecodeError:
        raise ValueError(f"names {str(path)!r}, which is not UTF-8 text.") from None
    if not secret:
        raise ValueError(f"names {str(path)!r}, which is empty.")
    return secret


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


def read_trusted_proxies(raw_value: str) -> int:
    """Return how many proxies in front add to X-Forwarded-For."""
    if not _is_number_up_to(_MAX_PROXIES, raw_value):
        raise ValueError(
            f"must be the number of your proxies in front, 0 to {_MAX_PROXIES}, not {raw_value!r}."
        )
    return int(raw_value)


def read_drain_seconds(raw_value: str) -> int:
    """Return how long a web process that stops still accepts connections, so that its proxy can notice."""
    if not _is_number_up_to(_MAX_DRAIN_SECONDS, raw_value):
        raise ValueError(f"must be a number from 0 to {_MAX_DRAIN_SECONDS}, not {raw_value!r}.")
    return int(raw_value)


def read_email_wait_minutes(raw_value: str) -> int:
    """Return how long readers have been away from the site before they get an email about their turn."""
    if not _is_number_up_to(_MAX_EMAIL_WAIT_MINUTES, raw_value):
        raise ValueError(
            f"must be a number from 0 to {_MAX_EMAIL_WAIT_MINUTES}, not {raw_value!r}."
        )
    return int(raw_value)


def _is_number_up_to(highest: int, raw_value: str) -> bool:
    return raw_value.isascii() and raw_value.isdigit() and int(raw_value) <= highest
