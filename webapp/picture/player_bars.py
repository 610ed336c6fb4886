"""A bar beside the name of a player, in parts that a filling tells apart besides its colour; the numbers stand beside it as text.

For up to ten players, whose names do not fit under the columns of a chart on a phone.
"""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup, escape

_HEIGHT: Final = 16


def draw_player_bar(values: Sequence[int], top: int, key: str) -> Markup:
    """Draw the values one after another, ``top`` of them being as wide as the bar can be.

    The fillings are those of the legend with this key (``chart_swatch``), which must be on the page.
    """
    parts, left = [], 0.0
    for number, value in enumerate(values):
        width = round(100 * value / max(1, top), 2)
        fill = f' fill="url(#{escape(key)}-{number})"' if number else ""
        if value:
            parts.append(
                f'<rect class="chart__bar chart__bar--{number}" x="{left:g}%" y="1" width="{width:g}%" height="{_HEIGHT - 2}"{fill}/>'
            )
        left = round(left + width, 2)
    return Markup(  # noqa: S704 - numbers and an escaped key
        f'<svg class="player-bar" width="100%" height="{_HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'
    )
