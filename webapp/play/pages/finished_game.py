"""The page of a game that is over: who won, who was what, and everything that was secret."""

from collections.abc import Sequence
from typing import NamedTuple

from flask import Response

from engine.view import View
from webapp.kernel import urls
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import Language
from webapp.kernel.rights import VOTE, GameRight
from webapp.picture.charts import ChartData, Series
from webapp.play.pages.talk_forms import talk_values
from webapp.play.views.finished_game import FinishedGame, RoundOver
from webapp.play.views.shared_games import share_token
from webapp.play.views.table_page import TablePage
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, locale_of
from webapp.wording.perspective import Perspective, perspective_at
from webapp.wording.results import Judgement, game_headline, judgements


def show_finished_game(
    page: TablePage,
    finished: FinishedGame,
    error: FormError | None = None,
    *,
    typed: PageForm | None = None,
) -> Response:
    """Return the page of a game that is over, or was cancelled after the deal."""
    language = locale_of(page.me).language
    perspective = perspective_at(page.seats, language)
    slug = page.table.slug
    is_cancelled = page.table.status == GameStatus.CANCELLED
    return render_page(
        "play/over/over.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.game(slug), slug),
        status=200 if error is None else error.status,
        error=error,
        page=page,
        view=page.view,
        perspective=perspective,
        headline=language.gettext("This game was cancelled")
        if is_cancelled
        else game_headline(page.view, perspective),
        ending_sentences=_ending_sentences(page, finished, language),
        ranking=ranking(page.view, [opened.over for opened in finished.rounds]),
        share_token=None if page.share is None else share_token(page.share, current_context().keys),
        base_url=current_context().settings.base_url,
        **_chart_values(finished, language),
        judgements=_judgements(page, finished, perspective),
        rules_url=urls.rulebook(page.table.rulebook),
        undoable_ids=(),
        offered_acts=(),
        **talk_values(page, (), None, typed),
    )


def _ending_sentences(page: TablePage, finished: FinishedGame, language: Language) -> list[str]:
    """Return what the headline leaves out: who cancelled or shortened the game."""
    if page.table.status == GameStatus.CANCELLED:
        cancelled_by = next(
            (act.acted_as for act in page.acts if act.act == GameRight.CANCEL_GAME), None
        )
        if cancelled_by != VOTE:
            return [language.gettext("No one wins.")]
        if _is_alone(page):
            return [language.gettext("You ended it without a winner.")]
        return [language.gettext("The players voted to end it without a winner.")]
    if finished.shortened_to is not None:
        # Who decided it may sit there no more.
        return [
            language.gettext(
                "It was cut short: round %(round)s was the last one.", round=finished.shortened_to
            )
        ]
    return []


def _is_alone(page: TablePage) -> bool:
    """Return whether the viewer played with bots only, and so decided alone."""
    return page.seat is not None and all(seat.is_me or seat.is_bot for seat in page.seats)


def _judgements(
    page: TablePage, finished: FinishedGame, perspective: Perspective
) -> list[Judgement]:
    """Return whom the viewer trusted and suspected, with what they were, also in a round that a cancelled game did not finish."""
    if page.notes is None:
        return []
    roles = {
        page.view.round: page.view.roles,
        **{each.over.number: each.over.result.roles for each in finished.rounds},
    }
    return judgements(page.notes.marks, roles, perspective)


def _chart_values(finished: FinishedGame, language: Language) -> dict[str, object]:
    """Return the legends of the charts, and the length of their longest bars."""
    return {
        "turns_chart": _bar_legend("turns", [language.gettext("Turns")]),
        "tools_chart": _bar_legend(
            "tools", [language.gettext("Broke"), language.gettext("Repaired")]
        ),
        "most_turns": max(each.turns for each in finished.statistics),
        "most_tools": max(each.breaks + each.repairs for each in finished.statistics),
    }


class RankedSeat(NamedTuple):
    """A player in the order of their gold; ties share a rank."""

    rank: int
    seat: int
    nuggets: int
    by_round: tuple[int, ...]
    is_winner: bool


def ranking(view: View, rounds: Sequence[RoundOver]) -> list[RankedSeat]:
    """Return all players, the richest first; of equally rich ones in the order of their seats."""
    totals = [sum(cards or ()) for cards in view.gold] or [0] * view.seats
    seats = sorted(range(view.seats), key=lambda seat: -totals[seat])
    return [
        RankedSeat(
            rank=1 + sum(total > totals[seat] for total in totals),
            seat=seat,
            nuggets=totals[seat],
            by_round=tuple(sum(over.gold[seat] or ()) for over in rounds),
            is_winner=seat in view.winners,
        )
        for seat in seats
    ]


def _bar_legend(key: str, names: Sequence[str]) -> ChartData:
    """Return the names of the parts of bars, for their signs."""
    series = tuple(Series(name, (1,)) for name in names)
    return ChartData(key=key, title="", summary="", labels=("",), series=series)
