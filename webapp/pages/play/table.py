"""The page of a game, and the turns that are sent from it."""

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.lobby.lobby import show_lobby
from webapp.pages.play.picker_view import selection_from_form, selection_from_url
from webapp.pages.play.table_page import show_table
from webapp.pages.play.turn_form import TurnForm
from webapp.services.lobby.lobby_page import LobbyPage, lobby_page
from webapp.services.play.access import game_for
from webapp.services.play.table_page import TablePage, table_page
from webapp.services.play.turns import take_turn
from webapp.services.tx import read_only
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, submission
from webapp.web.session import locale_of, token

pages = Blueprint("table", __name__)


@pages.get("/games/<slug:slug>")
def show_game(slug: str) -> ResponseReturnValue:
    """Show the table, or the lobby before the deal. What the viewer has picked so far is in the query."""
    page = _game_page(slug)
    if isinstance(page, LobbyPage):
        return show_lobby(page)
    return show_table(page, selection_from_url(request.args))


@pages.post("/games/<slug:slug>/turns")
@form_view
def submit_turn(slug: str) -> ResponseReturnValue:
    """Take a turn; show the current position with what was picked if the turn is refused."""
    form = TurnForm(locale_of(None).language, request.form)
    now = current_context().now()
    try:
        with submission(form) as tx:
            game, seat, _ = game_for(tx, slug, token(), now=now, mode="play")
            action, seq = form.action(), form.number("seq") or 0
            take_turn(tx, game, seat, action=action, seq=seq, by="player", now=now)
    except FormError as error:
        page = _game_page(slug)
        if isinstance(page, LobbyPage):
            return show_lobby(page, form, error)
        return show_table(page, selection_from_form(request.form), error)
    return redirect(urls.game(slug), 303)


def _game_page(slug: str) -> LobbyPage | TablePage:
    """Return what the viewer may see of a game: the lobby before the deal, else the table. Raises NotFound."""
    context = current_context()
    with read_only(context.database) as tx:
        access = game_for(tx, slug, token(), now=context.now())
        if access.game.status.is_dealt:
            return table_page(tx, access)
        return lobby_page(tx, access.game, access.person, keys=context.keys)
