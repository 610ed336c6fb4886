"""The buttons with which a player withdraws their held turn, or plays it at once."""

from typing import Protocol

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField

from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, game_for
from webapp.play.pages.table import show_game_page
from webapp.play.turns.turn_holding import play_held_turn, withdraw_turn
from webapp.web.forms import FormError, PageForm, form_view, submission, whole_number
from webapp.web.session import locale_of, token

pages = Blueprint("held_turn", __name__)


class HeldTurnForm(PageForm):
    """``seq`` is the turn after which the page was made."""

    seq = HiddenField(validators=[whole_number])


class _HeldTurnAction(Protocol):
    def __call__(self, tx: Tx, access: GameAccess, *, seq: int) -> object: ...


@pages.post(urls.withdraw_turn.rule)
@form_view
def withdraw(slug: str) -> ResponseReturnValue:
    """Take back the held turn; the answer is the same if none is held."""
    return _submit_held_turn_action(
        slug, withdraw_turn, N_("Nothing was played. You hold no turn now.")
    )


@pages.post(urls.play_held_turn.rule)
@form_view
def play(slug: str) -> ResponseReturnValue:
    """Let the held turn enter the game at once."""
    return _submit_held_turn_action(slug, play_held_turn, N_("Your turn has been played."))


def _submit_held_turn_action(
    slug: str, held_turn_action: _HeldTurnAction, message: str
) -> ResponseReturnValue:
    """Do what a button says and return to the table, or show it again with the reason why not."""
    form = HeldTurnForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="change")
            held_turn_action(tx, access, seq=form.number("seq") or 0)
    except FormError as error:
        return show_game_page(slug, error)
    flash(form.locale_language.gettext(message), "good")
    return redirect(urls.game(slug), 303)
