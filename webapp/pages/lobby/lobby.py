"""A table before the deal: sit, stand, get ready, let bots sit, invite, cancel. Its page is the table's own address."""

from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import EmailField, Form, SelectField, StringField

from webapp import urls
from webapp.i18n import Language
from webapp.pages.lobby.seat_form import sit_form
from webapp.pages.play.move_picker import selection_from
from webapp.pages.play.table_page import read_game_page, show_running
from webapp.services.accounts.person import Person
from webapp.services.errors import Denied, NotAllowed
from webapp.services.keys import TokenSource
from webapp.services.lobby import host_actions, invitations, ready_check, seats
from webapp.services.lobby.lobby_page import LobbyPage
from webapp.services.play.access import LoadedGame, game_for
from webapp.services.tx import Tx, transaction
from webapp.web.context import current_context
from webapp.web.forms import labelled, marked, typed
from webapp.web.inputs import Inputs
from webapp.web.layout import Here, show
from webapp.web.problems import Problem, shown_again_by
from webapp.web.session import go_back_to, known, locale_of, token

pages = Blueprint("lobby", __name__)

UseCase = Callable[[Tx, LoadedGame, Person, datetime], object]


class SaltForm(Form):
    salt = StringField()


class InviteForm(Form):
    address = EmailField()


class StarterForm(Form):
    starter = SelectField(validate_choice=False)


def show_lobby(page: LobbyPage, problem: Problem | None = None) -> Response:
    """The table as the reader may see it before the deal, or one that was cancelled."""
    language = locale_of(page.me).language
    return show(
        "lobby/lobby.html",
        me=known(page.me),
        here=Here(urls.game(page.table.slug), page.table.slug),
        status=200 if problem is None else problem.status,
        page=page,
        problem=problem,
        sit_form=sit_form(problem, page.me, language),
        salt_form=marked(_salt_form(page, language), problem, language),
        invite_form=marked(_invite_form(language), problem, language),
        starter_form=marked(_starter_form(page, language), problem, language),
        table_link=_table_link(page),
    )


def show_table_again(problem: Problem, *, slug: str) -> Response:
    """The present state of the table, with what was refused."""
    page = read_game_page(slug)
    if isinstance(page, LobbyPage):
        return show_lobby(page, problem)
    return show_running(page, selection_from({}), problem)


def show_readiness_again(problem: Problem, *, slug: str) -> ResponseReturnValue:
    """The same; but whoever pressed twice was dealt cards by the first press, and is led to them."""
    page = read_game_page(slug)
    if isinstance(page, LobbyPage):
        return show_lobby(page, problem)
    flash(problem.text, "warn")
    return redirect(urls.game(slug), 303)


@pages.post("/games/<slug:slug>/sit")
@shown_again_by(show_table_again)
def sit(slug: str) -> ResponseReturnValue:
    inputs = Inputs(request.form)
    seat = inputs.number_if_any("seat")
    name = inputs.text("name")
    inputs.check()
    return _do(
        slug,
        lambda tx, game, me, now: seats.take_seat(tx, game, me, seat=seat, name=name, now=now),
    )


@pages.post("/games/<slug:slug>/stand")
@shown_again_by(show_table_again)
def stand(slug: str) -> ResponseReturnValue:
    """Stand up, and go where one may still look; a second press is answered as the first was."""
    with transaction(current_context().database) as tx:
        may_look = seats.leave_seat_once(
            tx,
            slug,
            token(),
            form_token=request.form.get("mark", ""),
            keys=current_context().keys,
            now=current_context().now(),
        )
    flash(_left(locale_of(None).language, may_look=may_look), "good")
    return redirect(urls.game(slug) if may_look else urls.home(), 303)


@pages.post("/games/<slug:slug>/ready")
@shown_again_by(show_readiness_again)
def ready(slug: str) -> ResponseReturnValue:
    """Be ready; the salt goes in as it was typed, spaces and all."""
    salt = request.form.get("salt", "")
    return _do(
        slug, lambda tx, game, me, now: ready_check.confirm_ready(tx, game, me, salt=salt, now=now)
    )


@pages.post("/games/<slug:slug>/unready")
@shown_again_by(show_table_again)
def unready(slug: str) -> ResponseReturnValue:
    return _do(slug, lambda tx, game, me, _: ready_check.withdraw_ready(tx, game, me))


@pages.post("/games/<slug:slug>/fill")
@shown_again_by(show_table_again)
def fill(slug: str) -> ResponseReturnValue:
    return _do(slug, lambda tx, game, me, now: host_actions.fill_with_bots(tx, game, me, now=now))


@pages.post("/games/<slug:slug>/cancel")
@shown_again_by(show_table_again)
def cancel(slug: str) -> ResponseReturnValue:
    return _do(slug, lambda tx, game, me, now: host_actions.cancel_table(tx, game, me, now=now))


@pages.post("/games/<slug:slug>/starter")
@shown_again_by(show_table_again)
def choose_starter(slug: str) -> ResponseReturnValue:
    inputs = Inputs(request.form)
    number = inputs.number_if_any("starter")
    inputs.check()
    seat = None if number is None else number - 1
    return _do(
        slug,
        lambda tx, game, me, now: host_actions.choose_starter(tx, game, me, seat=seat, now=now),
    )


@pages.post("/games/<slug:slug>/invite")
@shown_again_by(show_table_again)
def invite_somebody(slug: str) -> ResponseReturnValue:
    inputs = Inputs(request.form)
    address = inputs.text("address")
    inputs.check()
    return _do(
        slug,
        lambda tx, game, me, now: _invite(tx, game, me, address=address, now=now),
        done=locale_of(None).language.gettext("The invitation is on its way."),
    )


def _invite(tx: Tx, game: LoadedGame, me: Person, *, address: str, now: datetime) -> None:
    invitations.invite(
        tx,
        game,
        me,
        address=address,
        source=TokenSource(current_context().keys, current_context().tokens),
        now=now,
    )


def _do(slug: str, use_case: UseCase, *, done: str = "") -> ResponseReturnValue:
    """Open the game, do this, commit, nudge, and show the table; ``done`` is what to say then."""
    now = current_context().now()
    with transaction(current_context().database) as tx:
        game, _, me = game_for(tx, slug, token(), now=now, mode="change")
        if me is None:
            raise NotAllowed(Denied.NOT_SEATED)
        if not me.name:
            go_back_to(urls.game(slug))
            return redirect(urls.profile(), 303)
        use_case(tx, game, me, now)
    current_context().nudge(tx.nudges)
    if done:
        flash(done, "good")
    return redirect(urls.game(slug), 303)


def _left(language: Language, *, may_look: bool) -> str:
    if may_look:
        return language.gettext("You have stood up.")
    return language.gettext(
        "You have stood up. Your invitation or the table's link leads you back there."
    )


def _salt_form(page: LobbyPage, language: Language) -> SaltForm:
    form = SaltForm(typed(), salt=page.my_salt)
    return labelled(form, {"salt": language.gettext("A pinch of salt, if you like")})


def _invite_form(language: Language) -> InviteForm:
    return labelled(InviteForm(typed()), {"address": language.gettext("Mail address")})


def _starter_form(page: LobbyPage, language: Language) -> StarterForm:
    starter = page.table.starter
    form = StarterForm(typed(), starter="" if starter is None else str(starter + 1))
    seats = [
        (str(seat.number + 1), _seat_name(seat.number, seat.name, language)) for seat in page.seats
    ]
    form.starter.choices = [("", language.gettext("Chance decides")), *seats]
    return labelled(form, {"starter": language.gettext("Who starts the first round")})


def _seat_name(number: int, name: str, language: Language) -> str:
    if not name:
        return language.gettext("Seat %(seat)s", seat=number + 1)
    return language.gettext("Seat %(seat)s: %(name)s", seat=number + 1, name=name)


def _table_link(page: LobbyPage) -> str | None:
    if page.link_token is None:
        return None
    return urls.absolute(current_context().settings.base_url, urls.invitation(page.link_token))
