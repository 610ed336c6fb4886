"""The page of a game, and the turns that are sent from it."""

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.lobby.lobby import show_lobby
from webapp.pages.play.picker_view import selection_from_form, selection_from_url
from webapp.pages.play.table_rendering import read_game_page, show_table
from webapp.pages.play.turn_form import TurnForm
from webapp.services.lobby.lobby_page import LobbyPage
from webapp.services.play.access import SeatLost, game_for
from webapp.services.play.talk import send_message
from webapp.services.play.turn_holding import play_or_hold
from webapp.web.forms import FormError, form_view, submission
from webapp.web.session import locale_of, token

pages = Blueprint("table", __name__)


@pages.get(urls.game.rule)
def show_game(slug: str) -> ResponseReturnValue:
    """Show the table, or the lobby before the deal. What the viewer has picked so far is in the query."""
    try:
        page = read_game_page(slug)
    except SeatLost:
        return redirect(urls.open_seat(slug))
    if isinstance(page, LobbyPage):
        return show_lobby(page)
    return show_table(page, selection_from_url(request.args))


@pages.post(urls.turns.rule)
@form_view
def submit_turn(slug: str) -> ResponseReturnValue:
    """Take a turn, or hold it if the player wants that, and store what they say with it; show the current position with what was picked if the turn is refused."""
    form = TurnForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="play")
            action, seq = form.action(), form.number("seq") or 0
            held_turn = play_or_hold(tx, access, action, seq=seq)
            if message_input := form.message_input():
                after = seq if held_turn else seq + 1
                send_message(tx, access, message_input, seq=after)
    except FormError as error:
        page = read_game_page(slug)
        if isinstance(page, LobbyPage):
            return show_lobby(page, form, error)
        return show_table(page, selection_from_form(request.form), error, message_form=form)
    if held_turn is None:
        flash(form.locale_language.gettext("Played."), "played")
    return redirect(urls.game(slug), 303)
