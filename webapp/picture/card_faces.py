"""The faces of cards that do not lie in the mine: actions, roles, gold, each in a box of 60 by 80.

What a card does is shown three times: by its symbol, by a badge, and by a tint that is warm if it breaks and green if it repairs.
"""

from functools import cache, partial
from typing import Final

from engine.cards import BREAKS, REPAIRS, ROCKFALL, Card, Role, Shape, Tool
from webapp.picture.palette import Palette
from webapp.picture.portraits import face, glow, role_light
from webapp.picture.shared_symbols import shared
from webapp.picture.symbols import (
    boulder,
    broken_tool_symbol,
    cross_badge,
    eye,
    nugget,
    picture_at,
    tick_badge,
    tool_symbol,
)
from webapp.picture.tunnels import laid_card

_NUGGET_POSITIONS: Final = (
    ((30, 40),),
    ((22, 26), (38, 54)),
    ((30, 22), (19, 55), (41, 55)),
)


def lit_card(shape: Shape, palette: Palette) -> str:
    """Draw a path card with lit tunnels."""
    return laid_card(shape, palette, is_lit=True)


@cache
def action_card(card: Card, palette: Palette) -> str:
    """Draw the face of an action card."""
    if card in BREAKS:
        tool = picture_at(0.5, 5, _tool("broken", BREAKS[card], palette), scale=2.45)
        return (
            _paper(palette.break_paper, palette.signal_red, palette)
            + tool
            + picture_at(48, 67, cross_badge(palette), scale=0.95)
        )
    if card in REPAIRS:
        return _paper(palette.repair_paper, palette.signal_green, palette) + _repair_picture(
            REPAIRS[card], palette
        )
    symbols = _rockfall_picture(palette) if card == ROCKFALL else _map_picture(palette)
    return _paper(palette.paper, palette.wood, palette) + symbols


def role_card(role: Role, palette: Palette) -> str:
    """Draw the card of a role: the face of a gold-digger or of a saboteur."""
    light = role_light(role, palette)
    return (
        f'<rect x="1" y="1" width="58" height="78" rx="6" fill="{palette.portrait_ground}" stroke="{light}" stroke-width="2"/>'
        + picture_at(-5.5, 4.5, glow(light) + face(role, palette), scale=0.74)
    )


def gold_card(nuggets: int, palette: Palette) -> str:
    """Draw a gold card of one, two or three nuggets."""
    scale = 2.4 if nuggets == 1 else 1.75
    return _paper(palette.paper, palette.gold, palette) + "".join(
        picture_at(x, y, shared("nugget", nugget, palette), scale=scale)
        for x, y in _NUGGET_POSITIONS[nuggets - 1]
    )


def _paper(paper: str, line: str, palette: Palette) -> str:
    """Draw the background of a card, with a thin line inside its edge."""
    return (
        f'<rect x=".75" y=".75" width="58.5" height="78.5" rx="6" fill="{paper}" stroke="{palette.rock_edge}" stroke-width="1.5"/>'
        f'<rect x="4" y="4" width="52" height="72" rx="3.5" fill="none" stroke="{line}" stroke-opacity=".5"/>'
    )


def _tool(kind: str, tool: Tool, palette: Palette) -> str:
    draw = broken_tool_symbol if kind == "broken" else tool_symbol
    return shared(f"{kind}-{tool}", partial(draw, tool), palette)


def _repair_picture(tools: tuple[Tool, ...], palette: Palette) -> str:
    tick_mark = picture_at(48, 67, tick_badge(palette), scale=0.95)
    if len(tools) == 1:
        return picture_at(0.5, 5, _tool("tool", tools[0], palette), scale=2.45) + tick_mark
    first_tool, second_tool = tools
    slash_mark = f'<path d="M54 18L7 62" stroke="{palette.signal_green}" stroke-opacity=".5" stroke-width="1.5"/>'
    return (
        slash_mark
        + picture_at(2, 3, _tool("tool", first_tool, palette), scale=1.6)
        + picture_at(19, 34, _tool("tool", second_tool, palette), scale=1.6)
        + picture_at(13, 68, tick_badge(palette), scale=0.85)
    )


def _rockfall_picture(palette: Palette) -> str:
    rock_piece = shared("boulder", boulder, palette)
    rocks = (
        picture_at(30, 30, rock_piece, scale=1.55)
        + picture_at(17, 58, rock_piece, scale=0.9)
        + picture_at(42, 57, rock_piece, scale=1.05)
    )
    lines = (
        f'<path d="M13 9v12M24 7v6M37 7v6M47 9v12" stroke="{palette.ink}"'
        ' stroke-width="2.2" stroke-linecap="round"/>'
        f'<path d="M8 70h44" stroke="{palette.ink}" stroke-width="2.5" stroke-linecap="round"/>'
    )
    return lines + rocks


def _map_picture(palette: Palette) -> str:
    return (
        f'<path d="M8 15l15-5 14 5 15-5v50l-15 5-14-5-15 5z" fill="{palette.gold_glint}"'
        f' stroke="{palette.wood_edge}" stroke-width="2" stroke-linejoin="round"/>'
        f'<path d="M23 10v50M37 15v50" stroke="{palette.wood}" stroke-width="1.2"/>'
        f'<path d="M13 54q2-13 12-14t11-12" fill="none" stroke="{palette.wood_edge}"'
        ' stroke-width="2.8" stroke-dasharray="3.5 3.5"/>'
        f'<path d="M38 19l9 9M47 19l-9 9" stroke="{palette.signal_red}" stroke-width="3.5" stroke-linecap="round"/>'
    ) + picture_at(42, 64, shared("eye", eye, palette), scale=0.9)
