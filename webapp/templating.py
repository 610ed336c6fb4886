"""The translated sentences, filters and pictures that the templates of pages can use.

Language, time zone and the present time come from the template's context, never from a global: import macros that use
them ``with context``.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from engine.cards import Card, Goal, Role, Tool
from engine.mine import Mine
from engine.narration import Line
from engine.view import View
from webapp.game_status import GameStatus
from webapp.i18n import Language
from webapp.picture import cards as pictures
from webapp.picture.chart_data import ChartData
from webapp.picture.charts import ChartKind, draw_chart, draw_swatch
from webapp.picture.lessons import draw_goal_row, draw_laying
from webapp.picture.mine import draw_finished_mine, draw_mine
from webapp.picture.mine_box import opening_column
from webapp.picture.palette import PAGE_PALETTE
from webapp.picture.pips import draw_pips
from webapp.picture.places import Place, Preview
from webapp.picture.player_bars import draw_player_bar
from webapp.picture.sparkline import draw_sparkline
from webapp.picture.symbol_sheet import with_symbols
from webapp.picture.thumbnail import draw_thumbnail
from webapp.template_sentences import SENTENCE_FUNCTIONS, context_language
from webapp.wording import cards as card_names
from webapp.wording import paces, results, times
from webapp.wording.actions import action_name
from webapp.wording.bots import bot_facts, bot_label
from webapp.wording.figures import Unit, figure_text
from webapp.wording.history import laid_card, narrate
from webapp.wording.initials import player_initials
from webapp.wording.people import round_sentence
from webapp.wording.perspective import NamedSeat, player_name
from webapp.wording.tables import table_title


def prepare_environment(env: Environment) -> None:
    """Add the sentences, filters and pictures to a Jinja environment."""
    env.globals.update(SENTENCE_FUNCTIONS)
    env.filters.update(_FILTERS)
    env.globals.update(_PICTURE_FUNCTIONS)
    env.globals["opening_column"] = opening_column
    env.globals["GameStatus"] = GameStatus
    env.globals["gold_text"] = _gold_text


@pass_context
def _absolute_time(context: Context, at: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.absolute_time(at, now=now, zone=zone, language=context_language(context))


@pass_context
def _relative_time(context: Context, at: datetime) -> str:
    return times.relative_time(at, now=context["now"], language=context_language(context))


@pass_context
def _deadline(context: Context, at: datetime, is_own: bool = True) -> str:  # noqa: FBT001, FBT002 - a filter
    zone, now = context["zone"], context["now"]
    return times.deadline(at, now=now, zone=zone, language=context_language(context), is_own=is_own)


@pass_context
def _short_deadline(context: Context, at: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.short_deadline(at, now=now, zone=zone, language=context_language(context))


@pass_context
def _away_until(context: Context, until: datetime) -> str:
    zone, now = context["zone"], context["now"]
    return times.away_until_day(until, now=now, zone=zone, language=context_language(context))


@pass_context
def _urgency(context: Context, at: datetime) -> str:
    return times.urgency(at, now=context["now"])


@pass_context
def _duration(context: Context, length: timedelta) -> str:
    return times.duration(length, context_language(context))


@pass_context
def _days_and_hours(context: Context, length: timedelta) -> str:
    return times.days_and_hours(length, context_language(context))


def _iso_time(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _name_filter(name_of: Callable[[Any, Language], str]) -> Callable[[Context, Any], str]:
    @pass_context
    def name(context: Context, named_object: Any) -> str:  # noqa: ANN401 - the type is that of the wrapped function
        return name_of(named_object, context_language(context))

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
        language=context_language(context),
        places=places,
        preview=preview,
        id_prefix=id_prefix,
    )


@pass_context
def _finished_mine_picture(
    context: Context, view: View, path: Sequence[str], id_prefix: str
) -> Markup:
    language = context_language(context)
    return draw_finished_mine(view, PAGE_PALETTE, path=path, language=language, id_prefix=id_prefix)


@pass_context
def _card_picture(
    context: Context, card: Card, *, turned: bool = False, with_title: bool = True
) -> Markup:
    return pictures.draw_card(
        card,
        PAGE_PALETTE,
        language=context_language(context),
        turned=turned,
        with_title=with_title,
    )


@pass_context
def _role_picture(context: Context, role: Role, *, with_title: bool = True) -> Markup:
    return pictures.draw_role(
        role, PAGE_PALETTE, language=context_language(context), with_title=with_title
    )


@pass_context
def _role_portrait(context: Context, role: Role, *, with_title: bool = True) -> Markup:
    return pictures.draw_portrait(
        role, PAGE_PALETTE, language=context_language(context), with_title=with_title
    )


@pass_context
def _goal_picture(context: Context, goal: Goal | None, *, with_title: bool = True) -> Markup:
    return pictures.draw_goal(
        goal, PAGE_PALETTE, language=context_language(context), with_title=with_title
    )


@pass_context
def _tool_picture(
    context: Context, tool: Tool, *, broken: bool = False, with_title: bool = True
) -> Markup:
    return pictures.draw_tool(
        tool,
        PAGE_PALETTE,
        language=context_language(context),
        broken=broken,
        with_title=with_title,
    )


@pass_context
def _gold_picture(context: Context, nuggets: int, *, with_title: bool = True) -> Markup:
    return pictures.draw_gold(
        nuggets, PAGE_PALETTE, language=context_language(context), with_title=with_title
    )


@pass_context
def _chart_picture(context: Context, data: ChartData, kind: ChartKind) -> Markup:
    return draw_chart(data, kind, context_language(context))


@pass_context
def _gold_text(context: Context, over: results.PaidRound, seat: int) -> str:
    return results.gold_text(over, seat, context_language(context))


@pass_context
def _figure(context: Context, value: float | None, unit: Unit) -> str:
    return figure_text(value, unit, context_language(context))


_EMPTY_MINE: Final = Mine(continue_path=True, build_from_goal_alone=True)


def _thumbnail(mine: Mine | None) -> Markup:
    return draw_thumbnail(mine or _EMPTY_MINE, PAGE_PALETTE)


@pass_context
def _player_name(context: Context, name: str) -> str:
    return player_name(name, context_language(context))


@pass_context
def _table_title(context: Context, host_name: str | None, table_name: str | None = "") -> str:
    """Return what a table is called; of a row without a game, the values are None."""
    return table_title(host_name or "", table_name or "", context_language(context))


@pass_context
def _player_label(context: Context, name: str, bot_level: str | None) -> str:
    language = context_language(context)
    shown_name = player_name(name, language)
    return shown_name if bot_level is None else bot_label(shown_name, bot_level, language)


@pass_context
def _bot_badge(context: Context, level: str | None) -> str:
    return ", ".join(bot_facts(level, context_language(context)))


def _initials(seats: Sequence[NamedSeat]) -> tuple[str, ...]:
    return player_initials(tuple(seat.name for seat in seats))


_FILTERS: Final[dict[str, Callable[..., str | tuple[str, ...] | Line | None]]] = {
    "player_name": _player_name,
    "player_label": _player_label,
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
    "laid_card": laid_card,
    "action_name": action_name,
    "round_sentence": round_sentence,
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
    "mine_thumbnail": _thumbnail,
    "finished_mine_picture": _finished_mine_picture,
    "card_picture": _card_picture,
    "role_picture": _role_picture,
    "role_portrait": _role_portrait,
    "goal_picture": _goal_picture,
    "tool_picture": _tool_picture,
    "gold_picture": _gold_picture,
    "chart_picture": _chart_picture,
    "goal_row_scene": partial(draw_goal_row, PAGE_PALETTE),
    "laying_scene": partial(draw_laying, PAGE_PALETTE),
    "chart_swatch": draw_swatch,
    "sparkline_picture": draw_sparkline,
    "player_bar": draw_player_bar,
}
