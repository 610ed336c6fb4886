"""Opening a table: which rulebook, how many seats, how much time, for whom."""

from datetime import timedelta
from typing import Final

from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue

from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import DEFAULT_RULEBOOK
from webapp import urls
from webapp.game_status import GameStatus
from webapp.pages.lobby.new_table_form import new_table_form, read_table_settings
from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import person_for
from webapp.services.keys import TokenSource
from webapp.services.lobby import new_table
from webapp.services.lobby.host_actions import fill_with_bots
from webapp.services.lobby.new_table import TableSettings
from webapp.services.play import access
from webapp.services.tx import Tx, read_only, transaction
from webapp.web.context import current_context
from webapp.web.forms import marked, once, typed
from webapp.web.layout import Here, show
from webapp.web.problems import Problem, shown_again_by
from webapp.web.session import go_back_to, locale_of, token

pages = Blueprint("opening", __name__)

_QUICK: Final = TableSettings(
    rulebook=DEFAULT_RULEBOOK,
    seats=5,
    house=HouseRules(),
    allowance=timedelta(days=2),
    public=False,
)
"""What a newcomer plays at once."""


@pages.get(urls.new_game())
def show_new_table() -> ResponseReturnValue:
    """The form, for whoever is signed in and has a name."""
    with read_only(current_context().database) as tx:
        me = person_for(tx, token(), now=current_context().now())
    if me is None or not me.name:
        return _introduce(me)
    return _opening(me)


def show_new_table_again(problem: Problem) -> Response:
    with read_only(current_context().database) as tx:
        me = person_for(tx, token(), now=current_context().now())
    return _opening(me, problem)


@pages.post(urls.tables())
@shown_again_by(show_new_table_again)
def open_table() -> ResponseReturnValue:
    """Open the table; the host sits down. With ``bots`` pressed, bots take the other seats and it begins."""
    wish = read_table_settings(request.form)
    return _open(wish, with_bots="bots" in request.form, then=urls.new_game())


@pages.post(urls.quick_game())
def play_at_once() -> ResponseReturnValue:
    """A game against bots in one press."""
    return _open(_QUICK, with_bots=True, then=urls.home())


def _open(wish: TableSettings, *, with_bots: bool, then: str) -> ResponseReturnValue:
    with transaction(current_context().database) as tx:
        me = person_for(tx, token(), now=current_context().now())
        if me is None or not me.name:
            return _introduce(me, then)
        slug = new_table.open_table(
            tx,
            me,
            wish,
            form_token=request.form.get("once", ""),
            source=TokenSource(current_context().keys, current_context().tokens),
            now=current_context().now(),
        )
        if with_bots:
            _fill(tx, slug, me)
    current_context().nudge(tx.nudges)
    return redirect(urls.game(slug), 303)


def _fill(tx: Tx, slug: str, me: Person) -> None:
    game = access.game_for(tx, slug, me, now=current_context().now(), mode="change").game
    # Under way already where the form came twice.
    if game.status == GameStatus.OPEN:
        fill_with_bots(tx, game, me, now=current_context().now())


def _introduce(me: Person | None, then: str = urls.new_game()) -> ResponseReturnValue:
    """First who, then what: sign in, then choose a name, then back here."""
    go_back_to(then)
    return redirect(urls.sign_in() if me is None else urls.profile(), 303)


def _opening(me: Person | None, problem: Problem | None = None) -> Response:
    language = locale_of(me).language
    form = marked(new_table_form(typed(), language), problem, language)
    return show(
        "lobby/new_table/new.html",
        me=me,
        here=Here(urls.new_game()),
        status=200 if problem is None else problem.status,
        form=form,
        problem=problem,
        once=once(),
    )
