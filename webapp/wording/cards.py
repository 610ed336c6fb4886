"""Names of cards, roles, tools and goals. They are nominatives: sentences put them after a colon or in brackets."""

from typing import Final

from engine.cards import Card, Goal, Role, Shape, Tool
from webapp.kernel.i18n import N_, Language

_SHAPE_NAMES: Final[dict[Shape, str]] = {
    "start": N_("the start"),
    "path-trbl": N_("crossing"),
    "path-trb": N_("T-junction (up, right, down)"),
    "path-tbl": N_("T-junction (up, down, left)"),
    "path-rbl": N_("T-junction (right, down, left)"),
    "path-trl": N_("T-junction (up, right, left)"),
    "path-tb": N_("straight tunnel (up, down)"),
    "path-rl": N_("straight tunnel (left, right)"),
    "path-tr": N_("bend (up, right)"),
    "path-bl": N_("bend (down, left)"),
    "path-rb": N_("bend (right, down)"),
    "path-tl": N_("bend (up, left)"),
    "dead-t": N_("dead end (up)"),
    "dead-r": N_("dead end (right)"),
    "dead-b": N_("dead end (down)"),
    "dead-l": N_("dead end (left)"),
    "dead-tb": N_("dead end (up, down)"),
    "dead-rl": N_("dead end (left, right)"),
    "dead-tr": N_("dead end (up, right)"),
    "dead-bl": N_("dead end (down, left)"),
    "dead-rb": N_("dead end (right, down)"),
    "dead-tl": N_("dead end (up, left)"),
    "dead-trb": N_("dead end (up, right, down)"),
    "dead-tbl": N_("dead end (up, down, left)"),
    "dead-rbl": N_("dead end (right, down, left)"),
    "dead-trl": N_("dead end (up, right, left)"),
    "dead-trbl": N_("dead end (all four sides)"),
    "goal-trbl": N_("the treasure (all four sides)"),
    "goal-tl": N_("stone (up, left)"),
    "goal-rb": N_("stone (right, down)"),
    "goal-tr": N_("stone (up, right)"),
    "goal-bl": N_("stone (down, left)"),
}
_ACTION_CARD_NAMES: Final[dict[Card, str]] = {
    "break-pickaxe": N_("broken pickaxe"),
    "break-lantern": N_("broken lantern"),
    "break-cart": N_("broken cart"),
    "repair-pickaxe": N_("pickaxe repair"),
    "repair-lantern": N_("lantern repair"),
    "repair-cart": N_("cart repair"),
    "repair-pickaxe-lantern": N_("pickaxe or lantern repair"),
    "repair-pickaxe-cart": N_("pickaxe or cart repair"),
    "repair-lantern-cart": N_("lantern or cart repair"),
    "rockfall": N_("rockfall"),
    "map": N_("map"),
}
_SIDE_NAMES: Final = {"t": N_("up"), "r": N_("right"), "b": N_("down"), "l": N_("left")}
_ROLE_NAMES: Final[dict[Role, str]] = {"digger": N_("gold-digger"), "saboteur": N_("saboteur")}
_TOOL_NAMES: Final[dict[Tool, str]] = {
    "pickaxe": N_("pickaxe"),
    "lantern": N_("lantern"),
    "cart": N_("cart"),
}
_BROKEN_TOOL_NAMES: Final[dict[Tool, str]] = {
    "pickaxe": N_("pickaxe broken"),
    "lantern": N_("lantern broken"),
    "cart": N_("cart broken"),
}
_GOAL_NAMES: Final[dict[Goal, str]] = {
    "treasure": N_("the treasure"),
    "stone-tl": N_("stone"),
    "stone-tr": N_("stone"),
}


def card_name(card: Card, language: Language) -> str:
    """Return the name of a card of the draw deck; a path card is named by its shape and open sides."""
    return language.gettext(_ACTION_CARD_NAMES.get(card) or _SHAPE_NAMES[card])


def shape_name(shape: Shape, language: Language) -> str:
    """Return the name of a card as it lies in the mine, by its shape and open sides."""
    return language.gettext(_SHAPE_NAMES[shape])


def open_sides(shape: Shape, language: Language) -> str:
    """Return the sides on which a card is open, as the names of cards say them."""
    sides = shape.partition("-")[2]
    if sides == "trbl":
        return language.gettext("all four sides")
    names = [language.gettext(_SIDE_NAMES[side]) for side in ("lr" if sides == "rl" else sides)]
    return ", ".join(names)


def role_name(role: Role, language: Language) -> str:
    return language.gettext(_ROLE_NAMES[role])


def tool_name(tool: Tool, language: Language) -> str:
    return language.gettext(_TOOL_NAMES[tool])


def broken_tool_name(tool: Tool, language: Language) -> str:
    """Return the sign beside a player whose tool is broken."""
    return language.gettext(_BROKEN_TOOL_NAMES[tool])


def goal_name(goal: Goal, language: Language) -> str:
    """Return "the treasure" or "stone": the two stones share a name."""
    return language.gettext(_GOAL_NAMES[goal])


def nuggets(count: int, language: Language) -> str:
    return language.ngettext("%(num)s nugget", "%(num)s nuggets", count)


def gold_card_name(count: int, language: Language) -> str:
    return language.ngettext("gold card: %(num)s nugget", "gold card: %(num)s nuggets", count)
