"""Charts as SVG: lines and bars over labels, sparklines, and bars beside names. The macro ``chart`` adds the data table.

Drawn here because the libraries that draw on a server (pygal, plotly, matplotlib) put styles and scripts into the picture,
which our Content-Security-Policy forbids, or fix its colours, which follow the viewer's scheme here.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil, floor, log10
from typing import Final, Literal, NamedTuple

from markupsafe import Markup, escape

from webapp.kernel.i18n import Language
from webapp.wording.figures import Unit, figure_text

ChartKind = Literal["lines", "bars", "stacked-bars"]
MAX_SERIES: Final = 4
"""The number of dashes and fillings, which tell series apart without colour."""
_WIDTH: Final = 360
_CHART_HEIGHT: Final = 190
_PLOT_LEFT: Final = 48
_PLOT_RIGHT: Final = _WIDTH - 8
_PLOT_TOP: Final = 10
_PLOT_BOTTOM: Final = _CHART_HEIGHT - 24
_BAR_WIDTH_SHARE: Final = 0.8
"""How much of the room of a label its bars take."""
_MAX_LABEL_CHARACTERS: Final = 38
"""How many characters of labels fit under a chart on a phone, the spaces between them included."""
_FILL_PATTERNS: Final = (
    "",
    '<path class="chart__hatch" d="M0 6L6 0M-1 1L1 -1M5 7L7 5"/>',
    '<circle class="chart__dot" cx="3" cy="3" r="1.4"/>',
    '<path class="chart__hatch" d="M0 3H6"/>',
)

_PLAYER_BAR_HEIGHT: Final = 16
_GOLD_BAR_HEIGHT: Final = 28
_NUGGET_RADIUS: Final = 5
_SPARKLINE_WIDTH: Final = 120
_SPARKLINE_HEIGHT: Final = 28
_SPARKLINE_MARGIN: Final = 3
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


def draw_chart(data: ChartData, kind: ChartKind, language: Language) -> Markup:
    """Draw a chart with its axes; where a value is missing there is a gap."""
    assert len(data.series) <= MAX_SERIES
    scale = ticks([data.min_scale_top, *_stacked_values(data, kind)], data.unit)
    marks = _lines(data, scale[-1]) if kind == "lines" else _bars(data, kind, scale[-1])
    key = escape(data.key)
    return _markup(
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_CHART_HEIGHT}" role="img"'
        f' aria-labelledby="{key}-title" aria-describedby="{key}-summary">'
        f'<title id="{key}-title">{escape(data.title)}</title>'
        f'<desc id="{key}-summary">{escape(data.summary)}</desc>',
        _grid_picture(data, scale, language),
        *marks,
        *_label_texts(data.labels),
        "</svg>",
    )


def draw_swatch(data: ChartData, number: int, kind: ChartKind) -> Markup:
    """Draw the sign of one series for the legend."""
    mark = (
        f'<path class="chart__line chart__line--{number}" d="M1 7H27"/>'
        if kind == "lines"
        else _bar(data, number, (1, 1, 26, 12))
    )
    return _markup(
        f'<svg class="chart-swatch" viewBox="0 0 28 14" width="28" height="14" aria-hidden="true">{_filled_shape(data, number)}',
        mark,
        "</svg>",
    )


def draw_sparkline(values: Sequence[float | None], title: str) -> Markup:
    """Draw the course of one figure as small as a word, from 0 at the bottom to the largest value, with a dot at the newest."""
    top = max((value for value in values if value is not None), default=0) or 1
    points = [
        None if value is None else _sparkline_point(index, len(values), value / top)
        for index, value in enumerate(values)
    ]
    known_points = [point for point in points if point is not None]
    dot = (
        f'<circle class="sparkline__now" cx="{known_points[-1][0]}" cy="{known_points[-1][1]}" r="3"/>'
        if known_points
        else ""
    )
    return Markup(  # noqa: S704 - the title is escaped
        f'<svg class="sparkline" viewBox="0 0 {_SPARKLINE_WIDTH} {_SPARKLINE_HEIGHT}" width="{_SPARKLINE_WIDTH}" height="{_SPARKLINE_HEIGHT}" role="img"'
        f' aria-label="{escape(title)}">'
        f'<path class="chart__grid" d="M0 {_SPARKLINE_HEIGHT - _SPARKLINE_MARGIN}H{_SPARKLINE_WIDTH}"/>'
        f'<path class="chart__line chart__line--0" d="{path_through(points)}"/>{dot}</svg>'
    )


def draw_player_bar(values: Sequence[int], top: int, key: str) -> Markup:
    """Draw a bar beside the name of a player; ``top`` is the value of the widest bar, and the numbers stand beside it as text.

    The fillings are those of the legend with this key (``chart_swatch``), which must be on the page.
    """
    parts, left = [], 0.0
    for number, value in enumerate(values):
        width = round(100 * value / max(1, top), 2)
        fill = f' fill="url(#{escape(key)}-{number})"' if number else ""
        if value:
            parts.append(
                f'<rect class="chart__bar chart__bar--{number}" x="{left:g}%" y="1" width="{width:g}%" height="{_PLAYER_BAR_HEIGHT - 2}"{fill}/>'
            )
        left = round(left + width, 2)
    return Markup(  # noqa: S704 - numbers and an escaped key
        f'<svg class="player-bar" width="100%" height="{_PLAYER_BAR_HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'
    )


def draw_gold_bar(seat: int, nuggets: int, most: int) -> Markup:
    """Draw the nuggets of a player as dots on a bar in the player's colour; ``most`` is what the widest bar holds. The number stands beside it as text."""
    unit = 100 / max(1, most)
    dots = "".join(
        f'<circle class="gold-bar__nugget" cx="{(number + 0.5) * unit:.3g}%" cy="50%" r="{_NUGGET_RADIUS}"/>'
        for number in range(nuggets)
    )
    width = f"{nuggets * unit:.3g}%"
    return Markup(  # noqa: S704 - numbers
        f'<svg class="gold-bar player-mark--{seat + 1}" width="100%" height="{_GOLD_BAR_HEIGHT}" aria-hidden="true">'
        f'<rect width="{width}" height="100%" rx="4"/>{dots}</svg>'
    )


def _markup(*parts: str) -> Markup:
    return Markup("".join(parts))  # noqa: S704 - every text in it is escaped


def _stacked_values(data: ChartData, kind: ChartKind) -> Iterator[float | None]:
    """Yield what must fit below the top: the values, or the sums of stacked bars."""
    columns = zip(*(series.values for series in data.series), strict=True)
    for column in columns:
        yield from [sum(value or 0 for value in column)] if kind == "stacked-bars" else column


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


def _grid_picture(data: ChartData, scale: Sequence[float], language: Language) -> str:
    lines, texts = [], []
    for tick in scale:
        y = _y_position(tick, scale[-1])
        lines.append(f"M{_PLOT_LEFT} {y}H{_PLOT_RIGHT}")
        text = escape(figure_text(tick, data.unit, language))
        texts.append(
            f'<text x="{_PLOT_LEFT - 5}" y="{y}" dy="0.35em" text-anchor="end">{text}</text>'
        )
    return (
        f'<path class="chart__grid" d="{"".join(lines)}"/>'
        f'<path class="chart__axis" d="M{_PLOT_LEFT} {_PLOT_BOTTOM}H{_PLOT_RIGHT}"/>{"".join(texts)}'
    )


def _label_texts(labels: Sequence[str]) -> Iterator[str]:
    """Yield some labels of the horizontal axis: the first, the last and those between that fit."""
    last_index = len(labels) - 1
    longest_label_length = max((len(label) for label in labels), default=0)
    count = min(max(2, _MAX_LABEL_CHARACTERS // (longest_label_length + 2)), len(labels))
    for number in range(count):
        index = round(last_index * number / (count - 1)) if count > 1 else 0
        anchor = (
            "middle" if count == 1 or 0 < index < last_index else "start" if index == 0 else "end"
        )
        x = {"start": _PLOT_LEFT, "end": _PLOT_RIGHT}.get(anchor, _x_position(index, len(labels)))
        yield f'<text x="{x}" y="{_CHART_HEIGHT - 7}" text-anchor="{anchor}">{escape(labels[index])}</text>'


def _lines(data: ChartData, scale_top: float) -> Iterator[str]:
    for number, series in enumerate(data.series):
        points = [
            None
            if value is None
            else (_x_position(index, len(series.values)), _y_position(value, scale_top))
            for index, value in enumerate(series.values)
        ]
        yield f'<path class="chart__line chart__line--{number}" d="{path_through(points)}"/>'


def path_through(points: Iterable[tuple[float, float] | None]) -> str:
    """Return the path data of a line with gaps; a point between two gaps is a line of no length, which is drawn as a dot."""
    runs = (list(run) for is_gap, run in groupby(points, lambda point: point is None) if not is_gap)
    return "".join(_path_of_run([point for point in run if point is not None]) for run in runs)


def _path_of_run(points: Sequence[tuple[float, float]]) -> str:
    line_points = points if len(points) > 1 else [*points, *points]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in line_points)


def _bars(data: ChartData, kind: ChartKind, scale_top: float) -> Iterator[str]:
    count = len(data.labels)
    width = (_PLOT_RIGHT - _PLOT_LEFT) / max(1, count) * _BAR_WIDTH_SHARE
    yield from (_filled_shape(data, number) for number in range(len(data.series)))
    for index in range(count):
        left = _x_position(index, count) - width / 2
        bar_base = 0.0
        for number, series in enumerate(data.series):
            value = series.values[index]
            if not value:
                continue
            if kind == "stacked-bars":
                y, height = (
                    _y_position(bar_base + value, scale_top),
                    _y_position(bar_base, scale_top) - _y_position(bar_base + value, scale_top),
                )
                yield _bar(data, number, (left, y, width, height))
                bar_base += value
            else:
                part = width / len(data.series)
                y = _y_position(value, scale_top)
                yield _bar(data, number, (left + part * number, y, part, _PLOT_BOTTOM - y))


def _bar(data: ChartData, number: int, box: tuple[float, float, float, float]) -> str:
    x, y, width, height = (round(coordinate, 2) for coordinate in box)
    fill = f' fill="url(#{escape(data.key)}-{number})"' if number else ""
    return (
        f'<rect class="chart__bar chart__bar--{number}" x="{x}" y="{y}"'
        f' width="{width}" height="{height}"{fill}/>'
    )


def _filled_shape(data: ChartData, number: int) -> str:
    """Return the pattern that fills the bars of a series; the first one is plain."""
    if not number:
        return ""
    return (
        f'<pattern id="{escape(data.key)}-{number}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect class="chart__ground chart__ground--{number}" width="6" height="6"/>{_FILL_PATTERNS[number]}</pattern>'
    )


def _x_position(index: int, count: int) -> float:
    """Return the middle of the room of a label."""
    return round(_PLOT_LEFT + (_PLOT_RIGHT - _PLOT_LEFT) * (index + 0.5) / count, 2)


def _y_position(value: float, scale_top: float) -> float:
    return round(_PLOT_BOTTOM - (_PLOT_BOTTOM - _PLOT_TOP) * value / scale_top, 2)


def _sparkline_point(index: int, count: int, share: float) -> tuple[float, float]:
    drawing_width, drawing_height = (
        _SPARKLINE_WIDTH - 2 * _SPARKLINE_MARGIN,
        _SPARKLINE_HEIGHT - 2 * _SPARKLINE_MARGIN,
    )
    x = _SPARKLINE_MARGIN + drawing_width * (index / (count - 1) if count > 1 else 1)
    return round(x, 1), round(_SPARKLINE_HEIGHT - _SPARKLINE_MARGIN - drawing_height * share, 1)
