"""The briefing of a player who takes over a seat: what the seat knows, on one page."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.play.picker_view import HandCard
from webapp.services.play.briefing import briefing_page
from webapp.web.context import current_context
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, token
from webapp.wording.mine import goal_sentences
from webapp.wording.people import awaiting_sentence, role_reminder
from webapp.wording.perspective import perspective_at

pages = Blueprint("briefing", __name__)


@pages.get(urls.briefing.rule)
def show_briefing(slug: str) -> ResponseReturnValue:
    with current_context().read_only() as tx:
        page = briefing_page(tx, slug, token())
    language = locale_of(page.me).language
    perspective = perspective_at(page.seats, language)
    return render_page(
        "clock/briefing.html",
        viewer=page.me,
        nav_position=PagePosition(urls.briefing(slug), slug),
        page=page,
        view=page.view,
        cards=[HandCard(card) for card in page.view.hand],
        role_sentence=role_reminder(page.view, perspective),
        goals=goal_sentences(page.view, language),
        status_sentence=awaiting_sentence(page.view, perspective),
    )
