"""What the form of an act asks for, as data: the page makes the fields, the act reads what was filled in."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from webapp.kernel.i18n import N_


class SeatChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A seat as the form of an act offers it."""

    number: int
    name: str
    is_bot: bool
    is_open: bool
    is_host: bool
    is_awaited: bool
    is_offered: bool
    """Whether someone can accept an offer of it. Only acts that show the offers of a game know."""
    bot_level: str | None


class FilledForm(Protocol):
    """A form whose fields have been checked."""

    def text(self, name: str) -> str:
        """Return the text of a field without surrounding blanks; empty if it has none."""

    def number(self, name: str) -> int | None:
        """Return the whole number in a field; None if the field is empty."""


class NumberField(NamedTuple):
    """A whole number from ``low`` to ``high``."""

    name: str
    label: str
    low: int
    high: int
    default: str

    def read(self, form: FilledForm) -> dict[str, int | None]:
        return {self.name: form.number(self.name)}


class ChoiceField(NamedTuple):
    """One of some words, each with what it is called."""

    name: str
    label: str
    choices: Mapping[str, str]
    default: str

    def read(self, form: FilledForm) -> dict[str, str]:
        return {self.name: form.text(self.name)}


class LineField(NamedTuple):
    """Text on one line; the browser does not complete it if it ``is_private``."""

    name: str
    label: str
    max_length: int
    is_private: bool = False

    def read(self, form: FilledForm) -> dict[str, str]:
        return {self.name: form.text(self.name)}


class SeatField(NamedTuple):
    """A seat of the game, numbered from 1; the first preferred one that the act allows is chosen at first."""

    allows: Callable[[SeatChoice], bool] = lambda _: True
    prefers: Callable[[SeatChoice], bool] = lambda seat: seat.is_awaited
    name: str = "seat"
    label: str = N_("Seat")

    def read(self, form: FilledForm) -> dict[str, int]:
        return {"seat": (form.number(self.name) or 0) - 1}

    def first_choice(self, seats: tuple[SeatChoice, ...], *, is_at_table: bool) -> SeatChoice:
        """Return the seat that the act is most likely about.

        It is never the seat of a host who acts at the table, unless there is no other.
        """
        candidates = [
            seat for seat in seats if not (is_at_table and seat.is_host) and self.allows(seat)
        ]
        preferred_seats = [seat for seat in candidates if self.prefers(seat)]
        return (preferred_seats or candidates or list(seats))[0]


class LevelField(NamedTuple):
    """How well a bot plays."""

    name: str = "level"

    def read(self, form: FilledForm) -> dict[str, str]:
        return {"bot_level": form.text(self.name)}


class TurnField(NamedTuple):
    """An earlier turn of the game."""

    label: str
    name: str = "turn"

    def read(self, form: FilledForm) -> dict[str, int | None]:
        return {"turn": form.number(self.name)}


class EmailField(NamedTuple):
    """An email about the game that was given up, or that waits."""

    label: str
    name: str = "email"

    def read(self, form: FilledForm) -> dict[str, int | None]:
        return {"email_id": form.number(self.name)}


ActField: TypeAlias = (
    NumberField | ChoiceField | LineField | SeatField | LevelField | TurnField | EmailField
)
