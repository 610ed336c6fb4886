"""Why a deadline is as it is: one page for every turn of a game, the same for everyone at the table."""

from typing import NamedTuple

from flask import Blueprint, Response

from webapp.clock.deadline_page import (
    DeadlinePage,
    EarlierTurn,
    deadline_page,
    running_deadline_page,
)
from webapp.clock.reliability import RELIABILITY_PERIOD
from webapp.kernel import urls
from webapp.kernel.i18n import Locale, zone_for
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, locale_of, token
from webapp.wording import times
from webapp.wording.deadlines import (
    DeadlineLocale,
    arithmetic_sentence,
    outcome_text,
    seat_name,
    step_sentence,
    time_in_zones,
)

pages = Blueprint("deadlines", __name__)


class _StepLine(NamedTuple):
    """One step as text: when it was, and what happened."""

    time_text: str
    sentence: str


class _EarlierTurnLine(NamedTuple):
    """An earlier turn as text, with the page that explains it."""

    name: str
    time_text: str
    outcome: str
    href: str


@pages.get(urls.deadlines.rule)
def show_deadlines(slug: str) -> Response:
    """Show the deadline that is running, and link to earlier ones."""
    context = current_context()
    with context.read_only() as tx:
        page = running_deadline_page(tx, slug, token())
    return _show_deadline_page(page, urls.deadlines(slug), is_list=True)


@pages.get(urls.deadline.rule)
def show_deadline(slug: str, seq: int) -> Response:
    """Show the deadline that began at a position of the game, or the last one before it."""
    context = current_context()
    with context.read_only() as tx:
        page = deadline_page(tx, slug, seq, token())
    return _show_deadline_page(page, urls.deadline(slug, seq), is_list=False)


def _show_deadline_page(page: DeadlinePage, path: str, *, is_list: bool) -> Response:
    locale, pace, slug = locale_of(page.me), page.table.pace, page.table.slug
    deadline_locale = DeadlineLocale(
        locale.language,
        locale.zone,
        locale.now,
        None if pace.playing.is_unlimited else zone_for(pace.zone),
    )
    return render_page(
        "clock/deadlines.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(path, slug),
        page=page,
        is_list=is_list,
        kept_days=RELIABILITY_PERIOD.days,
        turn_name="" if page.turn is None else seat_name(page.turn, locale.language),
        arithmetic=""
        if page.turn is None
        else arithmetic_sentence(page.turn.time, locale.language),
        steps=_step_lines(page, deadline_locale),
        earlier_lines=[_earlier_turn_line(turn, slug, locale) for turn in page.earlier_turns],
    )


def _step_lines(page: DeadlinePage, locale: DeadlineLocale) -> list[_StepLine]:
    turn = page.turn
    if turn is None:
        return []
    return [
        _StepLine(time_in_zones(step.at, locale), step_sentence(step, turn, locale))
        for step in turn.steps
    ]


def _earlier_turn_line(turn: EarlierTurn, slug: str, locale: Locale) -> _EarlierTurnLine:
    language = locale.language
    return _EarlierTurnLine(
        seat_name(turn, language),
        times.absolute_time(turn.started_at, now=locale.now, zone=locale.zone, language=language),
        outcome_text(turn.end, turn.by, language),
        urls.deadline(slug, turn.turn_seq),
    )
