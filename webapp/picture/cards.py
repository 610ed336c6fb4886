"""Pictures of single cards and symbols: the hand, roles, goals, tools beside a name, gold.

Cards are drawn in a box of 60 by 80, the portraits of roles in one of 96 by 96: a gold-digger under a lamp, a saboteur in the
shadow of a hood. Presentation attributes only, as in every picture: the pages' content security policy refuses inline styles.
"""

from functools import cache, partial
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
    Shape,
    Tool,
)
from webapp.kernel.i18n import Language
from webapp.picture.palette import Palette
from webapp.picture.symbols import (
    bot_face,
    boulder,
    broken_tool_symbol,
    eye,
    nugget,
    nugget_heap,
    picture_at,
    shared,
    tool_symbol,
)
from webapp.picture.tunnels import (
    CARD_HEIGHT,
    CARD_WIDTH,
    goal_back,
    goal_back_with_gem,
    laid_card,
    rock,
)
from webapp.wording.cards import (
    broken_tool_name,
    card_name,
    goal_name,
    gold_card_name,
    role_name,
    shape_name,
    tool_name,
)

_TOOL_SCALE: Final = 2.4
"""A tool is about as wide as seven tenths of its card; it leaves an edge of its box free."""
_TOOL_CORNER: Final = (1.2, 11.2)
_NUGGET_POSITIONS: Final = (
    ((30, 40),),
    ((22, 26), (38, 54)),
    ((30, 22), (19, 55), (41, 55)),
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
    return (
        _window_in_goal(palette)
        + picture_at(30, 24, eye(palette))
        + picture_at(30, 50, sign, scale=1.15)
    )


def open_goal_picture(goal: Goal, palette: Palette) -> str:
    """Draw a goal that no one has turned over, after the end of the game."""
    if goal == "treasure":
        return shared("open-treasure", open_treasure, palette)
    return shared("open-stone", open_stone, palette)


def open_treasure(palette: Palette) -> str:
    """Draw the treasure that was not found."""
    return _window_in_goal(palette) + picture_at(30, 42, nugget_heap(palette), scale=1.3)


def open_stone(palette: Palette) -> str:
    """Draw a stone that was not turned over."""
    return _window_in_goal(palette) + picture_at(30, 40, boulder(palette), scale=1.3)


def _window_in_goal(palette: Palette) -> str:
    """Draw the back of a goal with a dashed window through which its face is seen."""
    return shared("goal-frame", goal_back, palette) + (
        f'<rect x="9" y="9" width="42" height="62" rx="4" fill="{palette.paper}"'
        f' stroke="{palette.ink}" stroke-width="1.5" stroke-dasharray="4 3"/>'
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
def draw_bot(palette: Palette, *, language: Language) -> Markup:
    """Draw the mark beside the name of a bot, 24 by 24."""
    symbol = shared("bot", bot_face, palette)
    return _card_svg(symbol, width=24, height=24, title=language.gettext("bot"), kind="bot")


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


def lit_card(shape: Shape, palette: Palette) -> str:
    """Draw a path card with lit tunnels."""
    return laid_card(shape, palette, is_lit=True)


@cache
def action_card(card: Card, palette: Palette) -> str:
    """Draw the face of an action card."""
    if card in BREAKS:
        tool = picture_at(*_TOOL_CORNER, _tool("broken", BREAKS[card], palette), scale=_TOOL_SCALE)
        return _paper(palette.break_paper, palette.signal_red, palette) + tool
    if card in REPAIRS:
        return _paper(palette.repair_paper, palette.signal_green, palette) + _repair_picture(
            REPAIRS[card], palette
        )
    symbols = _rockfall_picture(palette) if card == ROCKFALL else _map_picture(palette)
    return _paper(palette.paper, palette.wood, palette) + symbols


def role_card(role: Role, palette: Palette) -> str:
    """Draw the card of a role: the face of a gold-digger or of a saboteur."""
    light = _role_light(role, palette)
    return (
        f'<rect x="1" y="1" width="58" height="78" rx="6" fill="{palette.portrait_ground}" stroke="{light}" stroke-width="2"/>'
        + picture_at(-5.5, 4.5, _lit_face(role, palette), scale=0.74)
    )


def _lit_face(role: Role, palette: Palette) -> str:
    return shared(f"face-{role}", partial(lit_face, role), palette)


def lit_face(role: Role, palette: Palette) -> str:
    """Draw the face of a role in the light around it, as it is on its card and in its portrait."""
    return _glow(_role_light(role, palette)) + face(role, palette)


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
    if len(tools) == 1:
        return picture_at(*_TOOL_CORNER, _tool("tool", tools[0], palette), scale=_TOOL_SCALE)
    first_tool, second_tool = tools
    slash_mark = f'<path d="M54 18L7 62" stroke="{palette.signal_green}" stroke-opacity=".5" stroke-width="1.5"/>'
    return (
        slash_mark
        + picture_at(2, 6, _tool("tool", first_tool, palette), scale=1.6)
        + picture_at(20, 35.6, _tool("tool", second_tool, palette), scale=1.6)
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


@cache
def portrait(role: Role, palette: Palette) -> str:
    """Draw the face of a role in a round window."""
    light = _role_light(role, palette)
    return (
        f'<circle cx="48" cy="48" r="46" fill="{palette.portrait_ground}"/>'
        f"{_lit_face(role, palette)}"
        f'<circle cx="48" cy="48" r="46" fill="none" stroke="{light}" stroke-width="3"/>'
    )


@cache
def face(role: Role, palette: Palette) -> str:
    """Draw the face of a role without anything behind it."""
    if role == "digger":
        return _digger_head(palette) + _helmet(palette)
    return _hood(palette) + _saboteur_face(palette) + _lit_fuse(palette)


def _role_light(role: Role, palette: Palette) -> str:
    """Return the colour of the light in which a role is seen."""
    return palette.gold if role == "digger" else palette.signal_red


def _glow(light: str) -> str:
    """Draw the light behind a face."""
    return f'<g fill="{light}"><circle cx="48" cy="42" r="40" opacity=".16"/><circle cx="48" cy="38" r="30" opacity=".2"/></g>'


def _digger_head(palette: Palette) -> str:
    beard = f'fill="{palette.beard}" stroke="{palette.portrait_line}" stroke-width="2" stroke-linejoin="round"'
    return (
        f'<path d="M19 44c-2 9-2 16 1 22l4-1c0 7 3 12 8 16l4-2c3 6 7 9 12 11c5-2 9-5 12-11l4 2c5-4 8-9 8-16l4 1c3-6 3-13 1-22z" {beard}/>'
        f'<g fill="{palette.skin}" stroke="{palette.portrait_line}" stroke-width="2"><circle cx="22" cy="50" r="6"/><circle cx="74" cy="50" r="6"/>'
        '<path d="M25 40h46v15q-9 8-23 8t-23-8z"/></g>'
        f'<path d="M29 56q7-5 13 0M67 56q-7-5-13 0" fill="none" stroke="{palette.skin_shade}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="M38 69q10 9 20 0q-3 9-10 9t-10-9z" fill="{palette.portrait_line}"/><path d="M41 71q7 4 14 0l-1 2q-6 2-12 0z" fill="{palette.gold_glint}"/>'
        f'<path d="M48 60c-5-4-17-3-23 6c7 6 18 6 23 1c5 5 16 5 23-1c-6-9-18-10-23-6z" {beard}/>'
        f'<ellipse cx="48" cy="56" rx="8" ry="6.5" fill="{palette.skin_shade}" stroke="{palette.portrait_line}" stroke-width="2"/>'
        f'<path d="M44 53.5q2-2 4.5-1.5" fill="none" stroke="{palette.skin}" stroke-width="2" stroke-linecap="round"/>'
        f'<g fill="{palette.portrait_line}"><circle cx="36" cy="49.5" r="3.4"/><circle cx="60" cy="49.5" r="3.4"/></g>'
        f'<g fill="{palette.gold_glint}"><circle cx="37.3" cy="48.2" r="1.3"/><circle cx="61.3" cy="48.2" r="1.3"/></g>'
        f'<path d="M36 78l3 6M48 81v6M60 78l-3 6M26 69l4 6M70 69l-4 6" fill="none" stroke="{palette.portrait_line}" stroke-width="1.6" stroke-linecap="round" opacity=".55"/>'
    )


def _helmet(palette: Palette) -> str:
    metal = f'fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width="2.5" stroke-linejoin="round"'
    return (
        f'<path d="M20 38C20 20 32 10 48 10s28 10 28 28z" {metal}/>'
        f'<path d="M27 34C28 25 33 19 39 16" fill="none" stroke="{palette.gold_glint}" stroke-width="3.5" stroke-linecap="round"/>'
        f'<path d="M13 38q35-8 70 0q0 7-7 7q-28-6-56 0q-7 0-7-7z" {metal}/>'
        f'<circle cx="48" cy="25" r="10" fill="{palette.iron}" stroke="{palette.portrait_line}" stroke-width="2.5"/>'
        f'<circle cx="48" cy="25" r="6.5" fill="{palette.gold_glint}"/>'
    )


def _hood(palette: Palette) -> str:
    return (
        f'<path d="M46 5C27 11 15 33 12 58q-1 13 5 22q13 12 31 12t31-12q6-9 5-22C81 33 68 12 46 5z" fill="{palette.hood}" stroke="{palette.portrait_line}" stroke-width="2.5" stroke-linejoin="round"/>'
        f'<path d="M46 6q12 8 8 18M22 38q-5 12-5 28M75 40q4 12 4 26" fill="none" stroke="{palette.hood_shade}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="M48 23c-17 0-26 14-26 31c0 18 11 29 26 29s26-11 26-29c0-17-9-31-26-31z" fill="{palette.portrait_line}"/>'
    )


def _saboteur_face(palette: Palette) -> str:
    return (
        f'<path d="M27 57q21 9 42 0q0 24-21 30q-21-6-21-30z" fill="{palette.dark_beard}"/>'
        f'<path d="M30 52q8 4 18 4t18-4q2 10-3 16q-7 5-15 5t-15-5q-5-6-3-16z" fill="{palette.skin_shade}" opacity=".8"/>'
        f'<path d="M26 43l19 7q-1 6-8 6q-8-1-11-13zM70 43l-19 7q1 6 8 6q8-1 11-13z" fill="{palette.gold}"/>'
        f'<path d="M39 48.5l2 6M57 48.5l-2 6" stroke="{palette.portrait_line}" stroke-width="3" stroke-linecap="round"/>'
        f'<path d="M23 38l22 9M73 38l-22 9" stroke="{palette.dark_beard}" stroke-width="5" stroke-linecap="round"/>'
        f'<path d="M45 54q-3 6 0 8q3 2 6 0q3-2 0-8z" fill="{palette.skin}"/>'
        f'<path d="M32 66q13 6 32-2q-2 11-15 12q-13 0-17-10z" fill="{palette.portrait_line}"/>'
        f'<path d="M34 67.5q13 4 28-2l-1.5 3.5q-13 5-24.5 2z" fill="{palette.gold_glint}"/>'
        f'<path d="M42 69l.5 4M48 69v4.5M54 68l-.5 4" stroke="{palette.portrait_line}" stroke-width="1.2"/>'
    )


def _lit_fuse(palette: Palette) -> str:
    """Draw a stick of powder whose fuse burns."""
    return (
        f'<path d="M60 86l7-17l10 4l-7 17z" fill="{palette.signal_red}" stroke="{palette.portrait_line}" stroke-width="2.5" stroke-linejoin="round"/>'
        f'<path d="M73 70q1-8 6-9" fill="none" stroke="{palette.skin}" stroke-width="2.5" stroke-linecap="round"/>'
        f'<path d="M81 50l2 6 6-1-4 5 4 5-6-1-3 6-1-6-6 0 4-4-3-5 6 1z" fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width="1" stroke-linejoin="round"/>'
    )
