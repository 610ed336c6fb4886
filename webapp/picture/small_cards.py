"""Cards as high as two lines of text: what is on them without tracks and stones, so that a page can show very many.

Each is drawn in a box of 60 by 80, like the cards of the hand. They are on pages only, because their colours are in the style sheet.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import Final

from markupsafe import Markup, escape

from engine.cards import (
    BOTTOM,
    BREAKS,
    CONNECTS_EDGES,
    EDGES,
    LEFT,
    MAP,
    PATH_CARDS,
    REPAIRS,
    RIGHT,
    TOP,
    TURNED_SHAPES,
    Card,
    Shape,
)
from webapp.kernel.i18n import Language
from webapp.picture.palette import Palette
from webapp.picture.symbols import (
    boulder,
    broken_tool_symbol,
    picture_at,
    reference,
    shared,
    tool_symbol,
)
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH
from webapp.wording.cards import card_name

_STEP: Final = CARD_WIDTH + 6
_ARMS: Final = {TOP: "M30 40V11", RIGHT: "M30 40H49", BOTTOM: "M30 40V69", LEFT: "M30 40H11"}
"""Lines whose square ends reach the sides of the card."""
_STUBS: Final = {TOP: "M30 11v3", RIGHT: "M49 40h-3", BOTTOM: "M30 69v-3", LEFT: "M11 40h3"}
_MAP: Final = '<path class="sheet" d="M9 17l14-5 14 5 14-5v51l-14 5-14-5-14 5z"/><path class="cross" d="M22 30l16 18M38 30L22 48"/>'


@cache
def draw_small_card(card: Card, *, turned: bool = False) -> Markup:
    """Draw a card beside a sentence that says what it is; screen readers skip it."""
    shape = TURNED_SHAPES[card] if turned and card in PATH_CARDS else card
    return _row([shape], 'aria-hidden="true"')


def draw_small_hand(cards: Sequence[Card], language: Language) -> Markup:
    """Draw cards in a row; their names are its text for screen readers."""
    names = ", ".join(card_name(card, language) for card in cards)
    return _row(cards, 'role="img"', f"<title>{escape(names)}</title>")


def _row(cards: Sequence[Card | Shape], role: str, title: str = "") -> Markup:
    width = _STEP * len(cards) - _STEP + CARD_WIDTH
    body = "".join(
        reference(f"small-{card}", f' x="{_STEP * place}"' if place else "")
        for place, card in enumerate(cards)
    )
    return Markup(  # noqa: S704 - drawn by this package; every foreign text in it is escaped
        f'<svg class="small-cards" viewBox="0 0 {width} {CARD_HEIGHT}" {role}>{title}{body}</svg>'
    )


def small_card(card: Card | Shape, palette: Palette) -> str:
    """Draw a path card in the orientation of its shape, or an action card."""
    if card in CONNECTS_EDGES:
        return _paper("rock") + _ways(card)
    if card in BREAKS:
        tool = BREAKS[card]
        broken_tool = shared(f"broken-{tool}", partial(broken_tool_symbol, tool), palette)
        return _paper("break") + picture_at(3, 13, broken_tool, scale=2.25)
    if card in REPAIRS:
        tools = [
            shared(f"tool-{tool}", partial(tool_symbol, tool), palette) for tool in REPAIRS[card]
        ]
        return _paper("repair") + _one_or_two(tools)
    if card == MAP:
        return _paper("sign") + _MAP
    return _paper("sign") + picture_at(30, 40, shared("boulder", boulder, palette), scale=1.9)


def small_paper(_palette: Palette) -> str:
    """Draw the background of a card, in the colour of the element that refers to it."""
    return '<rect x="1" y="1" width="58" height="78" rx="8"/>'


def small_planks(_palette: Palette) -> str:
    """Draw what blocks a dead end."""
    return '<path class="planks" d="M15 25L45 55M45 25L15 55"/>'


def _paper(kind: str) -> str:
    return reference("small-paper", f' class="paper paper--{kind}"')


def _ways(shape: Shape) -> str:
    connects = CONNECTS_EDGES[shape]
    lines = _ARMS if connects else _STUBS
    data = "".join(line for side, line in lines.items() if EDGES[shape] & side)
    if connects:
        return f'<path class="way" d="{data}"/>'
    return f'<path class="way way--dead" d="{data}"/>' + reference("small-planks")


def _one_or_two(tools: Sequence[str]) -> str:
    if len(tools) == 1:
        return picture_at(3, 13, tools[0], scale=2.25)
    return picture_at(3, 2, tools[0], scale=1.6) + picture_at(18, 38, tools[1], scale=1.6)
