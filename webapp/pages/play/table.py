"""The table of a game: what a turn is sent to, and the page that shows how it stands."""

from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.lobby.lobby import show_lobby
from webapp.pages.play.move_picker import selection_from, selection_in_form
from webapp.pages.play.table_page import read_game_page, show_running
from webapp.pages.play.turn_form import read_turn_form
from webapp.services.lobby.lobby_page import LobbyPage
from webapp.services.play.access import game_for
from webapp.services.play.turns import take_turn
from webapp.services.tx import transaction
from webapp.web.context import current_context
from webapp.web.problems import Problem, shown_again_by
from webapp.web.session import token

pages = Blueprint("table", __name__)


@pages.get("/games/<slug:slug>")
def show_game(slug: str) -> ResponseReturnValue:
    """The table; its lobby before the deal. What the reader has chosen so far stands in the address."""
    page = read_game_page(slug)
    if isinstance(page, LobbyPage):
        return show_lobby(page)
    return show_running(page, selection_from(request.args))


def show_game_again(problem: Problem, *, slug: str) -> Response:
    """The present position, why the turn was refused, and what was chosen as far as it still stands."""
    page = read_game_page(slug)
    if isinstance(page, LobbyPage):
        return show_lobby(page, problem)
    return show_running(page, selection_in_form(request.form), problem)


@pages.post("/games/<slug:slug>/turns")
@shown_again_by(show_game_again)
def submit_turn(slug: str) -> ResponseReturnValue:
    """Take a turn: read it, play it in one transaction, and say at once who is to be told."""
    attempt = read_turn_form(request.form)
    now = current_context().now()
    with transaction(current_context().database) as tx:
        game, seat, _ = game_for(tx, slug, token(), now=now, mode="play")
        take_turn(tx, game, seat, action=attempt.action, seq=attempt.seq, by="player", now=now)
    current_context().nudge(tx.nudges)
    return redirect(urls.game(slug), 303)
