"""The colours of players: contrast on light and dark pages, and apart for people who do not see all colours."""

from itertools import combinations
from math import copysign, dist

import pytest

from webapp.kernel.colours import (
    DARK_COLOURS,
    DARK_INITIALS,
    DARK_PLAYER_COLOURS,
    LIGHT_COLOURS,
    LIGHT_INITIALS,
    LIGHT_PLAYER_COLOURS,
    contrast,
)

SCHEMES = {
    "light": (LIGHT_PLAYER_COLOURS, LIGHT_INITIALS, LIGHT_COLOURS),
    "dark": (DARK_PLAYER_COLOURS, DARK_INITIALS, DARK_COLOURS),
}
Channels = tuple[float, ...]
# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), full severity.
VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
LEAST_DISTANCE = 0.09
"""In Oklab, where 0.02 is just noticeable."""


def multiplied(matrix: tuple[Channels, ...], channels: Channels) -> Channels:
    return tuple(
        sum(factor * channel for factor, channel in zip(row, channels, strict=True))
        for row in matrix
    )


def linear_channels(colour: str) -> Channels:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return tuple(
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )


def oklab(channels: Channels) -> Channels:
    cones = multiplied(
        (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        ),
        channels,
    )
    return multiplied(
        (
            (0.2104542553, 0.7936177850, -0.0040720468),
            (1.9779984951, -2.4285922050, 0.4505937099),
            (0.0259040371, 0.7827717662, -0.8086757660),
        ),
        tuple(copysign(abs(cone) ** (1 / 3), cone) for cone in cones),
    )


def seen(colour: str, vision: str) -> Channels:
    channels = multiplied(VISIONS[vision], linear_channels(colour))
    return oklab(tuple(min(1, max(0, channel)) for channel in channels))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_marks_stand_out_from_every_ground(scheme: str) -> None:
    colours, _, page_colours = SCHEMES[scheme]
    for ground in ("background", "surface", "sunken"):
        assert min(contrast(colour, page_colours[ground]) for colour in colours) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_initials_can_be_read_on_every_mark(scheme: str) -> None:
    colours, initials, _ = SCHEMES[scheme]
    assert min(contrast(initials, colour) for colour in colours) >= 4.5


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_ten_colours_are_apart_for_every_kind_of_vision(scheme: str, vision: str) -> None:
    colours = SCHEMES[scheme][0]
    assert len(colours) == 10
    distances = [
        dist(seen(one, vision), seen(other, vision)) for one, other in combinations(colours, 2)
    ]
    assert min(distances) >= LEAST_DISTANCE


def test_red_and_green_of_equal_lightness_are_close_without_red_cones() -> None:
    red, green = "#c25a5a", "#7d7a2b"
    assert dist(seen(red, "protanopia"), seen(green, "protanopia")) < dist(
        seen(red, "normal"), seen(green, "normal")
    )
