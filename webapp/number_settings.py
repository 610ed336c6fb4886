"""The settings that are small whole numbers; each function raises ValueError with what is wrong with a value."""

from typing import Final

DEFAULT_DRAIN_SECONDS: Final = 5
DEFAULT_EMAIL_WAIT_MINUTES: Final = 5
_MAX_EMAIL_WAIT_MINUTES: Final = 10
_MAX_DRAIN_SECONDS: Final = 30
_MAX_PROXIES: Final = 10


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
