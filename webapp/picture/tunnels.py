"""Path cards and goals as they lie in the mine, each drawn in a box of 60 by 80.

Every tunnel leaves its card in the middle of a side, at a right angle and with the same width, so that neighbouring cards join
without a seam. A dead end is blocked by rubble and crossed planks in the middle, so no tunnel connects two of its sides.
"""

from functools import cache
from typing import Final

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, START_SHAPE, TOP, Shape
from webapp.picture.palette import Palette
from webapp.picture.symbols import boulder, ladder, nugget_heap, picture_at

CARD_WIDTH: Final = 60
CARD_HEIGHT: Final = 80
_TREASURE_SHAPE: Final[Shape] = "goal-trbl"

_ARM_PATHS: Final = {
    TOP: "M30 0C30 13 31.5 26 30 40",
    RIGHT: "M60 40C50 40 40 38.5 30 40",
    BOTTOM: "M30 80C30 67 28.5 54 30 40",
    LEFT: "M0 40C10 40 20 41.5 30 40",
}
_BEND_PATHS: Final = {
    TOP | RIGHT: "M30 0C30 25 39 40 60 40",
    RIGHT | BOTTOM: "M60 40C39 40 30 55 30 80",
    BOTTOM | LEFT: "M30 80C30 55 21 40 0 40",
    LEFT | TOP: "M0 40C21 40 30 25 30 0",
}
_STUB_PATHS: Final = {
    TOP: "M30 0V21",
    RIGHT: "M60 40H46",
    BOTTOM: "M30 80V59",
    LEFT: "M0 40H14",
}
_CORNER_MARKS: Final = "M6 9l5-2M9 16l3 1M48 8l6 2M50 15l2-1M7 70l5 2M10 63l3-1M47 71l6-2M51 64l2 1"
_WALL_MARKS: Final = {
    TOP: "M25 8l6 2M33 14l4-1",
    RIGHT: "M51 34l2 6M47 44l2 3",
    BOTTOM: "M26 71l6-2M33 65l4 1",
    LEFT: "M8 35l-2 6M12 45l-2 3",
}


@cache
def laid_card(shape: Shape, palette: Palette, *, is_lit: bool) -> str:
    """Draw a face-up card. Tunnels connected to the start are lit; a dead end never is."""
    return (
        rock(palette, EDGES[shape])
        + _tunnels(shape, palette, is_lit=is_lit)
        + _landmark_picture(shape, palette)
    )


@cache
def goal_back(palette: Palette) -> str:
    """Draw the hatched back of a goal, without its symbol."""
    return (
        f'<rect x="1" y="1" width="58" height="78" rx="6" fill="{palette.goal_card_back}" stroke="{palette.rock_edge}" stroke-width="1.5"/>'
        f'<path d="M8 26L26 8M8 46L46 8M8 66L52 22M14 72L52 42M32 72L52 58" fill="none" stroke="{palette.goal_card_back_mark}" stroke-width="1" opacity=".5"/>'
        f'<rect x="5" y="5" width="50" height="70" rx="4" fill="none" stroke="{palette.goal_card_back_mark}" stroke-width="1.5"/>'
    )


def rock(palette: Palette, edges: int = 0) -> str:
    """Draw the background of a card, without wall marks at its open edges."""
    marks = _CORNER_MARKS + "".join(mark for side, mark in _WALL_MARKS.items() if not edges & side)
    return (
        f'<rect x=".75" y=".75" width="58.5" height="78.5" rx="6" fill="{palette.rock}" stroke="{palette.rock_edge}" stroke-width="1"/>'
        f'<path d="{marks}" fill="none" stroke="{palette.rock_mark}" stroke-width="2" stroke-linecap="round"/>'
    )


def _tunnels(shape: Shape, palette: Palette, *, is_lit: bool) -> str:
    path = _floor_path(shape)
    is_dead_end = not CONNECTS_EDGES[shape]
    floor_colour = palette.lit_floor if is_lit and not is_dead_end else palette.unlit_floor
    # The rounded end of a stub stays hidden under the rubble; a rounded join fills the middle of a junction.
    return (
        f'<g fill="none" stroke-linejoin="round"><path d="{path}" stroke="{palette.tunnel_edge}" stroke-width="25"/>'
        f"{_middle_circle(shape, palette.tunnel_edge, 12.5)}"
        f'<path d="{path}" stroke="{floor_colour}" stroke-width="20"/>{_middle_circle(shape, floor_colour, 10)}'
        f'<path d="{path}" stroke="{palette.rail}" stroke-width="9" stroke-dasharray="1.6 4.4"/></g>'
    )


def _floor_path(shape: Shape) -> str:
    edges = EDGES[shape]
    if not CONNECTS_EDGES[shape]:
        return "".join(stub_path for side, stub_path in _STUB_PATHS.items() if edges & side)
    if edges in _BEND_PATHS:
        return _BEND_PATHS[edges]
    return "".join(arm_path for side, arm_path in _ARM_PATHS.items() if edges & side)


def _middle_circle(shape: Shape, colour: str, radius: float) -> str:
    if not CONNECTS_EDGES[shape] or EDGES[shape] in _BEND_PATHS:
        return ""
    return f'<circle cx="30" cy="40" r="{radius}" fill="{colour}"/>'


def _landmark_picture(shape: Shape, palette: Palette) -> str:
    if shape == START_SHAPE:
        return ladder(palette)
    if not CONNECTS_EDGES[shape]:
        return _rubble_picture(palette)
    if not shape.startswith("goal-"):
        return ""
    return _goal_frame(palette) + (
        picture_at(30, 42, nugget_heap(palette), scale=1.25)
        if shape == _TREASURE_SHAPE
        else _boulder_beside_bend(shape, palette)
    )


def _goal_frame(palette: Palette) -> str:
    """Draw four dark corners, so that a revealed goal still looks like a goal."""
    return (
        f'<path d="M4 18V9q0-5 5-5h9M42 4h9q5 0 5 5v9M56 62v9q0 5-5 5h-9M18 76H9q-5 0-5-5v-9"'
        f' fill="none" stroke="{palette.label}" stroke-width="4" stroke-linecap="round"/>'
    )


def _rubble_picture(palette: Palette) -> str:
    return (
        f'<g fill="{palette.rubble}" stroke="{palette.rubble_edge}" stroke-width="1.5" stroke-linejoin="round">'
        '<path d="M13 41l3-8 8-3 6 4 1 8-5 7-9 0z"/><path d="M29 31l7-5 8 3 4 7-3 7-9 1-6-5z"/>'
        '<path d="M27 45l8-4 9 2 2 7-6 6-9 0-5-5z"/><path d="M17 47l7-2 5 5-1 7-8 1-5-5z"/><path d="M20 30l5-7 7 1 2 6-6 5z"/></g>'
        f'<g stroke="{palette.wood_edge}" stroke-width="7.5" stroke-linecap="round"><path d="M16 27L44 54M44 27L16 54"/></g>'
        f'<g stroke="{palette.wood}" stroke-width="5" stroke-linecap="round"><path d="M44 27L16 54M16 27L44 54"/></g>'
    )


def _boulder_beside_bend(shape: Shape, palette: Palette) -> str:
    """Draw a boulder in the corner opposite the bend."""
    edges = EDGES[shape]
    return picture_at(42 if edges & LEFT else 18, 20 if edges & BOTTOM else 61, boulder(palette))
