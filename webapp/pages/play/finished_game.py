"""The page of a game that is over: who won, who was what, and everything that was secret."""

from flask import Response

from webapp import urls
from webapp.game_status import GameStatus
from webapp.i18n import Language
from webapp.pages.play.ranking import bar_legend, gold_legend, ranking
from webapp.pages.play.talk_forms import talk_values
from webapp.rights import VOTE, GameRight
from webapp.services.play.acts import undoable_acts
from webapp.services.play.finished_game import FinishedGame
from webapp.services.play.shared_games import share_token
from webapp.services.play.table_page import TablePage
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import checked_viewer, locale_of
from webapp.wording.perspective import perspective_at
from webapp.wording.results import game_headline


def show_finished_game(
    page: TablePage,
    finished: FinishedGame,
    error: FormError | None = None,
    *,
    message_form: PageForm | None = None,
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
        rules_url=urls.rulebook(page.table.rulebook),
        undoable_acts=undoable_acts(page.permitted_rights),
        offered_acts=(),
        **talk_values(page, (), None, message_form),
    )


def _ending_sentences(page: TablePage, finished: FinishedGame, language: Language) -> list[str]:
    """Return what the headline leaves out: who cancelled or shortened the game."""
    if page.table.status == GameStatus.CANCELLED:
        cancelled_by = next(
            (act.acted_as for act in page.acts if act.act == GameRight.CANCEL_GAME), None
        )
        by_vote = language.gettext("The players voted to end it without a winner.")
        by_moderator = language.gettext("No one wins.")
        return [by_vote if cancelled_by == VOTE else by_moderator]
    if finished.shortened_to is not None:
        return [
            language.gettext(
                "The players agreed to end the game after round %(round)s.",
                round=finished.shortened_to,
            )
        ]
    return []


def _chart_values(finished: FinishedGame, language: Language) -> dict[str, object]:
    """Return the legends of the charts, and the length of their longest bars."""
    return {
        "gold_chart": gold_legend([opened.over for opened in finished.rounds], language),
        "turns_chart": bar_legend("turns", [language.gettext("Turns")]),
        "tools_chart": bar_legend(
            "tools", [language.gettext("Broke"), language.gettext("Repaired")]
        ),
        "most_turns": max(each.turns for each in finished.statistics),
        "most_tools": max(each.breaks + each.repairs for each in finished.statistics),
    }
