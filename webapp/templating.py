"""What templates may say and draw, the same on pages and in mails.

Language, zone, present time and palette come from the context of the rendering, never from a global: macros that use
them are imported ``with context``.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from engine.cards import Card, Goal, Role, Tool
from engine.cells import Cell
from engine.view import View
from webapp.i18n import Language
from webapp.picture import cards as pictures
from webapp.picture.mine import Ghost, Place, draw, draw_around
from webapp.picture.palette import PAGE, Palette
from webapp.wording import cards as words
from webapp.wording import times
from webapp.wording.actions import action_name
from webapp.wording.lines import changed_cell, line_cell, sentence
from webapp.wording.people import round_sentence


def prepare(env: Environment) -> None:
    """Give an environment the sentences, the words and the pictures. Call it once for pages and once for mails."""
    env.add_extension("jinja2.ext.i18n")
    env.install_gettext_callables(  # type: ignore[attr-defined]
        _gettext, _ngettext, newstyle=True, pgettext=_pgettext, npgettext=_npgettext
    )
    env.filters.update(_FILTERS)
    env.globals.update(_PICTURES)


@pass_context
def _gettext(context: Context, message: str) -> str:
    return _language(context).catalogue.gettext(message)


@pass_context
def _ngettext(context: Context, one: str, many: str, num: int) -> str:
    return _language(context).catalogue.ngettext(one, many, num)


@pass_context
def _pgettext(context: Context, about: str, message: str) -> str:
    return _language(context).catalogue.pgettext(about, message)


@pass_context
def _npgettext(context: Context, about: str, one: str, many: str, num: int) -> str:
    return _language(context).catalogue.npgettext(about, one, many, num)


def _language(context: Context) -> Language:
    language = context["language"]
    if not isinstance(language, Language):
        raise TypeError(
            "The template has no language: render it with one, import macros with context."
        )
    return language


def _palette(context: Context) -> Palette:
    palette = context.get("palette", PAGE)
    assert isinstance(palette, Palette)
    return palette


@pass_context
def _absolute(context: Context, at: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.absolute(at, now=now, zone=zone, language=_language(context))


@pass_context
def _relative(context: Context, at: datetime) -> str:
    return times.relative(at, now=context["now"], language=_language(context))


@pass_context
def _deadline(context: Context, at: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.deadline(at, now=now, zone=zone, language=_language(context))


@pass_context
def _urgency(context: Context, at: datetime) -> str:
    return times.urgency(at, now=context["now"])


@pass_context
def _duration(context: Context, length: timedelta) -> str:
    return times.duration(length, _language(context))


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _naming(name_of: Callable[[Any, Language], str]) -> Callable[[Context, Any], str]:
    @pass_context
    def name(context: Context, thing: Any) -> str:  # noqa: ANN401 - as the function it wraps
        return name_of(thing, _language(context))

    return name


@pass_context
def _mine_picture(
    context: Context,
    view: View,
    places: Sequence[Place] = (),
    ghost: Ghost | None = None,
    ident: str = "mine",
) -> Markup:
    return draw(
        view,
        _palette(context),
        language=_language(context),
        places=places,
        ghost=ghost,
        ident=ident,
    )


@pass_context
def _glimpse(context: Context, view: View, cell: Cell, ident: str) -> Markup:
    return draw_around(view, cell, _palette(context), language=_language(context), ident=ident)


@pass_context
def _card_picture(
    context: Context, card: Card, *, turned: bool = False, words: bool = True
) -> Markup:
    return pictures.draw_card(
        card, _palette(context), language=_language(context), turned=turned, words=words
    )


@pass_context
def _role_picture(context: Context, role: Role, *, words: bool = True) -> Markup:
    return pictures.draw_role(role, _palette(context), language=_language(context), words=words)


@pass_context
def _goal_picture(context: Context, goal: Goal | None, *, words: bool = True) -> Markup:
    return pictures.draw_goal(goal, _palette(context), language=_language(context), words=words)


@pass_context
def _tool_picture(
    context: Context, tool: Tool, *, broken: bool = False, words: bool = True
) -> Markup:
    return pictures.draw_tool(
        tool, _palette(context), language=_language(context), broken=broken, words=words
    )


@pass_context
def _gold_picture(context: Context, nuggets: int, *, words: bool = True) -> Markup:
    return pictures.draw_gold(nuggets, _palette(context), language=_language(context), words=words)


_FILTERS: Final[dict[str, Callable[..., str | None]]] = {
    "absolute": _absolute,
    "relative": _relative,
    "deadline": _deadline,
    "urgency": _urgency,
    "duration": _duration,
    "iso": _iso,
    "card_name": _naming(words.card_name),
    "shape_name": _naming(words.shape_name),
    "role_name": _naming(words.role_name),
    "tool_name": _naming(words.tool_name),
    "broken_tool_name": _naming(words.broken_tool_name),
    "goal_name": _naming(words.goal_name),
    "nuggets": _naming(words.nuggets),
    "sentence": sentence,
    "line_cell": line_cell,
    "changed_cell": changed_cell,
    "action_name": action_name,
    "round_sentence": round_sentence,
}
_PICTURES: Final[dict[str, Callable[..., Markup]]] = {
    "mine_picture": _mine_picture,
    "glimpse": _glimpse,
    "card_picture": _card_picture,
    "role_picture": _role_picture,
    "goal_picture": _goal_picture,
    "tool_picture": _tool_picture,
    "gold_picture": _gold_picture,
}
