"""Playing from an invitation: look at the table, sign in if need be, and sit down."""

from flask import Blueprint, Response, redirect, request
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.pages.lobby.seat_form import sit_form
from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import person_for
from webapp.services.lobby import invitations
from webapp.services.tx import read_only, transaction
from webapp.web.context import current_context
from webapp.web.inputs import Inputs
from webapp.web.layout import Here, show
from webapp.web.problems import Problem, shown_again_by
from webapp.web.session import go_back_to, known, locale_of, token

pages = Blueprint("invitation", __name__)


@pages.get("/invitations/<token:link>")
def show_invitation(link: str) -> ResponseReturnValue:
    """The table and a button; nothing is accepted by looking."""
    return _invitation(link)


def show_invitation_again(problem: Problem, *, link: str) -> Response:
    return _invitation(link, problem)


@pages.post("/invitations/<token:link>")
@shown_again_by(show_invitation_again)
def accept_invitation(link: str) -> ResponseReturnValue:
    """Sit down; who is not signed in, or has no name yet, is led there and back."""
    inputs = Inputs(request.form)
    seat = inputs.number_if_any("seat")
    name = inputs.text("name")
    inputs.check()
    with transaction(current_context().database) as tx:
        me = person_for(tx, token(), now=current_context().now())
        if me is None or not me.name:
            return _introduce(link, me)
        slug = invitations.accept_invitation(
            tx, link, me, seat=seat, name=name, now=current_context().now()
        )
    current_context().nudge(tx.nudges)
    return redirect(urls.game(slug), 303)


def _introduce(link: str, me: Person | None) -> ResponseReturnValue:
    go_back_to(urls.invitation(link))
    return redirect(urls.sign_in() if me is None else urls.profile(), 303)


def _invitation(link: str, problem: Problem | None = None) -> Response:
    with read_only(current_context().database) as tx:
        page = invitations.invitation_page(tx, link, token(), now=current_context().now())
    return show(
        "lobby/invitation.html",
        me=known(page.me),
        here=Here(urls.invitation(link)),
        status=200 if problem is None else problem.status,
        page=page,
        link=link,
        problem=problem,
        sit_form=sit_form(problem, page.me, locale_of(page.me).language),
    )
