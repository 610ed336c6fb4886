"""Small drawings: tools, gold, stones, a ladder. Tools fill a box of 24 by 24, the rest is centred on (0, 0).

A page defines a drawing once and refers to it often (``shared``); everywhere else there is the drawing itself.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Final

from engine.cards import Tool
from webapp.picture.palette import PAGE_PALETTE, Palette

SYMBOL_ID_PREFIX: Final = "art-"


def shared(name: str, draw: Callable[[Palette], str], palette: Palette) -> str:
    """Return a drawing; on pages a reference to it, which ``webapp.picture.symbol_sheet`` defines once for each page.

    Programs that turn a picture into a PNG, and files that are kept, get pictures that are complete in themselves.
    """
    return reference(name) if palette is PAGE_PALETTE else draw(palette)


@cache
def shared_at(
    corner: tuple[int, int], name: str, draw: Callable[[Palette], str], palette: Palette
) -> str:
    """Return a drawing moved to a point; on pages a reference."""
    x, y = corner
    if palette is PAGE_PALETTE:
        return reference(name, f' x="{x}" y="{y}"')
    return f'<g transform="translate({x} {y})">{draw(palette)}</g>'


def reference(name: str, attributes: str = "") -> str:
    """Return a reference to a drawing of this name."""
    return f'<use href="#{SYMBOL_ID_PREFIX}{name}"{attributes}/>'


def picture_at(x: float, y: float, body: str, *, scale: float = 1) -> str:
    """Return a drawing moved to a point, and scaled."""
    if scale == 1 and body.startswith("<use ") and body.count("<") == 1:
        return body.replace("/>", f' x="{x:g}" y="{y:g}"/>')
    size = "" if scale == 1 else f" scale({scale:g})"
    return f'<g transform="translate({x:g} {y:g}){size}">{body}</g>'


def tool_symbol(tool: Tool, palette: Palette) -> str:
    """Draw a tool that is not broken."""
    return _TOOL_SYMBOLS[tool](palette)


def broken_tool_symbol(tool: Tool, palette: Palette) -> str:
    """Draw a tool with a crack through it: recognisable by its form, not only its colour."""
    return (
        f'<g opacity=".85">{shared(f"tool-{tool}", partial(tool_symbol, tool), palette)}</g>'
        f'<path d="M15.5 1.5L11 8.5l4 2.5-6 4.5 2 2.5-3 5" fill="none" stroke="{palette.paper}" stroke-width="3.4" stroke-linejoin="round"/>'
        f'<path d="M15.5 1.5L11 8.5l4 2.5-6 4.5 2 2.5-3 5" fill="none" stroke="{palette.signal_red}" stroke-width="1.6" stroke-linejoin="round"/>'
    )


def bot_face(_palette: Palette) -> str:
    """Draw the head of a robot in the colour of the text around it."""
    return (
        '<path d="M12 7V4M4.5 7h15v12h-15zM2 11v4M22 11v4M9.5 15.8h5" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
        '<g fill="currentColor"><circle cx="12" cy="3" r="1.6"/><circle cx="9" cy="11.8" r="1.6"/><circle cx="15" cy="11.8" r="1.6"/></g>'
    )


def eye(palette: Palette) -> str:
    """Draw an open eye, 24 wide: seen with a map."""
    return (
        f'<path d="M-12 0Q0-12 12 0Q0 12-12 0z" fill="{palette.gold_glint}" stroke="{palette.ink}" stroke-width="1.5"/>'
        f'<circle r="4" fill="{palette.iron}" stroke="{palette.ink}" stroke-width="1"/>'
    )


def gem(palette: Palette) -> str:
    """Draw the cut stone on the back of a goal, about 28 wide."""
    return (
        f'<path d="M-8-15H8L15-5 0 17-15-5z" fill="{palette.goal_card_back_mark}" fill-opacity=".4" stroke="{palette.goal_card_back_mark}" stroke-width="2.2" stroke-linejoin="round"/>'
        f'<path d="M-15-5H15M-8-15L-5-5 0 17 5-5 8-15M-5-5L0-15 5-5" fill="none" stroke="{palette.goal_card_back_mark}" stroke-width="1.3" stroke-linejoin="round"/>'
    )


def nugget(palette: Palette) -> str:
    """Draw one nugget, about 14 wide."""
    return (
        f'<path d="M-7 1l2-6 5-2.5 5.5 2 2 5.5-3.5 5-7 .5z" fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width="1.2" stroke-linejoin="round"/>'
        f'<path d="M-3.5-3.5l3.5-1.5 3 1" fill="none" stroke="{palette.gold_glint}" stroke-width="1.6" stroke-linecap="round"/>'
    )


def nugget_heap(palette: Palette) -> str:
    """Draw the treasure: three nuggets and a glint, about 30 wide."""
    single_nugget = shared("nugget", nugget, palette)
    return (
        f'<g transform="translate(-7.5 4)">{single_nugget}</g><g transform="translate(7.5 4)">{single_nugget}</g>'
        f'<g transform="translate(0 -5.5) scale(1.15)">{single_nugget}</g>'
        f'<path d="M12-17q.8 5 5.5 6q-4.7 1-5.5 6q-.8-5-5.5-6q4.7-1 5.5-6z" fill="{palette.gold_glint}" stroke="{palette.gold_edge}" stroke-width=".8"/>'
    )


def boulder(palette: Palette) -> str:
    """Draw a boulder, about 24 wide."""
    return (
        f'<path d="M-12 5l2-9 7-6 9 1 6 7-1 8-6 4-12 0z" fill="{palette.stone}" stroke="{palette.stone_edge}" stroke-width="1.6" stroke-linejoin="round"/>'
        f'<path d="M-5-4l5-3 5 2M2 3l4-2" fill="none" stroke="{palette.stone_edge}" stroke-width="1.3" stroke-linecap="round"/>'
    )


def ladder(palette: Palette) -> str:
    """Draw the ladder of the start card, in the box of a card."""
    rung_paths = "".join(f"M23 {y}h14" for y in range(16, 64, 8))
    return (
        f'<g fill="none" stroke-linecap="round"><path d="M23 10v56M37 10v56{rung_paths}" stroke="{palette.wood_edge}" stroke-width="5.5"/>'
        f'<path d="M23 10v56M37 10v56{rung_paths}" stroke="{palette.wood}" stroke-width="3"/></g>'
    )


def _pickaxe(palette: Palette) -> str:
    return (
        f'<path d="M4.5 20.5L15 9" stroke="{palette.wood_edge}" stroke-width="4.2" stroke-linecap="round"/>'
        f'<path d="M4.5 20.5L15 9" stroke="{palette.wood}" stroke-width="2.2" stroke-linecap="round"/>'
        f'<path d="M6.5 4.5C13 2 21 8.5 20.5 17.5C18.5 11.5 13.5 6.7 6.5 4.5z" fill="{palette.iron}" stroke="{palette.ink}" stroke-width="1.2" stroke-linejoin="round"/>'
    )


def _lantern(palette: Palette) -> str:
    return (
        f'<path d="M8.5 5.5a3.5 3.5 0 0 1 7 0" fill="none" stroke="{palette.ink}" stroke-width="1.5"/>'
        f'<path d="M8.5 8.5h7l1.8 9.5h-10.6z" fill="{palette.gold_glint}" stroke="{palette.ink}" stroke-width="1.3" stroke-linejoin="round"/>'
        f'<path d="M12 10c2.8 3.4 2.4 6.2 0 7c-2.4-.8-2.8-3.6 0-7z" fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width=".8"/>'
        f'<path d="M7.5 5.5h9v3h-9zM5.8 18h12.4v3.5H5.8z" fill="{palette.iron}" stroke="{palette.ink}" stroke-width="1.2" stroke-linejoin="round"/>'
    )


def _cart(palette: Palette) -> str:
    return (
        f'<g fill="{palette.stone}" stroke="{palette.ink}" stroke-width="1.1"><circle cx="8.5" cy="6.8" r="3"/><circle cx="15" cy="6.5" r="3.4"/></g>'
        f'<path d="M2.5 8h19l-3 9h-13z" fill="{palette.wood}" stroke="{palette.ink}" stroke-width="1.3" stroke-linejoin="round"/>'
        f'<path d="M8.7 8.5l1 8M15.3 8.5l-1 8" stroke="{palette.wood_edge}" stroke-width="1.2"/>'
        f'<g fill="{palette.iron}" stroke="{palette.ink}" stroke-width="1.2"><circle cx="8" cy="18.8" r="2.7"/><circle cx="16" cy="18.8" r="2.7"/></g>'
    )


_TOOL_SYMBOLS: Final[dict[Tool, Callable[[Palette], str]]] = {
    "pickaxe": _pickaxe,
    "lantern": _lantern,
    "cart": _cart,
}
