"""The translated sentences, filters and pictures that the templates of pages can use.

Language, time zone and the present time come from the template's context, never from a global: import macros that use
them ``with context``.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any, Final

from jinja2 import Environment, pass_context
from jinja2.ext import Extension
from jinja2.runtime import Context
from markupsafe import Markup

from engine.cards import Card, Goal, Role, Tool
from engine.mine import Mine
from engine.view import View
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import Language, isolated_values
from webapp.picture import cards as pictures
from webapp.picture.charts import (
    ChartData,
    ChartKind,
    draw_chart,
    draw_gold_bar,
    draw_player_bar,
    draw_sparkline,
    draw_swatch,
)
from webapp.picture.lessons import draw_goal_row, draw_laying
from webapp.picture.mine import (
    draw_finished_mine,
    draw_mine,
    draw_row_labels,
    draw_welcome_mine,
)
from webapp.picture.palette import PAGE_PALETTE
from webapp.picture.pips import draw_pips
from webapp.picture.places import Place, Preview, opening_column
from webapp.picture.small_cards import draw_small_card, draw_small_hand
from webapp.picture.symbol_sheet import with_symbols
from webapp.picture.thumbnail import draw_thumbnail
from webapp.wording import cards as card_names
from webapp.wording import paces, results, times
from webapp.wording.actions import action_name
from webapp.wording.figures import Unit, figure_text
from webapp.wording.history import PlayedCard, narrate, played_card
from webapp.wording.perspective import NamedSeat, bot_facts, player_initials, player_name
from webapp.wording.tables import table_title

_INDENTATION_PATTERN: Final = re.compile(r"\n[ \t]+")


class WithoutIndentation(Extension):
    """Leaves out the indentation of templates, with which pages would be a tenth larger."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja's interface
        return _INDENTATION_PATTERN.sub("\n", source)


def prepare_environment(env: Environment) -> None:
    """Add the sentences, filters and pictures to a Jinja environment."""
    env.globals.update(SENTENCE_FUNCTIONS)
    env.filters.update(_FILTERS)
    env.globals.update(_PICTURE_FUNCTIONS)
    env.globals["opening_column"] = opening_column
    env.globals["GameStatus"] = GameStatus
    env.globals["gold_text"] = _gold_text
    env.globals["hidden_gold_note"] = _hidden_gold_note


@pass_context
def _absolute_time(context: Context, at: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.absolute_time(at, now=now, zone=zone, language=_context_language(context))


@pass_context
def _relative_time(context: Context, at: datetime) -> str:
    return times.relative_time(at, now=context["now"], language=_context_language(context))


@pass_context
def _deadline(context: Context, at: datetime, is_own: bool = True) -> str:  # noqa: FBT001, FBT002 - a filter
    zone, now = context["zone"], context["now"]
    return times.deadline(
        at, now=now, zone=zone, language=_context_language(context), is_own=is_own
    )


@pass_context
def _short_deadline(context: Context, at: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.short_deadline(at, now=now, zone=zone, language=_context_language(context))


@pass_context
def _away_until(context: Context, until: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.away_until_day(until, now=now, zone=zone, language=_context_language(context))


@pass_context
def _urgency(context: Context, at: datetime) -> str:
    return times.urgency(at, now=context["now"])


@pass_context
def _duration(context: Context, length: timedelta) -> str:
    return times.duration(length, _context_language(context))


@pass_context
def _days_and_hours(context: Context, length: timedelta) -> str:
    return times.days_and_hours(length, _context_language(context))


def _iso_time(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _name_filter(name_of: Callable[[Any, Language], str]) -> Callable[[Context, Any], str]:
    @pass_context
    def name(context: Context, named_object: Any) -> str:  # noqa: ANN401 - the type is that of the wrapped function
        return name_of(named_object, _context_language(context))

    return name


@pass_context
def _mine_picture(
    context: Context,
    view: View,
    places: Sequence[Place] = (),
    preview: Preview | None = None,
    id_prefix: str = "mine",
) -> Markup:
    return draw_mine(
        view,
        PAGE_PALETTE,
        language=_context_language(context),
        places=places,
        preview=preview,
        id_prefix=id_prefix,
    )


@pass_context
def _finished_mine_picture(
    context: Context, view: View, path: Sequence[str], id_prefix: str
) -> Markup:
    language = _context_language(context)
    return draw_finished_mine(view, PAGE_PALETTE, path=path, language=language, id_prefix=id_prefix)


@pass_context
def _card_picture(
    context: Context, card: Card, *, turned: bool = False, with_title: bool = True
) -> Markup:
    return pictures.draw_card(
        card,
        PAGE_PALETTE,
        language=_context_language(context),
        turned=turned,
        with_title=with_title,
    )


@pass_context
def _role_picture(context: Context, role: Role, *, with_title: bool = True) -> Markup:
    return pictures.draw_role(
        role, PAGE_PALETTE, language=_context_language(context), with_title=with_title
    )


@pass_context
def _role_portrait(context: Context, role: Role, *, with_title: bool = True) -> Markup:
    return pictures.draw_portrait(
        role, PAGE_PALETTE, language=_context_language(context), with_title=with_title
    )


@pass_context
def _goal_picture(context: Context, goal: Goal | None, *, with_title: bool = True) -> Markup:
    return pictures.draw_goal(
        goal, PAGE_PALETTE, language=_context_language(context), with_title=with_title
    )


@pass_context
def _tool_picture(
    context: Context, tool: Tool, *, broken: bool = False, with_title: bool = True
) -> Markup:
    return pictures.draw_tool(
        tool,
        PAGE_PALETTE,
        language=_context_language(context),
        broken=broken,
        with_title=with_title,
    )


@pass_context
def _bot_picture(context: Context) -> Markup:
    return pictures.draw_bot(PAGE_PALETTE, language=_context_language(context))


@pass_context
def _gold_picture(context: Context, nuggets: int, *, with_title: bool = True) -> Markup:
    return pictures.draw_gold(
        nuggets, PAGE_PALETTE, language=_context_language(context), with_title=with_title
    )


@pass_context
def _chart_picture(context: Context, data: ChartData, kind: ChartKind) -> Markup:
    return draw_chart(data, kind, _context_language(context))


@pass_context
def _gold_text(context: Context, over: results.PaidRound, seat: int) -> str:
    return results.gold_text(over, seat, _context_language(context))


@pass_context
def _hidden_gold_note(context: Context, over: results.PaidRound) -> str:
    return results.hidden_gold_note(over, _context_language(context))


@pass_context
def _figure(context: Context, value: float | None, unit: Unit) -> str:
    return figure_text(value, unit, _context_language(context))


_EMPTY_MINE: Final = Mine(continue_path=True, build_from_goal_alone=True)


def _thumbnail(mine: Mine | None) -> Markup:
    return draw_thumbnail(mine or _EMPTY_MINE, PAGE_PALETTE)


@pass_context
def _player_name(context: Context, name: str) -> str:
    return player_name(name, _context_language(context))


@pass_context
def _table_title(context: Context, host_name: str | None, table_name: str | None = "") -> str:
    """Return what a table is called; of a row without a game, the values are None."""
    return table_title(host_name or "", table_name or "", _context_language(context))


@pass_context
def _bot_badge(context: Context, level: str | None) -> str:
    return ", ".join(bot_facts(level, _context_language(context)))


def _initials(seats: Sequence[NamedSeat]) -> tuple[str, ...]:
    return player_initials(tuple(seat.name for seat in seats))


_FILTERS: Final[dict[str, Callable[..., str | tuple[str, ...] | PlayedCard | None]]] = {
    "player_name": _player_name,
    "table_title": _table_title,
    "initials": _initials,
    "bot_badge": _bot_badge,
    "absolute": _absolute_time,
    "relative": _relative_time,
    "deadline": _deadline,
    "short_deadline": _short_deadline,
    "away_until": _away_until,
    "urgency": _urgency,
    "duration": _duration,
    "days_and_hours": _days_and_hours,
    "pace": _name_filter(paces.pace_sentence),
    "figure": _figure,
    "iso": _iso_time,
    "card_name": _name_filter(card_names.card_name),
    "shape_name": _name_filter(card_names.shape_name),
    "role_name": _name_filter(card_names.role_name),
    "tool_name": _name_filter(card_names.tool_name),
    "broken_tool_name": _name_filter(card_names.broken_tool_name),
    "goal_name": _name_filter(card_names.goal_name),
    "nuggets": _name_filter(card_names.nuggets),
    "narrate": narrate,
    "played_card": played_card,
    "action_name": action_name,
    "small_hand": _name_filter(draw_small_hand),
    "round_sentence": results.round_sentence,
    "with_symbols": with_symbols,
    "round_headline": _name_filter(results.round_headline),
    "ending_sentence": _name_filter(results.ending_sentence),
    "winning_side": _name_filter(results.winning_side),
    "award_name": _name_filter(results.award_name),
    "award_reason": _name_filter(results.award_reason),
}
_PICTURE_FUNCTIONS: Final[dict[str, Callable[..., Markup]]] = {
    "mine_picture": _mine_picture,
    "mine_pips": draw_pips,
    "mine_row_labels": draw_row_labels,
    "mine_thumbnail": _thumbnail,
    "finished_mine_picture": _finished_mine_picture,
    "card_picture": _card_picture,
    "role_picture": _role_picture,
    "role_portrait": _role_portrait,
    "goal_picture": _goal_picture,
    "tool_picture": _tool_picture,
    "small_card": draw_small_card,
    "bot_picture": _bot_picture,
    "gold_picture": _gold_picture,
    "chart_picture": _chart_picture,
    "welcome_mine": partial(draw_welcome_mine, PAGE_PALETTE),
    "goal_row_scene": partial(draw_goal_row, PAGE_PALETTE),
    "laying_scene": partial(draw_laying, PAGE_PALETTE),
    "chart_swatch": draw_swatch,
    "sparkline_picture": draw_sparkline,
    "player_bar": draw_player_bar,
    "gold_bar": draw_gold_bar,
}


@pass_context
def _gettext(context: Context, message: str, /, **values: object) -> str:
    """Return the sentence, with the values escaped if the template escapes HTML. Write a literal per cent sign as ``%%``."""
    language, escapes = _context_language(context), context.eval_ctx.autoescape
    if not values:
        return _plain_sentence(message, language, escapes=escapes)
    return _formatted_sentence(
        language.catalogue.gettext(message), escapes=escapes
    ) % isolated_values(values)


@pass_context
def _ngettext(context: Context, one: str, many: str, num: int, /, **values: object) -> str:
    language, escapes = _context_language(context), context.eval_ctx.autoescape
    if not values:
        return _numbered_sentence(one, many, num, language, escapes=escapes)
    sentence = _formatted_sentence(language.catalogue.ngettext(one, many, num), escapes=escapes)
    return sentence % {"num": num, **isolated_values(values)}


@pass_context
def _pgettext(context: Context, disambiguation: str, message: str, /, **values: object) -> str:
    sentence = _context_language(context).catalogue.pgettext(disambiguation, message)
    return _formatted_sentence(sentence, escapes=context.eval_ctx.autoescape) % isolated_values(
        values
    )


@pass_context
def _npgettext(
    context: Context, disambiguation: str, one: str, many: str, num: int, /, **values: object
) -> str:
    sentence = _context_language(context).catalogue.npgettext(disambiguation, one, many, num)
    return _formatted_sentence(sentence, escapes=context.eval_ctx.autoescape) % {
        "num": num,
        **isolated_values(values),
    }


@lru_cache(maxsize=2048)
def _plain_sentence(message: str, language: Language, *, escapes: bool) -> str:
    """Return a sentence without placeholders. Cached, because every page has the same few."""
    return _formatted_sentence(language.catalogue.gettext(message), escapes=escapes) % {}


@lru_cache(maxsize=2048)
def _numbered_sentence(one: str, many: str, num: int, language: Language, *, escapes: bool) -> str:
    sentence = _formatted_sentence(language.catalogue.ngettext(one, many, num), escapes=escapes)
    return sentence % {"num": num}


def _formatted_sentence(sentence: str, *, escapes: bool) -> str:
    return Markup(sentence) if escapes else sentence  # noqa: S704 - catalogues are part of this project


def _context_language(context: Context) -> Language:
    """Return the language of the viewer; TypeError without one."""
    language = context["language"]
    if not isinstance(language, Language):
        raise TypeError(
            "The template has no language: render it with one, import macros with context."
        )
    return language


SENTENCE_FUNCTIONS: Final[dict[str, Callable[..., str]]] = {
    "_": _gettext,
    "gettext": _gettext,
    "ngettext": _ngettext,
    "pgettext": _pgettext,
    "npgettext": _npgettext,
}
