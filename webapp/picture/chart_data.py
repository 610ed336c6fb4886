"""What a chart shows, and the scale on which it is drawn."""

from collections.abc import Iterable
from math import ceil, floor, log10
from typing import Final, NamedTuple

from webapp.wording.figures import Unit

_MAX_STEP_COUNT: Final = 4
"""Grid lines above the base line; more of them do not fit on a phone."""
_TIME_STEPS: Final = tuple(
    factor * size
    for size, factors in (
        (1, (1, 5, 15, 30)),
        (60, (1, 5, 15, 30)),
        (3_600, (1, 2, 3, 6, 12)),
        (86_400, (1, 2, 5, 10, 20, 50, 100)),
    )
    for factor in factors
)
_ROUND_FACTORS: Final = (1, 2, 5, 10)
_SMALLEST_SHARE_STEP: Final = 0.01


class Series(NamedTuple):
    """One line, or one kind of bar: a value for every label, None where there is no data."""

    name: str
    values: tuple[float | None, ...]


class ChartData(NamedTuple):
    """A chart and its data table. ``key`` differs between charts on one page; ``summary`` says in a sentence what one sees."""

    key: str
    title: str
    summary: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    unit: Unit = "count"
    min_scale_top: float = 0
    """The scale reaches at least this value, so that several charts can be compared."""

    @property
    def has_data(self) -> bool:
        return any(value is not None for series in self.series for value in series.values)


def ticks(values: Iterable[float | None], unit: Unit) -> tuple[float, ...]:
    """Return the numbers at the grid lines: round ones from 0 to at least the largest value."""
    largest_value = max((value for value in values if value is not None), default=0)
    step = _time_step(largest_value) if unit == "seconds" else _decimal_step(largest_value, unit)
    return tuple(step * number for number in range(max(1, ceil(largest_value / step)) + 1))


def _time_step(largest_value: float) -> float:
    fitting_steps = (step for step in _TIME_STEPS if largest_value <= step * _MAX_STEP_COUNT)
    return next(fitting_steps, 86_400 * _decimal_step(largest_value / 86_400, "count"))


def _decimal_step(largest_value: float, unit: Unit) -> float:
    smallest_step = _SMALLEST_SHARE_STEP if unit == "percent" else 1
    min_step = max(smallest_step, largest_value / _MAX_STEP_COUNT)
    size = 10.0 ** floor(log10(min_step))
    # Rounded, because 0.2 * 3 is not 0.6 in binary.
    return next(
        round(factor * size, 6)
        for factor in _ROUND_FACTORS
        if largest_value <= factor * size * _MAX_STEP_COUNT * 1.001
    )
