"""The colours of the players of a game, by seat: for marks on pages, on the mine and in emails, never without initials.

On a light ground the initials on a mark are white, and on a dark one nearly black. Each ten stay apart for people who are blind to red,
green or blue, as ``tests/app/test_player_colours.py`` checks; the names are for those who read this file.
"""

from typing import Final

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
LIGHT_PROPERTIES: Final = {
    **dict(zip(PLAYER_PROPERTIES, LIGHT_PLAYER_COLOURS, strict=True)),
    INITIALS_PROPERTY: LIGHT_INITIALS,
}
DARK_PROPERTIES: Final = {
    **dict(zip(PLAYER_PROPERTIES, DARK_PLAYER_COLOURS, strict=True)),
    INITIALS_PROPERTY: DARK_INITIALS,
}
