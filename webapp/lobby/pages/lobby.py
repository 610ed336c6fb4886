"""A table before the deal: sit, leave, get ready, add bots, invite, cancel. Its page has the same URL as the game."""

from collections.abc import Callable

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.accounts.person import Person
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.tx import Tx
from webapp.lobby import host_actions, invitations, ready_check, seats
from webapp.lobby.lobby_page import LobbyPage, lobby_page, require_no_unanswered_invitations
from webapp.lobby.pages.forms import (
    FillWithBotsForm,
    InviteForm,
    LeaveForm,
    ReadyForm,
    RemovePlayerForm,
    StarterForm,
    TakeSeatForm,
    form_asking_for_name,
)
from webapp.lobby.ready_check import salt_of_seat
from webapp.play.access import LoadedGame, game_for
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    SignInRequired,
    checked_viewer,
    locale_of,
    redirect_to_introduction,
    token,
)

pages = Blueprint("lobby", __name__)

UseCase = Callable[[Tx, LoadedGame, Person], object]


def show_lobby(
    page: LobbyPage, submitted_form: PageForm | None = None, error: FormError | None = None
) -> Response:
    """Return the page of a table before the deal, or of a cancelled one, with a form that was refused."""
    return render_page(
        "lobby/lobby.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.game(page.table.slug), page.table.slug),
        status=200 if error is None else error.status,
        page=page,
        error=error,
        table_link=_table_link(page),
        **_lobby_forms(page, submitted_form),
    )


@pages.post(f"{urls.game.rule}/sit")
@form_view
def take_seat(slug: str) -> ResponseReturnValue:
    form = TakeSeatForm(_request_language(), request.form)

    def seat_viewer(tx: Tx, game: LoadedGame, viewer: Person) -> None:
        seats.take_seat(tx, game, viewer, wish=form.wish())

    return _change_table(slug, form, seat_viewer)


@pages.post(f"{urls.game.rule}/leave")
@form_view
def leave(slug: str) -> ResponseReturnValue:
    """Leave the seat and redirect to a page that the viewer may still see; a form sent twice gets the same answer."""
    form = LeaveForm(_request_language(), request.form)
    try:
        with submission(form) as tx:
            form_token = form.text("form_token")
            may_see_table = seats.leave_seat_once(tx, slug, token(), form_token=form_token)
    except FormError as error:
        return _show_table_again(slug, form, error)
    flash(_seat_left_sentence(_request_language(), may_see_table=may_see_table), "good")
    return redirect(urls.game(slug) if may_see_table else urls.home(), 303)


@pages.post(f"{urls.game.rule}/ready")
@form_view
def confirm_ready(slug: str) -> ResponseReturnValue:
    form = ReadyForm(_request_language(), request.form)

    def confirm_viewer_ready(tx: Tx, game: LoadedGame, viewer: Person) -> None:
        ready_check.confirm_ready(tx, game, viewer, salt=form.salt.data or "")

    return _change_table(slug, form, confirm_viewer_ready)


@pages.post(f"{urls.game.rule}/unready")
@form_view
def withdraw_ready(slug: str) -> ResponseReturnValue:
    return _press_button(slug, ready_check.withdraw_ready)


@pages.post(f"{urls.game.rule}/fill")
@form_view
def fill_with_bots(slug: str) -> ResponseReturnValue:
    form = FillWithBotsForm(_request_language(), request.form)

    def fill_seats(tx: Tx, game: LoadedGame, viewer: Person) -> None:
        if not form.is_confirmed:
            require_no_unanswered_invitations(tx, game, viewer)
        salt = salt_of_seat(current_context().keys, game, viewer)
        host_actions.fill_with_bots(tx, game, viewer, level=form.text("level"), salt=salt)

    return _change_table(slug, form, fill_seats)


@pages.post(f"{urls.game.rule}/cancel")
@form_view
def cancel(slug: str) -> ResponseReturnValue:
    return _press_button(slug, host_actions.cancel_table)


@pages.post(f"{urls.game.rule}/remove")
@form_view
def remove_player(slug: str) -> ResponseReturnValue:
    form = RemovePlayerForm(_request_language(), request.form)

    def remove(tx: Tx, game: LoadedGame, viewer: Person) -> None:
        host_actions.remove_player(tx, game, viewer, form.removal_request())

    success_message = _request_language().gettext("The seat is free again.")
    return _change_table(slug, form, remove, success_message=success_message)


@pages.post(f"{urls.game.rule}/starter")
@form_view
def choose_starter(slug: str) -> ResponseReturnValue:
    form = StarterForm(_request_language(), request.form)

    def choose(tx: Tx, game: LoadedGame, viewer: Person) -> None:
        host_actions.choose_starter(tx, game, viewer, seat=form.seat_number())

    return _change_table(slug, form, choose)


@pages.post(f"{urls.game.rule}/invite")
@form_view
def invite(slug: str) -> ResponseReturnValue:
    form = InviteForm(_request_language(), request.form)

    def send_invitation(tx: Tx, game: LoadedGame, viewer: Person) -> None:
        invitations.invite(
            tx,
            game,
            viewer,
            address=form.text("address"),
        )

    success_message = _request_language().gettext("Invitation sent.")
    return _change_table(slug, form, send_invitation, success_message=success_message)


def _press_button(slug: str, use_case: UseCase) -> ResponseReturnValue:
    """Run the use case of a form that is only a button."""
    return _change_table(slug, PageForm(_request_language(), request.form), use_case)


def _change_table(
    slug: str, form: PageForm, use_case: UseCase, *, success_message: str = ""
) -> ResponseReturnValue:
    """Run a use case on the locked game and redirect to its page, with the message ``success_message`` if there is one."""
    try:
        with submission(form) as tx:
            game, _, viewer = game_for(tx, slug, token(), mode="change")
            if viewer is None:
                raise SignInRequired
            if not viewer.name:
                return redirect_to_introduction(viewer, urls.game(slug))
            use_case(tx, game, viewer)
    except FormError as error:
        return _show_table_again(slug, form, error)
    if success_message:
        flash(success_message, "good")
    return redirect(urls.game(slug), 303)


def _show_table_again(slug: str, form: PageForm, error: FormError) -> ResponseReturnValue:
    """Return the lobby with the refused form; redirect to the game with the message if it has begun meanwhile."""
    context = current_context()
    with context.read_only() as tx:
        game, _, viewer = game_for(tx, slug, token())
        if game.is_dealt:
            flash(error.text, "warn")
            return redirect(urls.game(slug), 303)
        page = lobby_page(tx, game, viewer)
    return show_lobby(page, form, error)


def _lobby_forms(page: LobbyPage, submitted_form: PageForm | None) -> dict[str, PageForm | None]:
    """Return the forms of the page by name, the submitted one with what was typed and its errors."""
    language, starter = locale_of(page.me).language, page.table.starter
    starter_value = "" if starter is None else str(starter + 1)
    starter_form = (
        submitted_form
        if isinstance(submitted_form, StarterForm)
        else StarterForm(language, starter=starter_value)
    )
    starter_form.offer_seats(page.seats)
    return {
        "sit_form": form_asking_for_name(submitted_form, page.me),
        "ready_form": _ready_form(page, submitted_form),
        "invite_form": submitted_form
        if isinstance(submitted_form, InviteForm)
        else InviteForm(language),
        "starter_form": starter_form,
        "fill_form": submitted_form
        if isinstance(submitted_form, FillWithBotsForm)
        else FillWithBotsForm(language),
    }


def _ready_form(page: LobbyPage, submitted_form: PageForm | None) -> ReadyForm:
    """Return the form with what was typed, or with the words that the server suggests if that was nothing."""
    if not isinstance(submitted_form, ReadyForm):
        return ReadyForm(locale_of(page.me).language, salt=page.my_salt)
    if not submitted_form.text("salt"):
        submitted_form.salt.data = page.my_salt
    return submitted_form


def _seat_left_sentence(language: Language, *, may_see_table: bool) -> str:
    if may_see_table:
        return language.gettext("You've left your seat.")
    return language.gettext(
        "You've left your seat. To come back, use your invitation or the table's link."
    )


def _table_link(page: LobbyPage) -> str | None:
    if page.link_token is None:
        return None
    return urls.absolute_url(current_context().settings.base_url, urls.invitation(page.link_token))


def _request_language() -> Language:
    return locale_of(None).language
