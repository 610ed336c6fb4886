"""Pictures of single cards and symbols: the hand, roles, goals, tools beside a name, gold.

Presentation attributes only, as in every picture: the pages' content security policy refuses inline styles.
"""

from functools import cache
from typing import Final

from markupsafe import Markup, escape

from engine.cards import (
    BREAKS,
    PATH_CARDS,
    REPAIRS,
    ROCKFALL,
    TURNED_SHAPES,
    Card,
    Goal,
    Role,
    Tool,
)
from webapp.i18n import Language
from webapp.picture.palette import Palette
from webapp.picture.symbols import (
    boulder,
    broken_tool_symbol,
    cross_badge,
    eye,
    nugget,
    nugget_heap,
    picture_at,
    question_mark,
    tick_badge,
    tool_symbol,
)
from webapp.picture.tunnels import CARD_HEIGHT, CARD_WIDTH, goal_back, laid_card, rock
from webapp.wording.cards import (
    broken_tool_name,
    card_name,
    goal_name,
    gold_card_name,
    role_name,
    shape_name,
    tool_name,
)

_NUGGET_POSITIONS: Final = (
    ((30, 40),),
    ((30, 28), (30, 54)),
    ((30, 24), (22, 54), (40, 54)),
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
        return _card_picture(
            laid_card(shape, palette, is_lit=True), title=name if with_title else None
        )
    body = _paper_background(palette) + _action_card_picture(card, palette)
    return _card_picture(body, title=card_name(card, language) if with_title else None)


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
        return goal_back(palette) + picture_at(30, 40, question_mark(palette.goal_card_back_mark))
    sign = nugget_heap(palette) if goal == "treasure" else boulder(palette)
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
    return rock(palette) + arrows + picture_at(30, 40, boulder(palette), scale=0.8)


@cache
def draw_role(
    role: Role, palette: Palette, *, language: Language, with_title: bool = True
) -> Markup:
    """Draw the picture of a role: the helmet of a gold-digger or the mask of a saboteur."""
    body = _paper_background(palette) + (
        _helmet_picture(palette) if role == "digger" else _mask_picture(palette)
    )
    return _card_picture(body, title=role_name(role, language) if with_title else None)


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
    symbol = broken_tool_symbol(tool, palette) if broken else tool_symbol(tool, palette)
    name = broken_tool_name(tool, language) if broken else tool_name(tool, language)
    return _card_svg(symbol, width=24, height=24, title=name if with_title else None, kind="tool")


@cache
def draw_gold(
    nuggets: int, palette: Palette, *, language: Language, with_title: bool = True
) -> Markup:
    """Draw a gold card of one, two or three nuggets."""
    nugget_pictures = "".join(
        picture_at(x, y, nugget(palette), scale=1.4) for x, y in _NUGGET_POSITIONS[nuggets - 1]
    )
    name = gold_card_name(nuggets, language)
    return _card_picture(
        _paper_background(palette) + nugget_pictures, title=name if with_title else None
    )


def _card_picture(body: str, *, title: str | None) -> Markup:
    return _card_svg(body, width=CARD_WIDTH, height=CARD_HEIGHT, title=title, kind="card")


def _paper_background(palette: Palette) -> str:
    return (
        f'<rect x="1" y="1" width="58" height="78" rx="6" fill="{palette.paper}"'
        f' stroke="{palette.rock_edge}" stroke-width="1.5"/>'
    )


def _action_card_picture(card: Card, palette: Palette) -> str:
    if card in BREAKS:
        tool = picture_at(9, 13, broken_tool_symbol(BREAKS[card], palette), scale=1.75)
        return tool + picture_at(30, 67, cross_badge(palette), scale=0.95)
    if card in REPAIRS:
        return _repair_picture(REPAIRS[card], palette)
    return _rockfall_picture(palette) if card == ROCKFALL else _map_picture(palette)


def _repair_picture(tools: tuple[Tool, ...], palette: Palette) -> str:
    tick_mark = picture_at(30, 67, tick_badge(palette), scale=0.95)
    if len(tools) == 1:
        return picture_at(9, 13, tool_symbol(tools[0], palette), scale=1.75) + tick_mark
    first_tool, second_tool = tools
    slash_mark = f'<path d="M47 12L13 56" stroke="{palette.rock_edge}" stroke-width="1.5"/>'
    return (
        slash_mark
        + picture_at(4, 6, tool_symbol(first_tool, palette), scale=1.2)
        + picture_at(27, 31, tool_symbol(second_tool, palette), scale=1.2)
        + tick_mark
    )


def _rockfall_picture(palette: Palette) -> str:
    rocks = (
        picture_at(30, 30, boulder(palette), scale=1.2)
        + picture_at(17, 55, boulder(palette), scale=0.75)
        + picture_at(41, 57, boulder(palette), scale=0.9)
    )
    lines = (
        f'<path d="M14 8v14M30 5v7M46 8v14M9 30v9M51 30v9" stroke="{palette.ink}"'
        ' stroke-width="2" stroke-linecap="round"/>'
        f'<path d="M7 70h46" stroke="{palette.ink}" stroke-width="2.5" stroke-linecap="round"/>'
    )
    return lines + rocks


def _map_picture(palette: Palette) -> str:
    return (
        f'<path d="M9 16l14-4 14 4 14-4v50l-14 4-14-4-14 4z" fill="{palette.gold_glint}"'
        f' stroke="{palette.wood_edge}" stroke-width="1.8" stroke-linejoin="round"/>'
        f'<path d="M23 12v50M37 16v50" stroke="{palette.wood}" stroke-width="1.2"/>'
        f'<path d="M14 55q2-12 11-13t10-12" fill="none" stroke="{palette.wood_edge}"'
        ' stroke-width="2.4" stroke-dasharray="3 3.4"/>'
        f'<path d="M38 22l7 7M45 22l-7 7" stroke="{palette.signal_red}" stroke-width="3" stroke-linecap="round"/>'
    ) + picture_at(30, 69, eye(palette), scale=0.75)


def _helmet_picture(palette: Palette) -> str:
    return (
        f'<path d="M12 48a18 20 0 0 1 36 0z" fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width="2"/>'
        f'<path d="M30 28v20" stroke="{palette.gold_edge}" stroke-width="2"/>'
        f'<path d="M7 48h46q0 7-8 7h-30q-8 0-8-7z" fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width="2" stroke-linejoin="round"/>'
        f'<circle cx="30" cy="38" r="7" fill="{palette.gold_glint}" stroke="{palette.ink}" stroke-width="2"/>'
        f'<path d="M18 22l-5-6M30 19v-8M42 22l5-6" stroke="{palette.gold_edge}" stroke-width="2.5" stroke-linecap="round"/>'
        f'<path d="M20 63h20" stroke="{palette.wood}" stroke-width="3" stroke-linecap="round"/>'
    )


def _mask_picture(palette: Palette) -> str:
    return (
        f'<path d="M13 62V40a17 19 0 0 1 34 0v22q-8 6-17 6t-17-6z" fill="{palette.goal_card_back}" stroke="{palette.ink}" stroke-width="2"/>'
        f'<path d="M17 38q13-7 26 0v9q-13 6-26 0z" fill="{palette.gold_glint}" stroke="{palette.ink}" stroke-width="1.6"/>'
        f'<circle cx="24" cy="42.5" r="2.8" fill="{palette.signal_red}"/><circle cx="36" cy="42.5" r="2.8" fill="{palette.signal_red}"/>'
        f'<path d="M19 38l8 2.5M41 38l-8 2.5" stroke="{palette.goal_card_back}" stroke-width="2.5"/>'
        f'<path d="M40 22q6-4 4-10" fill="none" stroke="{palette.ink}" stroke-width="1.8"/>'
        f'<path d="M44 12l-5-4m5 4l1-7m-1 7l7-3m-7 3l5 4" stroke="{palette.signal_red}" stroke-width="1.8" stroke-linecap="round"/>'
    )


def _card_svg(body: str, *, width: float, height: float, title: str | None, kind: str) -> Markup:
    """Return a picture with a title for screen readers; without one it is decoration, which they skip."""
    role = 'aria-hidden="true"' if title is None else 'role="img"'
    title_element = "" if title is None else f"<title>{escape(title)}</title>"
    return Markup(  # noqa: S704 - drawn by this package; every foreign text in it is escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture picture--{kind}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" focusable="false" {role}>{title_element}{body}</svg>'
    )
