"""The button with which a player reminds the one whose turn it is."""

from secrets import randbelow

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField

from webapp import urls
from webapp.pages.lobby.lobby import show_lobby
from webapp.pages.play.picker_view import selection_from_url
from webapp.pages.play.table_rendering import read_game_page, show_table
from webapp.rights import GameRight
from webapp.services.clock.nudges import NUDGE_REASON, require_nudgeable
from webapp.services.lobby.lobby_page import LobbyPage
from webapp.services.moderation.acts import ActRequest, perform_act_request
from webapp.services.play.access import game_for
from webapp.services.play.public_change import ChangeInput
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.session import locale_of, token
from webapp.web.validators import one_line, whole_number

pages = Blueprint("nudge", __name__)


class NudgeForm(PageForm):
    turn = HiddenField(validators=[whole_number])
    form_id = HiddenField(validators=[one_line])


@pages.post(urls.nudge.rule)
@form_view
def nudge(slug: str) -> ResponseReturnValue:
    """Remind the player on turn, or show the table again with the reason why not."""
    form = NudgeForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="change")
            require_nudgeable(tx, access, turn_seq=form.number("turn") or 0)
            act_request = ActRequest(
                actor=access.person,
                slug=slug,
                act=GameRight.NUDGE,
                change_input=ChangeInput(),
                reason=NUDGE_REASON,
                form_id=form.text("form_id"),
            )
            perform_act_request(tx, act_request, random_below=randbelow)
    except FormError as error:
        page = read_game_page(slug)
        if isinstance(page, LobbyPage):
            return show_lobby(page, form, error)
        return show_table(page, selection_from_url(request.args), error)
    flash(form.locale_language.gettext("We've sent them a reminder."), "good")
    return redirect(urls.game(slug), 303)
