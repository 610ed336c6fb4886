"""What site moderators can change while the server runs: each setting's default, and which values it may have."""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from webapp.kernel.colours import accent_from, is_colour

_MAX_SITE_NAME_LENGTH: Final = 40
_MAX_NOTICE_LENGTH: Final = 500
_MAX_PAGE_LENGTH: Final = 20_000
_HIGHEST_LIMIT: Final = 1000
_ON: Final = "on"
_OFF: Final = "off"


class SignUp(StrEnum):
    """Who may create an account."""

    OPEN = "open"
    INVITATION = "invitation"
    """People who were invited by email or opened the link of an invitation."""
    CLOSED = "closed"


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """A short text on every page of signed-in people, until it expires or is withdrawn."""

    id: int
    """The id of its entry in the ledger, so that a newer one has a higher number."""
    text: str
    expires_at: datetime


class SiteSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The values in force; the names of the fields are the names of the settings."""

    site_name: str = "Lodepost"
    sign_up: SignUp = SignUp.OPEN
    accent_colour: str = ""
    """Empty for the colour that comes with the program."""
    maintenance: str = ""
    """What visitors read while the site is closed for maintenance; empty while it is open."""
    most_open_tables: int = 30
    """Tables of one host that have not been dealt."""
    most_games: int = 50
    """Games and tables in which one person has a seat at a time; new players may have fewer."""
    most_invited: int = 30
    """Addresses invited to one table."""
    most_invited_a_day: int = 100
    """Addresses that one person invites in a day: the site must not be usable for mass email."""
    most_clubs: int = 50
    """Open clubs in which one person is, or asks to be."""
    moderators_need_passkey: bool = False
    """Whether site moderators can moderate only after they have used a passkey in their session."""
    imprint: str = ""
    privacy: str = ""
    announcement: Announcement | None = None
    """Not a setting that is typed; it has a page of its own."""


LIMIT_NAMES: Final = (
    "most_open_tables",
    "most_games",
    "most_invited",
    "most_invited_a_day",
    "most_clubs",
)


class InvalidSetting(ValueError):
    """A value that a setting cannot have; ``code`` and ``params`` are those of a field error."""

    def __init__(self, code: str, **params: str | int) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


def parse_setting(name: str, typed_value: str) -> Any:  # noqa: ANN401 - of the type that the setting has
    """Return the value of a setting from text. Raises InvalidSetting."""
    return _PARSERS[name](typed_value.replace("\r\n", "\n").strip())


def setting_text(settings: SiteSettings, name: str) -> str:
    """Return the value of a setting as ``parse_setting`` reads it."""
    value = getattr(settings, name)
    if isinstance(value, bool):
        return _ON if value else _OFF
    return str(value)


def _parse_name(text: str) -> str:
    if not text:
        raise InvalidSetting("required")
    return _short_line(text, _MAX_SITE_NAME_LENGTH)


def _parse_sign_up(text: str) -> SignUp:
    try:
        return SignUp(text)
    except ValueError:
        raise InvalidSetting("unknown") from None


def _parse_colour(text: str) -> str:
    colour = text.lower()
    if colour and not is_colour(colour):
        raise InvalidSetting("not-a-colour")
    if colour and accent_from(colour) is None:
        raise InvalidSetting("low-contrast")
    return colour


def _parse_notice(text: str) -> str:
    return _short_line(text, _MAX_NOTICE_LENGTH)


def _parse_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise InvalidSetting("not-a-number")
    if len(text) > len(str(_HIGHEST_LIMIT)) or not 1 <= int(text) <= _HIGHEST_LIMIT:
        raise InvalidSetting("out-of-range", low=1, high=_HIGHEST_LIMIT)
    return int(text)


def _parse_switch(text: str) -> bool:
    if text.lower() not in {_ON, _OFF}:
        raise InvalidSetting("not-a-switch")
    return text.lower() == _ON


def _parse_page(text: str) -> str:
    if len(text) > _MAX_PAGE_LENGTH:
        raise InvalidSetting("too-long", max=_MAX_PAGE_LENGTH)
    if not all(character.isprintable() or character in "\n\t" for character in text):
        raise InvalidSetting("control-characters")
    return text


def _short_line(text: str, max_length: int) -> str:
    if len(text) > max_length:
        raise InvalidSetting("too-long", max=max_length)
    if not text.isprintable():
        raise InvalidSetting("control-characters")
    return text


_PARSERS: Final[dict[str, Callable[[str], Any]]] = {
    "site_name": _parse_name,
    "sign_up": _parse_sign_up,
    "accent_colour": _parse_colour,
    "maintenance": _parse_notice,
    **dict.fromkeys(LIMIT_NAMES, _parse_limit),
    "moderators_need_passkey": _parse_switch,
    "imprint": _parse_page,
    "privacy": _parse_page,
}
SETTING_NAMES: Final = tuple(_PARSERS)
"""The settings that are typed, on a page or a command line."""
STORED_NAMES: Final = (*SETTING_NAMES, "announcement")
