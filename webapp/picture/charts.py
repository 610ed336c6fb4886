"""Charts as SVG: lines and bars over labels, mostly days. Pure functions; the macro ``chart`` adds the data table.

Drawn here because the libraries that draw on a server (pygal, plotly, matplotlib) put styles and scripts into the picture,
which our Content-Security-Policy forbids, or fix its colours, which follow the viewer's scheme here.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Literal

from markupsafe import Markup, escape

from webapp.i18n import Language
from webapp.picture.chart_data import ChartData, ticks
from webapp.wording.figures import figure_text

ChartKind = Literal["lines", "bars", "stacked-bars"]

MAX_SERIES: Final = 4
"""As many as there are dashes and fillings, which tell series apart without colour."""
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


def _markup(*parts: str) -> Markup:
    return Markup("".join(parts))  # noqa: S704 - every text in it is escaped


def _stacked_values(data: ChartData, kind: ChartKind) -> Iterator[float | None]:
    """Yield what must fit below the top: the values, or the sums of stacked bars."""
    columns = zip(*(series.values for series in data.series), strict=True)
    for column in columns:
        yield from [sum(value or 0 for value in column)] if kind == "stacked-bars" else column


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
