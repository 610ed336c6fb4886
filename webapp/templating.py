"""What templates may say and draw, the same on pages and in mails.

Language, zone, present time and palette come from the context of the rendering, never from a global: macros that use
them are imported ``with context``.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from types import FunctionType
from typing import Any, Final

from jinja2 import Environment, pass_context
from jinja2.runtime import Context, Macro
from markupsafe import Markup

from engine.cards import Card, Goal, Role, Tool
from engine.cells import Cell
from engine.view import View
from webapp.game_status import GameStatus
from webapp.i18n import Language
from webapp.picture import cards as pictures
from webapp.picture.mine import Place, Preview, draw, draw_around
from webapp.picture.palette import PAGE, Palette
from webapp.wording import cards as words
from webapp.wording import times
from webapp.wording.actions import action_name
from webapp.wording.history import changed_cell, narrate
from webapp.wording.people import round_sentence


def prepare(env: Environment) -> None:
    """Give an environment the sentences, the words and the pictures. Call it once for pages and once for mails."""
    env.context_class = Rendering
    env.globals.update(_SENTENCES)
    env.filters.update(_FILTERS)
    env.globals.update(_PICTURES)
    env.globals["GameStatus"] = GameStatus


class Rendering(Context):
    """What a template knows while it is rendered.

    Jinja copies all of it for each call inside a loop, so that the callee may see the variables of the loop. Nothing that
    our templates call looks at those, and the copies were a good part of a page.
    """

    def call(self, called: Any, /, *args: Any, **values: Any) -> Any:  # noqa: ANN401 - as in Jinja
        """Call what a template names: a macro, a function of ours, or whatever else it was given."""
        if type(called) is Macro:
            return called(self.eval_ctx, *args, **_given(values))
        if type(called) not in _FUNCTIONS:
            return super().call(called, *args, **values)
        wanted = getattr(called, "jinja_pass_arg", None)
        if wanted is None:
            return called(*args, **_given(values))
        if wanted is _WANTS_CONTEXT:
            return called(self, *args, **_given(values))
        return super().call(called, *args, **values)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """What the template itself has given; the rest is what Jinja says of the place of the call."""
    values.pop("_loop_vars", None)
    values.pop("_block_vars", None)
    return values


@pass_context
def _gettext(context: Context, message: str, /, **values: object) -> str:
    """The sentence, with the values escaped where the template escapes. A literal per cent sign is written ``%%``."""
    language, escapes = _language(context), context.eval_ctx.autoescape
    if not values:
        return _whole(message, language, escapes=escapes)
    return _format(language.catalogue.gettext(message), escapes=escapes) % values


@pass_context
def _ngettext(context: Context, one: str, many: str, num: int, /, **values: object) -> str:
    language, escapes = _language(context), context.eval_ctx.autoescape
    if not values:
        return _counted(one, many, num, language, escapes=escapes)
    told = _format(language.catalogue.ngettext(one, many, num), escapes=escapes)
    return told % {"num": num, **values}


@pass_context
def _pgettext(context: Context, about: str, message: str, /, **values: object) -> str:
    told = _language(context).catalogue.pgettext(about, message)
    return _format(told, escapes=context.eval_ctx.autoescape) % values


@pass_context
def _npgettext(
    context: Context, about: str, one: str, many: str, num: int, /, **values: object
) -> str:
    told = _language(context).catalogue.npgettext(about, one, many, num)
    return _format(told, escapes=context.eval_ctx.autoescape) % {"num": num, **values}


@lru_cache(maxsize=2048)
def _whole(message: str, language: Language, *, escapes: bool) -> str:
    """A sentence without placeholders: there are only so many, and they stand on page after page."""
    return _format(language.catalogue.gettext(message), escapes=escapes) % {}


@lru_cache(maxsize=2048)
def _counted(one: str, many: str, num: int, language: Language, *, escapes: bool) -> str:
    told = _format(language.catalogue.ngettext(one, many, num), escapes=escapes)
    return told % {"num": num}


def _format(told: str, *, escapes: bool) -> str:
    return Markup(told) if escapes else told  # noqa: S704 - the catalogue's own words


_FUNCTIONS: Final = frozenset({FunctionType, type(_whole)})
_WANTS_CONTEXT: Final = vars(_gettext)["jinja_pass_arg"]


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
def _deadline(context: Context, at: datetime, is_mine: bool = True) -> str:  # noqa: FBT001, FBT002 - a filter
    zone, now = context["zone"], context["now"]
    return times.deadline(at, now=now, zone=zone, language=_language(context), is_mine=is_mine)


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
    preview: Preview | None = None,
    ident: str = "mine",
) -> Markup:
    return draw(
        view,
        _palette(context),
        language=_language(context),
        places=places,
        preview=preview,
        ident=ident,
    )


@pass_context
def _surroundings_picture(context: Context, view: View, cell: Cell, ident: str) -> Markup:
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


_FILTERS: Final[dict[str, Callable[..., str | tuple[str, ...] | None]]] = {
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
    "narrate": narrate,
    "changed_cell": changed_cell,
    "action_name": action_name,
    "round_sentence": round_sentence,
}
_SENTENCES: Final[dict[str, Callable[..., str]]] = {
    "_": _gettext,
    "gettext": _gettext,
    "ngettext": _ngettext,
    "pgettext": _pgettext,
    "npgettext": _npgettext,
}
_PICTURES: Final[dict[str, Callable[..., Markup]]] = {
    "mine_picture": _mine_picture,
    "surroundings_picture": _surroundings_picture,
    "card_picture": _card_picture,
    "role_picture": _role_picture,
    "goal_picture": _goal_picture,
    "tool_picture": _tool_picture,
    "gold_picture": _gold_picture,
}
