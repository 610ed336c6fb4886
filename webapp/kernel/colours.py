"""The colours of pages and emails, defined once: the style sheet gets them as custom properties, emails as inline styles.

The colours of players are listed by seat and never stand without initials, which are white on a light ground and nearly black
on a dark one. Each ten stay apart for people who are blind to red, green or blue, as ``tests/app/test_player_colours.py`` checks.

The accent of a site is checked for contrast, and has a lighter shade for dark screens. The figures are those of WCAG 2.2: text
and the label of a button need a contrast of 4.5 to 1 with what is behind them.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

LIGHT_COLOURS: Final = {
    "background": "#faf6ee",
    "surface": "#fffdf8",  # A panel of a page, the sheet of an email.
    "sunken": "#f1e9db",  # Behind code and drawings.
    "line": "#d9cbb4",  # Borders and rules.
    "text": "#2b231a",
    "muted": "#65584a",  # Text of less importance.
    "accent": "#7a4a12",  # Links and buttons.
    "on_accent": "#ffffff",
    "focus": "#1c5aa8",
    "good": "#1d6b3f",
    "good_background": "#e4f1e6",
    "warn": "#7a4f00",
    "warn_background": "#fbedc9",
    "bad": "#a3201a",
    "bad_background": "#fbe6e2",
    "info": "#1c4f8f",
    "info_background": "#e4edf8",
    "danger": "#a3201a",
    "on_danger": "#ffffff",
}

DARK_COLOURS: Final = {
    "background": "#14110e",
    "surface": "#1e1a15",
    "sunken": "#0e0c0a",
    "line": "#41372c",
    "text": "#f0e7d8",
    "muted": "#b8aa94",
    "accent": "#f0b860",
    "on_accent": "#201505",
    "focus": "#7db4ff",
    "good": "#7fd3a0",
    "good_background": "#14281c",
    "warn": "#f2c566",
    "warn_background": "#2e2410",
    "bad": "#ff9d92",
    "bad_background": "#361613",
    "info": "#9cc4ff",
    "info_background": "#142236",
    "danger": "#ff9d92",
    "on_danger": "#2a0c09",
}

MOMENT_COLOURS: Final = DARK_COLOURS | {
    "background": "#54473a",
    "surface": "#44382c",
    "sunken": "#3a3026",
    "line": "#7f6d59",
    "text": "#fbf3e4",
    "muted": "#dfd0ba",
    "accent": "#ffc65c",
    "bad": "#ffb3a8",
}
"""The panel of a moment, such as the end of a round: the earth of the mine, on light and dark pages alike."""

PRINT_COLOURS: Final = LIGHT_COLOURS | {
    "background": "#ffffff",
    "surface": "#ffffff",
    "sunken": "#ffffff",
    "line": "#999999",
    "text": "#000000",
    "muted": "#333333",
    "accent": "#000000",
}

LIGHT_PLAYER_COLOURS: Final = (
    "#3700f6",  # Blue.
    "#9c6a0a",  # Ochre.
    "#e01478",  # Pink.
    "#0b7f89",  # Teal.
    "#2d5900",  # Green.
    "#9059d0",  # Purple.
    "#4c0f04",  # Brown.
    "#1d263b",  # Slate.
    "#b4004b",  # Crimson.
    "#09019d",  # Navy.
)
DARK_PLAYER_COLOURS: Final = (
    "#5076ff",
    "#fdc907",
    "#c06370",
    "#7de6f5",
    "#cdf5ae",
    "#8f72b8",
    "#f89561",
    "#abafb8",
    "#fe2c06",
    "#5cabfe",
)
LIGHT_INITIALS: Final = "#ffffff"
"""The initials on the marks of light pages."""
DARK_INITIALS: Final = "#14110e"
PLAYER_PROPERTIES: Final = tuple(
    f"player-{seat + 1}" for seat, _ in enumerate(LIGHT_PLAYER_COLOURS)
)
"""The CSS custom properties, without their hyphens, that have the colours on pages."""
INITIALS_PROPERTY: Final = "on-player"
LIGHT_PLAYER_PROPERTIES: Final = {
    **dict(zip(PLAYER_PROPERTIES, LIGHT_PLAYER_COLOURS, strict=True)),
    INITIALS_PROPERTY: LIGHT_INITIALS,
}
DARK_PLAYER_PROPERTIES: Final = {
    **dict(zip(PLAYER_PROPERTIES, DARK_PLAYER_COLOURS, strict=True)),
    INITIALS_PROPERTY: DARK_INITIALS,
}

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
