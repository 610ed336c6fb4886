"""Sparklines: the course of one figure, as small as a word. The figure itself stands beside it as text."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup, escape

from webapp.picture.charts import path_through

_WIDTH: Final = 120
_HEIGHT: Final = 28
_SPARKLINE_MARGIN: Final = 3


def draw_sparkline(values: Sequence[float | None], title: str) -> Markup:
    """Draw a line from 0 at the bottom to the largest value at the top, with a dot at the newest one."""
    top = max((value for value in values if value is not None), default=0) or 1
    points = [
        None if value is None else _point(index, len(values), value / top)
        for index, value in enumerate(values)
    ]
    known_points = [point for point in points if point is not None]
    dot = (
        f'<circle class="sparkline__now" cx="{known_points[-1][0]}" cy="{known_points[-1][1]}" r="3"/>'
        if known_points
        else ""
    )
    return Markup(  # noqa: S704 - the title is escaped
        f'<svg class="sparkline" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img"'
        f' aria-label="{escape(title)}">'
        f'<path class="chart__grid" d="M0 {_HEIGHT - _SPARKLINE_MARGIN}H{_WIDTH}"/>'
        f'<path class="chart__line chart__line--0" d="{path_through(points)}"/>{dot}</svg>'
    )


def _point(index: int, count: int, share: float) -> tuple[float, float]:
    drawing_width, drawing_height = _WIDTH - 2 * _SPARKLINE_MARGIN, _HEIGHT - 2 * _SPARKLINE_MARGIN
    x = _SPARKLINE_MARGIN + drawing_width * (index / (count - 1) if count > 1 else 1)
    return round(x, 1), round(_HEIGHT - _SPARKLINE_MARGIN - drawing_height * share, 1)
