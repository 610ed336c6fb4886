"""Figures of charts and their tables as text: counts, shares and lengths of time."""

from typing import Final, Literal

from babel.numbers import format_decimal, format_percent
from babel.units import format_unit

from webapp.kernel.i18n import Language

Unit = Literal["count", "percent", "seconds"]
"""What a number is: a count, a share between 0 and 1, or a length of time in seconds."""

_TIME_UNITS: Final = (
    ("duration-day", 86_400),
    ("duration-hour", 3_600),
    ("duration-minute", 60),
    ("duration-second", 1),
)
_MIN_UNIT_COUNT: Final = 2
"""A length is given in the largest unit of which it has this many: 90 minutes, but 2 hours."""
_MIN_VALUE_WITHOUT_DECIMALS: Final = 10


def figure_text(value: float | None, unit: Unit, language: Language) -> str:
    """Return a figure as people write it, "3.5 hrs" or "12%"; a dash if there is none."""
    if value is None:
        return "—"
    if unit == "percent":
        return format_percent(
            value, format=_number_pattern(value * 100) + "%", locale=language.locale
        )
    if unit == "seconds":
        return _time_text(value, language)
    return format_decimal(value, format=_number_pattern(value), locale=language.locale)


def _time_text(seconds: float, language: Language) -> str:
    large_enough_units = (
        (name, size) for name, size in _TIME_UNITS if seconds >= _MIN_UNIT_COUNT * size
    )
    name, size = next(large_enough_units, _TIME_UNITS[-1])
    length = seconds / size
    return format_unit(
        length, name, length="short", format=_number_pattern(length), locale=language.locale
    )


def _number_pattern(value: float) -> str:
    """Return the pattern of a number: one decimal for small numbers that are not whole."""
    return "#,##0.#" if abs(value) < _MIN_VALUE_WITHOUT_DECIMALS else "#,##0"
