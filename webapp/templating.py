"""The translated sentences, filters and pictures that the templates of pages can use.

They are in the language and the time zone of the viewer for whom a page is rendered (``rendered_for``). Sentences are HTML
in which values are escaped: catalogues are part of this project.
"""

import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

from jinja2 import Environment
from jinja2.ext import Extension
from jinja2.runtime import Context
from markupsafe import Markup
from msgspec.structs import asdict

from engine.mine import Mine
from engine.view import View
from webapp.kernel import urls
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import Language, Locale, isolated_values
from webapp.picture import cards as pictures
from webapp.picture.charts import (
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
from webapp.wording.figures import figure_text
from webapp.wording.history import PlayedCard, narrate, played_card
from webapp.wording.perspective import NamedSeat, bot_facts, player_initials, player_name
from webapp.wording.tables import table_title

T = TypeVar("T")
_ATTRIBUTE_LINE_PATTERN: Final = re.compile(r"\n[ \t]+(?=[a-z-]+=)")
_INDENTATION_PATTERN: Final = re.compile(r"\n[ \t]+")
_TAG_LINE_PATTERN: Final = re.compile(
    r"\n((?:\{% (?:if|elif|else|endif|for|endfor|set|from|import)\b(?:(?!%\}).)*(?<!-)%\}|\{# (?:(?!#\}).)*(?<!-)#\})+)"
    r"(?=\n(?!\{[%{#]-|\Z))",
    re.DOTALL,
)
"""A line of tags that print nothing: of the ends of lines before and after it one is enough. Where Jinja strips either, both are left."""
_EMPTY_LINES_PATTERN: Final = re.compile(r"\n\s+(?=<)")
_BLOCK_START_PATTERN: Final = re.compile(
    r"\n(?=</?(?:p|div|section|details|h[1-6]|table|thead|tbody|tr|td|th|dl|dt|dd|ol|ul|li|summary|fieldset|legend)\b)"
)
"""The end of a line before a block, which no browser shows."""


class WithoutBlankText(Extension):
    """Leaves out white space of templates that no browser shows, with which pages would be a tenth larger."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja's interface
        source = _ATTRIBUTE_LINE_PATTERN.sub(" ", source)
        source = _INDENTATION_PATTERN.sub("\n", source)
        source = _TAG_LINE_PATTERN.sub(r"\1", source)
        return _BLOCK_START_PATTERN.sub("", source)


def _without_blank_text(content: str) -> str:
    """Return a rendered part of a page without the white space that is left between its templates."""
    content = _EMPTY_LINES_PATTERN.sub("\n", str(content))
    return _BLOCK_START_PATTERN.sub("", content)


class TemplateContext(Context):
    """Calls what templates call as it is, which makes a page a seventh cheaper.

    Jinja would first look whether a function wants the context as an argument, which none does here, and at each import
    compare all globals, which are the same in all templates.
    """

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: dict[str, Callable[[Context], Iterator[str]]],
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002, ARG002 - Jinja's interface
    ) -> None:
        super().__init__(environment, parent, name, blocks)

    def call(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - any function
        # Variables of blocks and loops, for functions that want the context.
        options.pop("_block_vars", None)
        options.pop("_loop_vars", None)
        return function(*arguments, **options)


def prepare_environment(env: Environment) -> None:
    """Add the sentences, filters and pictures to a Jinja environment."""
    env.globals.update(SENTENCE_FUNCTIONS)
    env.filters.update(_FILTERS)
    env.globals.update(_PICTURE_FUNCTIONS)
    env.globals["opening_column"] = opening_column
    env.globals["GameStatus"] = GameStatus
    env.globals["urls"] = urls
    env.globals["gold_text"] = in_language(results.gold_text)
    env.globals["hidden_gold_note"] = in_language(results.hidden_gold_note)


_locale: Final[ContextVar[Locale]] = ContextVar("locale")


@contextmanager
def rendered_for(locale: Locale) -> Iterator[None]:
    """Let all sentences, times and pictures of the templates that are rendered in this block be for this locale.

    Macros need no ``with context`` for it, so that Jinja loads them once instead of again for each page.
    """
    token = _locale.set(locale)
    try:
        yield
    finally:
        _locale.reset(token)


def in_language(text_of: Callable[..., T]) -> Callable[..., T]:
    """Return the function for templates, without its last argument: the viewer's language."""
    return lambda *arguments: text_of(*arguments, _locale.get().language)


def at_zone(text_of: Callable[..., T]) -> Callable[..., T]:
    """Return the function for templates, without its ``language``, ``zone`` and ``now``: those of the viewer."""
    return lambda *arguments: text_of(*arguments, **asdict(_locale.get()))


def _picture(draw: Callable[..., Markup]) -> Callable[..., Markup]:
    """Return the function for templates, without its palette and its language."""
    return lambda *arguments, **options: draw(
        *arguments, PAGE_PALETTE, language=_locale.get().language, **options
    )


def _mine_picture(
    view: View,
    places: Sequence[Place] = (),
    preview: Preview | None = None,
    id_prefix: str = "mine",
) -> Markup:
    language = _locale.get().language
    return draw_mine(
        view,
        PAGE_PALETTE,
        language=language,
        places=places,
        preview=preview,
        id_prefix=id_prefix,
    )


def _finished_mine_picture(view: View, path: Sequence[str], id_prefix: str) -> Markup:
    language = _locale.get().language
    return draw_finished_mine(view, PAGE_PALETTE, path=path, language=language, id_prefix=id_prefix)


_EMPTY_MINE: Final = Mine(continue_path=True, build_from_goal_alone=True)


def _thumbnail(mine: Mine | None) -> Markup:
    return draw_thumbnail(mine or _EMPTY_MINE, PAGE_PALETTE)


def _relative_time(at: datetime) -> str:
    locale = _locale.get()
    return times.relative_time(at, now=locale.now, language=locale.language)


def _deadline(at: datetime, is_own: bool = True) -> str:  # noqa: FBT001, FBT002 - a filter
    return times.deadline(at, **asdict(_locale.get()), is_own=is_own)


def _urgency(at: datetime) -> str:
    return times.urgency(at, now=_locale.get().now)


def _iso_time(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _table_title(host_name: str | None, table_name: str | None = "") -> str:
    """Return what a table is called; for a row without a game, the values are None."""
    return table_title(host_name or "", table_name or "", _locale.get().language)


def _bot_badge(level: str | None) -> str:
    return ", ".join(bot_facts(level, _locale.get().language))


def _initials(seats: Sequence[NamedSeat]) -> tuple[str, ...]:
    return player_initials(tuple(seat.name for seat in seats))


_FILTERS: Final[dict[str, Callable[..., str | tuple[str, ...] | PlayedCard | None]]] = {
    "player_name": in_language(player_name),
    "table_title": _table_title,
    "initials": _initials,
    "bot_badge": _bot_badge,
    "absolute": at_zone(times.absolute_time),
    "relative": _relative_time,
    "deadline": _deadline,
    "short_deadline": at_zone(times.short_deadline),
    "away_until": at_zone(times.away_until_day),
    "urgency": _urgency,
    "duration": in_language(times.duration),
    "days_and_hours": in_language(times.days_and_hours),
    "pace": in_language(paces.pace_sentence),
    "figure": in_language(figure_text),
    "iso": _iso_time,
    "card_name": in_language(card_names.card_name),
    "role_name": in_language(card_names.role_name),
    "broken_tool_name": in_language(card_names.broken_tool_name),
    "goal_name": in_language(card_names.goal_name),
    "nuggets": in_language(card_names.nuggets),
    "narrate": narrate,
    "played_card": played_card,
    "small_hand": in_language(draw_small_hand),
    "round_sentence": results.round_sentence,
    "with_symbols": with_symbols,
    "without_blank_text": _without_blank_text,
    "round_headline": in_language(results.round_headline),
    "ending_sentence": in_language(results.ending_sentence),
    "award_name": in_language(results.award_name),
    "award_reason": in_language(results.award_reason),
}
_PICTURE_FUNCTIONS: Final[dict[str, Callable[..., Markup]]] = {
    "mine_picture": _mine_picture,
    "mine_pips": draw_pips,
    "mine_row_labels": draw_row_labels,
    "mine_thumbnail": _thumbnail,
    "finished_mine_picture": _finished_mine_picture,
    "card_picture": _picture(pictures.draw_card),
    "role_picture": _picture(pictures.draw_role),
    "role_portrait": _picture(pictures.draw_portrait),
    "goal_picture": _picture(pictures.draw_goal),
    "tool_picture": _picture(pictures.draw_tool),
    "small_card": draw_small_card,
    "bot_picture": _picture(pictures.draw_bot),
    "gold_picture": _picture(pictures.draw_gold),
    "chart_picture": in_language(draw_chart),
    "welcome_mine": partial(draw_welcome_mine, PAGE_PALETTE),
    "goal_row_scene": partial(draw_goal_row, PAGE_PALETTE),
    "laying_scene": partial(draw_laying, PAGE_PALETTE),
    "chart_swatch": draw_swatch,
    "sparkline_picture": draw_sparkline,
    "player_bar": draw_player_bar,
    "gold_bar": draw_gold_bar,
}


def _gettext(message: str, /, **values: object) -> str:
    """Return the sentence, with the values escaped. Write a literal per cent sign as ``%%``."""
    language = _locale.get().language
    if not values:
        return _plain_sentence(message, language)
    return Markup(language.catalogue.gettext(message)) % isolated_values(values)  # noqa: S704


def _ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    language = _locale.get().language
    if not values:
        return _numbered_sentence(one, many, num, language)
    sentence = Markup(language.catalogue.ngettext(one, many, num))  # noqa: S704
    return sentence % {"num": num, **isolated_values(values)}


@lru_cache(maxsize=2048)
def _plain_sentence(message: str, language: Language) -> str:
    """Return a sentence without placeholders. Cached, because every page has the same few."""
    return Markup(language.catalogue.gettext(message)) % {}  # noqa: S704


@lru_cache(maxsize=2048)
def _numbered_sentence(one: str, many: str, num: int, language: Language) -> str:
    return Markup(language.catalogue.ngettext(one, many, num)) % {"num": num}  # noqa: S704


SENTENCE_FUNCTIONS: Final[dict[str, Callable[..., str]]] = {"_": _gettext, "ngettext": _ngettext}
