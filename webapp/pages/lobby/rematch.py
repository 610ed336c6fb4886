"""The button with which the players of a finished game play again: the first opens a table, the others join it."""

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.services.keys import TokenSource
from webapp.services.lobby.rematch import play_again
from webapp.services.play.access import game_for
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.session import SignInRequired, locale_of, redirect_to_introduction, token

pages = Blueprint("rematch", __name__)


@pages.post(urls.rematch.rule)
@form_view
def start_rematch(slug: str) -> ResponseReturnValue:
    """Redirect to the table of the rematch, at which the viewer has a seat now; if they get none, say why at the finished game."""
    form, context = PageForm(locale_of(None).language, request.form), current_context()
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="change")
            if access.person is None:
                raise SignInRequired
            if not access.person.name:
                return redirect_to_introduction(access.person, urls.game(slug))
            source = TokenSource(context.keys, context.tokens)
            new_slug = play_again(tx, access, source=source)
    except FormError as error:
        flash(error.text, "bad")
        return redirect(urls.game(slug), 303)
    return redirect(urls.game(new_slug), 303)
