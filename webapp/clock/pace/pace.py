"""Paces and the rules for late players.

A pace says how much time a turn has, and at what hours it counts; four have names, and any other is checked for errors.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from webapp.clock.pace.calendar import ALL_WEEKDAYS, Calendar, PlayingTime, deadline_for

AbsencePolicy: TypeAlias = Literal["stop", "bot", "neutral"]
"""What an absence does: it stops the clock up to a cap, lets a bot play, or lets the clock run into the neutral action."""
ReplacementPolicy: TypeAlias = Literal["volunteers", "invitation", "bot"]
_NO_TIME: Final = timedelta(0)


class LateRules(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The rules for late and absent players; those of a game that has chosen none are the defaults."""

    absence: AbsencePolicy = "neutral"
    absence_cap: timedelta = _NO_TIME
    """The longest time for which the absences of one player stop the clock of a game."""
    strikes_until_open: int = 0
    """The number of strikes after which a seat opens for a substitute; 0 for never."""
    replacement: ReplacementPolicy = "volunteers"
    lowest_reliability: int = 0
    """The share of turns in time, in percent, that a player needs to join."""


USUAL_LATE_RULES: Final = LateRules(
    absence="stop", absence_cap=timedelta(days=14), strikes_until_open=3
)
"""The rules with which the form for a new table begins."""


NamedPace: TypeAlias = Literal["brisk", "daily", "relaxed", "weekly"]
PaceName: TypeAlias = Literal[NamedPace, "custom"]
NAMED_PACES: Final[tuple[NamedPace, ...]] = get_args(NamedPace)

_HOURS_BY_NAME: Final[dict[NamedPace, tuple[int, int, int]]] = {
    "daily": (24, 48, 4),
    "relaxed": (72, 120, 12),
    "weekly": (168, 168, 24),
}
"""The hours per turn, of the bank and back after each turn, of the paces that run day and night."""
MIN_TIME_PER_TURN: Final = timedelta(minutes=5)
MAX_TIME_PER_TURN: Final = timedelta(days=30)
MAX_BANK: Final = timedelta(days=60)
MIN_WINDOW: Final = timedelta(hours=1)
"""The shortest playing hours of a day."""
MAX_TURN_LENGTH: Final = timedelta(days=365)
"""How long a turn may last at most by the calendar, bank included."""


class Pace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The clock of a game. All lengths are playing time."""

    name: PaceName = "custom"
    time_per_turn: timedelta
    bank: timedelta = _NO_TIME
    """What each seat starts with beyond the time per turn; its bank never holds more."""
    refill: timedelta = _NO_TIME
    """What every turn taken puts back into the bank."""
    zone: str = "UTC"
    weekdays: tuple[int, ...] = ALL_WEEKDAYS
    """The clock runs on these days; Monday is 0."""
    opens: time | None = None
    closes: time | None = None
    """The clock runs between these hours; both None for the whole day. See ``PlayingTime``."""

    @property
    def playing(self) -> PlayingTime:
        return PlayingTime(
            zone=self.zone, weekdays=self.weekdays, opens=self.opens, closes=self.closes
        )


class PaceError(NamedTuple):
    """What is wrong with one field of a pace."""

    field: str
    code: str


def named_pace(name: NamedPace, zone: str) -> Pace:
    """Return one of the named paces in a time zone."""
    if name == "brisk":
        return Pace(
            name=name,
            time_per_turn=timedelta(hours=8),
            bank=timedelta(hours=24),
            refill=timedelta(hours=1),
            zone=zone,
            opens=time(8),
            closes=time(22),
        )
    hours_per_turn, bank_hours, refill_hours = _HOURS_BY_NAME[name]
    return Pace(
        name=name,
        time_per_turn=timedelta(hours=hours_per_turn),
        bank=timedelta(hours=bank_hours),
        refill=timedelta(hours=refill_hours),
        zone=zone,
    )


def pace_json(pace: Pace) -> dict[str, Any]:
    """Return what is stored of a pace: all but the time per turn, which has a column of its own."""
    fields: dict[str, Any] = msgspec.to_builtins(pace)
    del fields["time_per_turn"]
    return fields


def pace_from(fields: dict[str, Any] | None, time_per_turn: timedelta) -> Pace:
    """Return a stored pace; without any fields, a custom one that has neither a bank nor playing hours."""
    return msgspec.convert({**(fields or {}), "time_per_turn": time_per_turn}, Pace)


def pace_errors(pace: Pace, known_zones: frozenset[str]) -> list[PaceError]:
    """Return why no game can have this pace, if anything."""
    errors = [*_time_errors(pace), *_calendar_errors(pace, known_zones)]
    if errors or _longest_turn(pace) <= MAX_TURN_LENGTH:
        return errors
    return [PaceError("weekdays", "too-slow")]


def _time_errors(pace: Pace) -> Iterator[PaceError]:
    if not MIN_TIME_PER_TURN <= pace.time_per_turn <= MAX_TIME_PER_TURN:
        yield PaceError("time_per_turn", "out-of-range")
    if not _NO_TIME <= pace.bank <= MAX_BANK:
        yield PaceError("bank", "out-of-range")
    elif pace.refill < _NO_TIME:
        yield PaceError("refill", "out-of-range")
    elif pace.refill > pace.bank:
        yield PaceError("bank", "below-refill")


def _calendar_errors(pace: Pace, known_zones: frozenset[str]) -> Iterator[PaceError]:
    if pace.zone not in known_zones:
        yield PaceError("zone", "unknown")
    if not pace.weekdays:
        yield PaceError("weekdays", "empty")
    elif not set(pace.weekdays) <= set(ALL_WEEKDAYS):
        yield PaceError("weekdays", "unknown")
    if pace.opens is None or pace.closes is None:
        if pace.opens is not pace.closes:
            yield PaceError("closes" if pace.closes is None else "opens", "missing")
    elif pace.opens == pace.closes:
        yield PaceError("closes", "no-length")
    elif _window_length(pace.opens, pace.closes) < MIN_WINDOW:
        yield PaceError("closes", "too-short")


def _window_length(opens: time, closes: time) -> timedelta:
    any_date = datetime(2001, 1, 1, tzinfo=UTC)
    opens_at, closes_at = (
        any_date.replace(hour=wall_time.hour, minute=wall_time.minute)
        for wall_time in (opens, closes)
    )
    return (closes_at - opens_at) % timedelta(days=1)


def _longest_turn(pace: Pace) -> timedelta:
    any_monday = datetime(2001, 1, 1, tzinfo=UTC)
    calendar = Calendar(pace.playing)
    return deadline_for(any_monday, pace.time_per_turn + pace.bank, calendar) - any_monday


def bank_of(bank: timedelta | None, pace: Pace) -> timedelta:
    """Return the time in a seat's bank; None as stored is a full one, and more than a full one does not count."""
    return pace.bank if bank is None else min(max(bank, _NO_TIME), pace.bank)


def time_for_turn(bank: timedelta | None, pace: Pace) -> timedelta:
    """Return all the playing time that a turn has: the time per turn, and what is in the bank."""
    return pace.time_per_turn + bank_of(bank, pace)


def bank_after(
    bank: timedelta | None, time_left: timedelta, pace: Pace, *, is_turn_taken: bool = True
) -> timedelta | None:
    """Return what is stored for a seat after a turn that ended with this much playing time left; None for a full bank.

    The bank is what is used last, so it keeps the time left, as far as that came from it: an extension spares it. A turn
    that the player did not take puts nothing back.
    """
    kept_time = min(bank_of(bank, pace), max(time_left, _NO_TIME))
    new_bank = kept_time + pace.refill if is_turn_taken else kept_time
    return None if new_bank >= pace.bank else new_bank


def late_rules_json(rules: LateRules) -> dict[str, Any]:
    """Return what is stored of the rules."""
    fields: dict[str, Any] = msgspec.to_builtins(rules)
    return fields


def late_rules_from(fields: dict[str, Any]) -> LateRules:
    """Return stored rules; those of a game that has chosen none are the defaults."""
    return msgspec.convert(fields, LateRules)
