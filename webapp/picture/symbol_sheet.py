"""The drawings to which the pictures of a page refer, defined once at the end of the page."""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Final

from markupsafe import Markup

from engine.cards import ACTION_CARDS, EDGES, PATH_CARDS, TOOLS, TURNED_SHAPES, Role
from webapp.picture import cards, places, small_cards, symbols, tunnels
from webapp.picture.palette import PAGE_PALETTE, Palette
from webapp.picture.symbols import SYMBOL_ID_PREFIX

_ROLES: Final[tuple[Role, ...]] = ("digger", "saboteur")
_DRAWINGS: Final[dict[str, Callable[[Palette], str]]] = {
    "rock": tunnels.rock,
    "cracks": tunnels.cracks,
    "rubble": tunnels.rubble,
    **{f"way-{shape}": partial(tunnels.way, shape) for shape in EDGES},
    "ladder": symbols.ladder,
    "eye": symbols.eye,
    "bot": symbols.bot_face,
    "boulder": symbols.boulder,
    "nugget": symbols.nugget,
    "goal-frame": tunnels.goal_back,
    "goal-back": tunnels.goal_back_with_gem,
    "goal-treasure": cards.mapped_treasure,
    "goal-stone": cards.mapped_stone,
    "open-treasure": cards.open_treasure,
    "open-stone": cards.open_stone,
    "place": places.empty_place_mark,
    "place-card": places.card_place_mark,
    "place-chosen": places.chosen_place_mark,
    **{
        f"card-{shape}": partial(cards.lit_card, shape)
        for card in PATH_CARDS
        for shape in (card, TURNED_SHAPES[card])
    },
    **{
        f"small-{card}": partial(small_cards.small_card, card)
        for card in (*PATH_CARDS, *TURNED_SHAPES.values(), *ACTION_CARDS)
    },
    "small-paper": small_cards.small_paper,
    "small-planks": small_cards.small_planks,
    **{f"card-{card}": partial(cards.action_card, card) for card in ACTION_CARDS},
    **{f"role-{role}": partial(cards.role_card, role) for role in _ROLES},
    **{f"face-{role}": partial(cards.lit_face, role) for role in _ROLES},
    **{f"portrait-{role}": partial(cards.portrait, role) for role in _ROLES},
    **{f"gold-{nuggets}": partial(cards.gold_card, nuggets) for nuggets in (1, 2, 3)},
    **{f"tool-{tool}": partial(symbols.tool_symbol, tool) for tool in TOOLS},
    **{f"broken-{tool}": partial(symbols.broken_tool_symbol, tool) for tool in TOOLS},
}
_REFERENCE_PATTERN: Final = re.compile(f'<use href="#{SYMBOL_ID_PREFIX}([0-9a-z-]+)"')


_NAMESPACE: Final = ' xmlns="http://www.w3.org/2000/svg"'
"""Files need it, pages do not."""
_FONT: Final = f' font-family="{PAGE_PALETTE.font}"'
"""The font of pictures, which is that of pages."""
_SIZE_PATTERN: Final = re.compile(
    r'(class="picture [^"]+" viewBox="[^"]+") width="\d+" height="\d+"'
)
"""The size of a picture, which pages have in their style sheet."""


def with_symbols(content: str) -> Markup:
    """Return a part of a page with the drawings to which it refers, and no others.

    So the sheet depends on what the page shows, and on nothing else. What the style sheet says too is left out. Texts of players cannot refer to a drawing, because they are escaped.
    """
    content = str(content).replace(_NAMESPACE, "").replace(_FONT, "")
    content = _SIZE_PATTERN.sub(r"\1", content)
    references = set(_references(content))
    names = sorted(references.union(*map(_names_drawn_with, references)))
    if not names:
        return Markup(content)  # noqa: S704 - it is the content of a template block, which is rendered already
    definitions = "".join(map(_definition, names))
    return Markup(  # noqa: S704 - as above; the definitions are drawn by this package
        f'{content}<svg class="symbols" id="symbols" width="0" height="0" aria-hidden="true"><defs>{definitions}</defs></svg>'
    )


@cache
def _names_drawn_with(name: str) -> frozenset[str]:
    """Return the drawings to which a drawing refers, and those to which they refer in turn."""
    names = frozenset(_references(_DRAWINGS[name](PAGE_PALETTE)))
    return names.union(*map(_names_drawn_with, names))


def _references(markup: str) -> Iterator[str]:
    return (name for name in _REFERENCE_PATTERN.findall(markup) if name in _DRAWINGS)


@cache
def _definition(name: str) -> str:
    return f'<g id="{SYMBOL_ID_PREFIX}{name}">{_DRAWINGS[name](PAGE_PALETTE)}</g>'
