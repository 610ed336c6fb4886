"""The peek, for disputes: a page that asks, a form that records it, and only then the page that shows the secrets."""

from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.kernel.refusals import MAX_REASON_LENGTH
from webapp.kernel.rights import GameRight
from webapp.moderation.peeks import PeekRequest, peekable_game, record_peek
from webapp.moderation.performing import find_game_to_act_on
from webapp.play.views.peek import peeked_game
from webapp.web.context import current_context
from webapp.web.forms import (
    FormError,
    PageForm,
    form_view,
    new_form_id,
    one_line,
    submission,
    whole_number,
)
from webapp.web.identity_gate import require_proof
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_confirmed_viewer, require_viewer

pages = Blueprint("peek", __name__)


class PeekForm(PageForm):
    reason = StringField(
        N_("Why must you look?"), [one_line], render_kw={"maxlength": MAX_REASON_LENGTH}
    )
    seq = HiddenField(validators=[whole_number])
    form_id = HiddenField(validators=[one_line])


@pages.get(urls.peek.rule)
def ask_to_peek(slug: str) -> ResponseReturnValue:
    """Step one: state what will be recorded and disclosed, and ask for the reason. Nothing secret is read.

    Both steps need a fresh proof of who the viewer is; without the right to peek, nothing tells of that.
    """
    return _render_peek_form(slug)


@pages.post(urls.peek.rule)
@form_view
def confirm_peek(slug: str) -> ResponseReturnValue:
    """Step two: commit the record, then lead to the page that shows what it is about."""
    form = PeekForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            peek_request = PeekRequest(
                slug=slug,
                seq=form.number("seq") or 0,
                reason=form.text("reason"),
                form_id=form.text("form_id"),
            )
            record_peek(tx, require_viewer(tx), peek_request)
            require_proof(tx, GameRight.PEEK)
    except FormError as error:
        return _render_peek_form(slug, form, error)
    return redirect(urls.peeked_game(slug), 303)


@pages.get(urls.peeked_game.rule)
def show_peek(slug: str) -> ResponseReturnValue:
    """Show the secrets of the game to the person whose committed record says so; the page is kept nowhere."""
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        find_game_to_act_on(tx, viewer, slug, GameRight.PEEK)
        page = peeked_game(tx, viewer, slug)
    return render_page(
        "moderation/peek/open.html",
        viewer=viewer,
        nav_position=PagePosition(urls.peeked_game(slug)),
        page=page,
    )


def _render_peek_form(
    slug: str, form: PeekForm | None = None, error: FormError | None = None
) -> Response:
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        game = peekable_game(tx, viewer, slug)
        require_confirmed_viewer(tx)
    shown_form = form or PeekForm(locale_of(viewer).language)
    shown_form.seq.data = str(game.seq)
    return render_page(
        "moderation/peek/ask.html",
        viewer=viewer,
        nav_position=PagePosition(urls.peek(slug)),
        status=200 if error is None else error.status,
        game=game,
        form=shown_form,
        form_id=new_form_id() if form is None else form.text("form_id"),
        error=error,
    )
