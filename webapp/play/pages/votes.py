"""What players ask of each other on the table page: to vote, and to answer a vote, or to take their turn."""

from collections.abc import Callable
from typing import Final

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import HiddenField, RadioField

from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.moderation.performing import ActRequest, perform_act_request
from webapp.play.access import GameAccess, game_for
from webapp.play.changes.acts import ActInput, acts_by_name
from webapp.play.changes.game_changes import require_nudgeable
from webapp.play.pages.table import show_game_page
from webapp.play.votes import VoteKind, answer_vote, start_vote
from webapp.web.forms import (
    FormError,
    PageForm,
    form_view,
    one_line,
    one_of,
    submission,
    whole_number,
)
from webapp.web.session import locale_of, token

pages = Blueprint("votes", __name__)
_KINDS: Final = tuple(kind.value for kind in VoteKind)
_ANSWERS: Final = ("yes", "no")


class ProposalForm(PageForm):
    kind = RadioField(N_("What do you propose?"), [one_of(_KINDS)], validate_choice=False)

    def __init__(self, language: Language, formdata: MultiDict[str, str]) -> None:
        super().__init__(language, formdata)
        self.kind.choices = [(kind, kind) for kind in _KINDS]


class AnswerForm(PageForm):
    answer = RadioField(N_("Your vote"), [one_of(_ANSWERS)], validate_choice=False)

    def __init__(self, language: Language, formdata: MultiDict[str, str]) -> None:
        super().__init__(language, formdata)
        self.answer.choices = [(answer, answer) for answer in _ANSWERS]


class NudgeForm(PageForm):
    turn = HiddenField(validators=[whole_number])
    form_id = HiddenField(validators=[one_line])


@pages.post(urls.votes.rule)
@form_view
def propose_vote(slug: str) -> ResponseReturnValue:
    """Open a vote among the people at the table."""
    form = ProposalForm(locale_of(None).language, request.form)

    def act(tx: Tx, access: GameAccess) -> str:
        if not start_vote(tx, access, VoteKind(form.text("kind"))):
            return N_("You decide alone, as the only person at this table.")
        return N_("We've asked the others. Your own yes is counted already.")

    return _submit(slug, form, act)


@pages.post(urls.vote.rule)
@form_view
def answer(slug: str, vote_id: int) -> ResponseReturnValue:
    """Vote yes or no."""
    form = AnswerForm(locale_of(None).language, request.form)

    def act(tx: Tx, access: GameAccess) -> str:
        answer_vote(tx, access, vote_id, is_yes=form.text("answer") == "yes")
        return N_("Your vote counts. Thank you.")

    return _submit(slug, form, act)


@pages.post(urls.nudge.rule)
@form_view
def nudge(slug: str) -> ResponseReturnValue:
    """Remind the player on turn, or show the table again with the reason why not."""
    form = NudgeForm(locale_of(None).language, request.form)

    def act(tx: Tx, access: GameAccess) -> str:
        require_nudgeable(tx, access, turn_seq=form.number("turn") or 0)
        act_request = ActRequest(
            actor=access.person,
            slug=slug,
            act=acts_by_name()[GameRight.NUDGE],
            given=ActInput(),
            reason=ServerReason.OTHERS_WAIT,
            form_id=form.text("form_id"),
        )
        perform_act_request(tx, act_request)
        return N_("We've sent them a reminder.")

    return _submit(slug, form, act)


def _submit(slug: str, form: PageForm, act: Callable[[Tx, GameAccess], str]) -> ResponseReturnValue:
    """Do what a form asks for, and thank with the sentence that ``act`` returns."""
    try:
        with submission(form) as tx:
            thanks_text = act(tx, game_for(tx, slug, token(), mode="change"))
    except FormError as error:
        return show_game_page(slug, error)
    flash(form.locale_language.gettext(thanks_text), "good")
    return redirect(urls.game(slug), 303)
