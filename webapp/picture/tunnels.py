"""Path cards and goals as they lie in the mine, each drawn in a box of 60 by 80.

A tunnel is one line, drawn in layers: its walls, the floor, sleepers, two rails. All tunnels of a picture share each layer, so
that floors and rails run on where they meet. A dead end is blocked by rubble and crossed planks, so no tunnel connects two sides.

Every tunnel leaves its card in the middle of a side, at a right angle, so that neighbouring cards join without a seam. A straight
tunnel is one line and not two arms, so that its rails pass through a junction unbroken. A dead end has stubs that do not meet.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from engine.cards import BOTTOM, CONNECTS_EDGES, EDGES, LEFT, RIGHT, START_SHAPE, TOP, Shape
from webapp.picture.palette import PAGE_PALETTE, Palette
from webapp.picture.symbols import (
    boulder,
    gem,
    ladder,
    nugget_heap,
    picture_at,
    reference,
    shared,
)

CARD_WIDTH: Final = 60
CARD_HEIGHT: Final = 80
_TREASURE_SHAPE: Final[Shape] = "goal-trbl"


class _Way(NamedTuple):
    """A line from a point; the rest of its path data is relative, so that it can lie in any cell."""

    x: int
    y: int
    line: str


_ACROSS: Final = _Way(0, 40, "c12 0 19-2 30 0s18 0 30 0")
_DOWN: Final = _Way(30, 0, "c0 16 1.5 26 0 40s0 24 0 40")
_ARMS: Final = {
    TOP: _Way(30, 0, "c0 16 1.5 26 0 40"),
    RIGHT: _Way(60, 40, "c-12 0-19 2-30 0"),
    BOTTOM: _Way(30, 80, "c0-16-1.5-26 0-40"),
    LEFT: _Way(0, 40, "c12 0 19-2 30 0"),
}
_BENDS: Final = {
    TOP | RIGHT: _Way(30, 0, "c0 25 9 40 30 40"),
    RIGHT | BOTTOM: _Way(60, 40, "c-21 0-30 15-30 40"),
    BOTTOM | LEFT: _Way(30, 80, "c0-25-9-40-30-40"),
    LEFT | TOP: _Way(0, 40, "c21 0 30-15 30-40"),
}
_STUBS: Final = {
    TOP: _Way(30, 0, "v21"),
    RIGHT: _Way(60, 40, "h-14"),
    BOTTOM: _Way(30, 80, "v-21"),
    LEFT: _Way(0, 40, "h14"),
}


@cache
def laid_card(shape: Shape, palette: Palette, *, is_lit: bool) -> str:
    """Draw a face-up card. Tunnels connected to the start are lit; a dead end never is."""
    line = _way_line(shape, palette)
    is_lit = is_lit and CONNECTS_EDGES[shape]
    floor = palette.lit_floor if is_lit else palette.unlit_floor
    return (
        shared("rock", rock, palette)
        + tunnel_group(tunnel_walls(line, palette) + tunnel_floor(line, floor, palette), palette)
        + landmark(shape, palette)
    )


def _way_line(shape: Shape, palette: Palette) -> str:
    """Return the line of a card's tunnels, with room for attributes; on pages a reference."""
    if palette is PAGE_PALETTE:
        return reference(f"way-{shape}", "{}")
    return f'<path d="{way_data(shape)}"{{}}/>'


def way(shape: Shape, _palette: Palette) -> str:
    """Draw the line of a card's tunnels, whose colour and width are those of its reference."""
    return f'<path d="{way_data(shape)}"/>'


def tunnel_group(layers: str, palette: Palette) -> str:
    """Put the layers of tunnels into a group with what is the same for all sleepers."""
    return f'<g fill="none" stroke="{palette.sleeper}" stroke-dashoffset="-2">{layers}</g>'


def tunnel_walls(line: str, palette: Palette) -> str:
    """Draw the walls of tunnels; ``line`` is an element with room for attributes."""
    return line.format(f' stroke="{palette.tunnel_edge}" stroke-width="26"')


def tunnel_floor(line: str, floor: str, palette: Palette) -> str:
    """Draw the floor of tunnels with a track: the floor between the rails is drawn again, which leaves two rails."""
    sleepers = ' stroke-dasharray="2 4" stroke-width="{}"'
    return (
        line.format(f' stroke="{floor}" stroke-width="21"')
        + line.format(sleepers.format(13))
        + line.format(f' stroke="{palette.rail}" stroke-width="9.6"')
        + line.format(f' stroke="{floor}" stroke-width="6.8"')
        + line.format(sleepers.format("6.8"))
    )


def landmark(shape: Shape, palette: Palette) -> str:
    """Draw what is in the tunnels of a card: a ladder, rubble, a treasure or a stone, or nothing."""
    if shape == START_SHAPE:
        return shared("ladder", ladder, palette)
    if not CONNECTS_EDGES[shape]:
        return shared("rubble", rubble, palette)
    if not shape.startswith("goal-"):
        return ""
    return _goal_frame(palette) + (
        picture_at(30, 42, nugget_heap(palette), scale=1.25)
        if shape == _TREASURE_SHAPE
        else _boulder_beside_bend(shape, palette)
    )


@cache
def goal_back(palette: Palette) -> str:
    """Draw the back of a goal, without its symbol."""
    return (
        f'<rect x="1" y="1" width="58" height="78" rx="6" fill="{palette.goal_card_back}" stroke="{palette.goal_card_back_mark}" stroke-width="1.5"/>'
        f'<path d="M30 7L53 40 30 73 7 40z" fill="none" stroke="{palette.goal_card_back_mark}" opacity=".55"/>'
        f'<path d="M5 18V10q0-5 5-5h8M42 5h8q5 0 5 5v8M55 62v8q0 5-5 5h-8M18 75h-8q-5 0-5-5v-8" fill="none" stroke="{palette.goal_card_back_mark}" stroke-width="1.5"/>'
    )


def goal_back_with_gem(palette: Palette) -> str:
    """Draw a goal that lies face down."""
    return goal_back(palette) + picture_at(30, 40, gem(palette))


def rock(palette: Palette) -> str:
    """Draw the background of a card; tunnels cover the middle of its sides."""
    return (
        f'<rect x=".5" y=".5" width="59" height="79" rx="6" fill="{palette.rock}" stroke="{palette.rock_edge}"/>'
        + shared("cracks", cracks, palette)
    )


def cracks(palette: Palette) -> str:
    """Draw what is on the rock of a card: a light edge and some cracks."""
    return (
        f'<path d="M2.5 14V8q0-5.5 5.5-5.5h44" fill="none" stroke="{palette.rock_light}" stroke-width="1.5" stroke-linecap="round"/>'
        f'<path d="M6 12l6-3 4 3M48 9l5 2 2 5M9 21l3 1M50 20l2-1M6 60l5 1 2 5M12 72l4-2M46 71l5-3 4 2M52 61l2 1" fill="none" stroke="{palette.rock_mark}" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def rubble(palette: Palette) -> str:
    """Draw what blocks a dead end, in the box of a card."""
    return (
        f'<g fill="{palette.rubble}" stroke="{palette.rubble_edge}" stroke-width="1.5" stroke-linejoin="round">'
        '<path d="M13 41l3-8 8-3 6 4 1 8-5 7-9 0z"/><path d="M29 31l7-5 8 3 4 7-3 7-9 1-6-5z"/>'
        '<path d="M27 45l8-4 9 2 2 7-6 6-9 0-5-5z"/><path d="M17 47l7-2 5 5-1 7-8 1-5-5z"/><path d="M20 30l5-7 7 1 2 6-6 5z"/></g>'
        f'<path d="M16 27L44 54M44 27L16 54" stroke="{palette.wood_edge}" stroke-width="7.5" stroke-linecap="round"/>'
        f'<path d="M44 27L16 54M16 27L44 54" stroke="{palette.wood}" stroke-width="5" stroke-linecap="round"/>'
    )


def _goal_frame(palette: Palette) -> str:
    """Draw four corners, so that a revealed goal still looks like a goal."""
    return (
        f'<path d="M4 18V9q0-5 5-5h9M42 4h9q5 0 5 5v9M56 62v9q0 5-5 5h-9M18 76H9q-5 0-5-5v-9"'
        f' fill="none" stroke="{palette.gold_edge}" stroke-width="3.5" stroke-linecap="round"/>'
    )


def _boulder_beside_bend(shape: Shape, palette: Palette) -> str:
    """Draw a boulder in the corner opposite the bend."""
    edges = EDGES[shape]
    return picture_at(42 if edges & LEFT else 18, 20 if edges & BOTTOM else 61, boulder(palette))


@cache
def way_data(shape: Shape, x: int = 0, y: int = 0) -> str:
    """Return the path data of a card's tunnels, if its corner lies at this point."""
    return "".join(f"M{x + way.x} {y + way.y}{way.line}" for way in _ways_of(shape))


@cache
def _ways_of(shape: Shape) -> tuple[_Way, ...]:
    edges = EDGES[shape]
    if not CONNECTS_EDGES[shape]:
        return tuple(way for side, way in _STUBS.items() if edges & side)
    return (_BENDS[edges],) if edges in _BENDS else tuple(_through_ways(edges))


def _through_ways(edges: int) -> Iterator[_Way]:
    across, down = LEFT | RIGHT, TOP | BOTTOM
    if edges & across == across:
        yield _ACROSS
        edges &= ~across
    if edges & down == down:
        yield _DOWN
        edges &= ~down
    yield from (way for side, way in _ARMS.items() if edges & side)
