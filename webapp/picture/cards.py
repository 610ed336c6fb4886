"""Pictures of single cards and symbols: the hand, roles, goals, tools beside a name, gold.

Presentation attributes only, as in every picture: the pages' content security policy refuses inline styles.
"""

from functools import cache, partial

from markupsafe import Markup, escape

from engine.cards import PATH_CARDS, TURNED_SHAPES, Card, Goal, Role, Tool
from webapp.i18n import Language
from webapp.picture.card_faces import action_card, gold_card, lit_card, role_card
from webapp.picture.palette import Palette
from webapp.picture.portraits import portrait
from webapp.picture.shared_symbols import shared
from webapp.picture.symbols import (
    boulder,
    broken_tool_symbol,
    eye,
    nugget_heap,
    picture_at,
    tool_symbol,
)
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH, goal_back, goal_back_with_gem, rock
from webapp.wording.cards import (
    broken_tool_name,
    card_name,
    goal_name,
    gold_card_name,
    role_name,
    shape_name,
    tool_name,
)


@cache
def draw_card(
    card: Card,
    palette: Palette,
    *,
    language: Language,
    turned: bool = False,
    with_title: bool = True,
) -> Markup:
    """Draw a card of the hand; a path card as it would lie, ``turned`` or not.

    ``with_title=False`` is for a picture beside its name: screen readers skip it.
    """
    if card in PATH_CARDS:
        shape = TURNED_SHAPES[card] if turned else card
        name = shape_name(shape, language)
        drawing = shared(f"card-{shape}", partial(lit_card, shape), palette)
        return _card_picture(drawing, title=name if with_title else None)
    drawing = shared(f"card-{card}", partial(action_card, card), palette)
    return _card_picture(drawing, title=card_name(card, language) if with_title else None)


@cache
def draw_goal(
    goal: Goal | None, palette: Palette, *, language: Language, with_title: bool = True
) -> Markup:
    """Draw a goal as one seat knows it: face down (None), or with what its map showed."""
    body = face_down_goal_picture(goal, palette)
    name = language.gettext("face down") if goal is None else goal_name(goal, language)
    return _card_picture(body, title=name if with_title else None)


def face_down_goal_picture(goal: Goal | None, palette: Palette) -> str:
    """Draw the back of a goal; for a viewer who knows the goal, with an eye and what is on its face."""
    if goal is None:
        return shared("goal-back", goal_back_with_gem, palette)
    if goal == "treasure":
        return shared("goal-treasure", mapped_treasure, palette)
    return shared("goal-stone", mapped_stone, palette)


def mapped_treasure(palette: Palette) -> str:
    """Draw a goal that a map has shown to be the treasure."""
    return _mapped_goal(nugget_heap(palette), palette)


def mapped_stone(palette: Palette) -> str:
    """Draw a goal that a map has shown to be a stone."""
    return _mapped_goal(boulder(palette), palette)


def _mapped_goal(sign: str, palette: Palette) -> str:
    frame = (
        f'<rect x="9" y="9" width="42" height="62" rx="4" fill="{palette.paper}"'
        f' stroke="{palette.ink}" stroke-width="1.5" stroke-dasharray="4 3"/>'
    )
    return (
        goal_back(palette)
        + frame
        + picture_at(30, 24, eye(palette))
        + picture_at(30, 50, sign, scale=1.15)
    )


def undecided_stone(palette: Palette) -> str:
    """Draw a revealed stone whose orientation is still to be chosen, with two arrows that turn around it."""
    arrows = (
        f'<path d="M17 33a14 14 0 0 1 26-3M43 47a14 14 0 0 1-26 3" fill="none" stroke="{palette.ink}" stroke-width="3"/>'
        f'<path d="M47 24l-3 9-7-6zM13 56l3-9 7 6z" fill="{palette.ink}"/>'
    )
    return shared("rock", rock, palette) + arrows + picture_at(30, 40, boulder(palette), scale=0.8)


@cache
def draw_role(
    role: Role, palette: Palette, *, language: Language, with_title: bool = True
) -> Markup:
    """Draw the card of a role: the face of a gold-digger or of a saboteur."""
    body = shared(f"role-{role}", partial(role_card, role), palette)
    return _card_picture(body, title=role_name(role, language) if with_title else None)


@cache
def draw_portrait(
    role: Role, palette: Palette, *, language: Language, with_title: bool = True
) -> Markup:
    """Draw the face of a role in a round window, 96 by 96, for a list of players."""
    return _card_svg(
        shared(f"portrait-{role}", partial(portrait, role), palette),
        width=96,
        height=96,
        title=role_name(role, language) if with_title else None,
        kind="portrait",
    )


@cache
def draw_tool(
    tool: Tool,
    palette: Palette,
    *,
    language: Language,
    broken: bool = False,
    with_title: bool = True,
) -> Markup:
    """Draw a tool, 24 by 24, for the list of seats."""
    kind, draw = ("broken", broken_tool_symbol) if broken else ("tool", tool_symbol)
    symbol = shared(f"{kind}-{tool}", partial(draw, tool), palette)
    name = broken_tool_name(tool, language) if broken else tool_name(tool, language)
    return _card_svg(symbol, width=24, height=24, title=name if with_title else None, kind="tool")


@cache
def draw_gold(
    nuggets: int, palette: Palette, *, language: Language, with_title: bool = True
) -> Markup:
    """Draw a gold card of one, two or three nuggets."""
    name = gold_card_name(nuggets, language)
    drawing = shared(f"gold-{nuggets}", partial(gold_card, nuggets), palette)
    return _card_picture(drawing, title=name if with_title else None)


def _card_picture(body: str, *, title: str | None) -> Markup:
    return _card_svg(body, width=CARD_WIDTH, height=CARD_HEIGHT, title=title, kind="card")


def _card_svg(body: str, *, width: float, height: float, title: str | None, kind: str) -> Markup:
    """Return a picture with a title for screen readers; without one it is decoration, which they skip."""
    role = 'aria-hidden="true"' if title is None else 'role="img"'
    title_element = "" if title is None else f"<title>{escape(title)}</title>"
    return Markup(  # noqa: S704 - drawn by this package; every foreign text in it is escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture picture--{kind}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" {role}>{title_element}{body}</svg>'
    )
