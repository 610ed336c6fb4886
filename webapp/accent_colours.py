"""The accent colour of a site: checked for contrast, and with a lighter shade of it for dark screens.

The figures are those of WCAG 2.2: text and the label of a button need a contrast of 4.5 to 1 with what is behind them.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from webapp.site_colours import DARK_COLOURS, LIGHT_COLOURS

MIN_CONTRAST: Final = 4.5
_COLOUR_PATTERN: Final = re.compile(r"#[0-9a-f]{6}")
_BACKGROUND_NAMES: Final = ("background", "surface", "sunken")
"""Behind links, which have the colour of the accent."""
_STEP_COUNT: Final = 64


class Accent(NamedTuple):
    """The accent on light and on dark screens, as ``#rrggbb``."""

    light: str
    dark: str


def is_colour(text: str) -> bool:
    """Return whether a text is a colour as ``#rrggbb``, in lower case."""
    return _COLOUR_PATTERN.fullmatch(text) is not None


@lru_cache(maxsize=64)
def accent_from(colour: str) -> Accent | None:
    """Return the accent for a colour; None if it cannot be read on a light page or behind the label of a button.

    On dark screens it is mixed with as little white as makes it readable there.
    """
    if not (is_colour(colour) and _is_readable(colour, LIGHT_COLOURS)):
        return None
    shades = (_mixed_with_white(colour, step / _STEP_COUNT) for step in range(_STEP_COUNT + 1))
    return Accent(colour, next(shade for shade in shades if _is_readable(shade, DARK_COLOURS)))


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    lower_luminance, higher_luminance = sorted((_luminance(first), _luminance(second)))
    return (higher_luminance + 0.05) / (lower_luminance + 0.05)


def _is_readable(accent: str, colours: dict[str, str]) -> bool:
    other_colours = [*(colours[name] for name in _BACKGROUND_NAMES), colours["on_accent"]]
    return all(contrast(accent, other_colour) >= MIN_CONTRAST for other_colour in other_colours)


def _mixed_with_white(colour: str, white_share: float) -> str:
    return "#" + "".join(
        f"{round(part + (255 - part) * white_share):02x}" for part in _red_green_blue(colour)
    )


def _luminance(colour: str) -> float:
    red, green, blue = (_linear_channel(part / 255) for part in _red_green_blue(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear_channel(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - of the sRGB standard


def _red_green_blue(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
