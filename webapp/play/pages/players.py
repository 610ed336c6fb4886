"""The page of the people of a game, with a button that blocks one; and the briefing of the player who takes over a seat."""

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.clock.reliability import reliability_at_table
from webapp.kernel import urls
from webapp.lobby.pages import open_seats
from webapp.play.access import game_for
from webapp.play.pages.move_picker import HandCard
from webapp.play.views.briefing import briefing_page
from webapp.play.views.players import block_player, players_page
from webapp.web.context import current_context
from webapp.web.forms import PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import SignInRequired, locale_of, token
from webapp.wording.mine import goal_sentences
from webapp.wording.perspective import perspective_at
from webapp.wording.turns import awaiting_sentence, role_reminder

pages = Blueprint("players", __name__)


@pages.get(urls.players.rule)
def show_players(slug: str) -> ResponseReturnValue:
    with current_context().read_only() as tx:
        access = game_for(tx, slug, token())
        page, reliability = players_page(tx, access), reliability_at_table(tx, access)
    if access.person is None:
        raise SignInRequired
    return render_page(
        "play/players.html",
        viewer=access.person,
        nav_position=PagePosition(urls.players(slug), slug),
        page=page,
        reliability=reliability,
    )


@pages.post(urls.block.rule)
@form_view
def block(slug: str, seat: int) -> ResponseReturnValue:
    """Block a player; the answer is the same if they are blocked already."""
    language = locale_of(None).language
    with submission(PageForm(language, request.form)) as tx:
        game, _, person = game_for(tx, slug, token())
        if person is None:
            raise SignInRequired
        name = block_player(tx, game, person, seat)
    flash(language.gettext("You've blocked %(name)s. They won't know.", name=name), "good")
    return redirect(urls.blocked_people(), 303)


# In the blueprint of open seats, whose name is in the metrics of this page.
@open_seats.pages.get(urls.briefing.rule)
def show_briefing(slug: str) -> ResponseReturnValue:
    """Show the viewer, who has just taken over a seat, what the seat knows."""
    with current_context().read_only() as tx:
        page = briefing_page(tx, slug, token())
    language = locale_of(page.me).language
    perspective = perspective_at(page.seats, language)
    return render_page(
        "play/briefing.html",
        viewer=page.me,
        nav_position=PagePosition(urls.briefing(slug), slug),
        page=page,
        view=page.view,
        cards=[HandCard(card) for card in page.view.hand],
        role_sentence=role_reminder(page.view, perspective),
        goals=goal_sentences(page.view, language),
        status_sentence=awaiting_sentence(page.view, perspective),
    )
