"""Signing in: request an email, then use its code or its link. Only a POST uses either up.

A person who accepted an invitation before they signed in gets the seat without pressing again: the button was pressed in this
browser or in the one that requested the email, and the page with the button that signs in says that it takes the seat as well.

A visitor who wants to play against bots is asked for a name together with the address: signing in deals a newcomer's first game.
"""

from flask import Blueprint, Response, flash, redirect, request, session
from flask.typing import ResponseReturnValue
from wtforms import EmailField, HiddenField, StringField

from webapp.accounts import profile, sessions, sign_in
from webapp.accounts.emailed_codes import CodeRefused
from webapp.accounts.names import MAX_NAME_LENGTH, name_errors, normalize_name
from webapp.accounts.pages.profile import path_to_first_game
from webapp.accounts.sessions import OpenedSession
from webapp.accounts.sign_in import Browser, SignInRequest
from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Tx
from webapp.lobby.invitations import accept_invitation, link_of_invitation
from webapp.lobby.seats import SeatWish
from webapp.web.code_messages import not_signed_in_sentence
from webapp.web.context import current_context
from webapp.web.forms import (
    FormError,
    PageForm,
    form_error_for,
    form_view,
    one_line,
    required,
    submission,
)
from webapp.web.identity_gate import SignInForm
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    FirstGameRequest,
    SeatRequest,
    address_proofs,
    browser_id,
    end_session,
    first_game_request,
    locale_of,
    remember_first_game_request,
    remember_locale,
    remember_return_path,
    remember_seat_request,
    require_viewer,
    seat_request,
    start_session,
    take_return_path,
    this_device,
    token,
    viewer_from_session,
)
from webapp.web.time_zones import guessed_zone

pages = Blueprint("sign_in", __name__)


class SignUpForm(SignInForm):
    """The name is asked of those who want to play against bots; the zone is filled in by a script, where scripts run."""

    name = StringField(N_("Your name"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH})
    zone = HiddenField(render_kw={"data-browser-zone": ""})

    def check_name(self) -> None:
        """Raise FieldErrors for a name that no one can have; those who leave it empty are asked again."""
        name = normalize_name(self.text("name"))
        errors = name_errors(name) if name else []
        if errors:
            raise FieldErrors(*errors)


class CodeForm(PageForm):
    code = StringField(N_("Six-digit code"), [required])


class LinkForm(PageForm):
    """The address is for browsers other than the one that requested the email."""

    address = EmailField(N_("Your email address"), [one_line])


@pages.get(urls.sign_in.rule)
def show_sign_in() -> ResponseReturnValue:
    """Show the form that requests an email; ``return_path`` is where to go after signing in."""
    remember_return_path(request.args.get("return_path"))
    with current_context().read_only() as tx:
        viewer = viewer_from_session(tx)
    if viewer is not None:
        return redirect(take_return_path(urls.home()))
    return show_sign_in_form(SignUpForm(_request_language()))


@pages.post(urls.sign_in.rule)
@form_view
def request_sign_in() -> ResponseReturnValue:
    """Send the email; the answer is the same whether there is an account or not."""
    context = current_context()
    form = SignUpForm(_request_language(), request.form)
    remember_return_path(form.text("return_path"))
    seat = seat_request()
    try:
        with submission(form) as tx:
            form.check_name()
            sign_in.request_sign_in(
                tx,
                SignInRequest(
                    address=form.text("address"),
                    language=form.locale_language.code,
                    browser=_current_browser(),
                    sign_up=context.site_settings.current().sign_up,
                    return_path=str(session.get("return_path", "")),
                    accepted_link="" if seat is None else seat.link,
                ),
            )
    except FormError as error:
        return show_sign_in_form(form, error)
    session["requested_for"] = form.text("address")
    remember_first_game_request(form.text("name"), form.text("zone"))
    return redirect(urls.sign_in_code(), 303)


@pages.get(urls.sign_in_code.rule)
def show_code_form() -> ResponseReturnValue:
    """Show the form for the six digits from the email."""
    return _show_code_form(CodeForm(_request_language()))


@pages.post(urls.sign_in_code.rule)
@form_view
def sign_in_with_code() -> ResponseReturnValue:
    """Sign in with the code, or show how many tries are left."""
    form = CodeForm(_request_language(), request.form)
    try:
        with submission(form) as tx:
            result = sign_in.sign_in_by_code(
                tx,
                form.text("code"),
                browser=_current_browser(),
            )
            end_earlier_session(tx, result)
    except FormError as error:
        return _show_code_form(form, error)
    if isinstance(result, OpenedSession):
        return redirect_after_sign_in(result)
    # Not raised inside the submission, which would undo the count of wrong codes.
    form_error = FormError(409, not_signed_in_sentence(result, _request_language()))
    return _show_code_form(form, form_error, accepts_codes=result.tries_left != 0)


@pages.get(urls.sign_in_link.rule)
def show_sign_in_link(link: str) -> ResponseReturnValue:
    """Show a button, because mail programs open links too, or why the link does not work."""
    with current_context().read_only() as tx:
        link_state = sign_in.check_link(tx, link, browser=_current_browser())
    if link_state == "valid":
        return _show_link_button(link)
    if link_state == "other-browser":
        return _show_link_button(link, needs_address=True)
    return _answer_failed_link(link, CodeRefused(reason=link_state))


@pages.post(urls.sign_in_link.rule)
@form_view
def sign_in_with_link(link: str) -> ResponseReturnValue:
    """Sign in with the link from the email, once; another browser than the one that requested it asks for the address."""
    form = LinkForm(_request_language(), request.form)
    try:
        with submission(form) as tx:
            result = sign_in.sign_in_by_link(
                tx,
                link,
                browser=_current_browser(),
                typed_address=form.text("address"),
            )
            end_earlier_session(tx, result)
    except FormError as error:
        return _show_link_button(link, form, error, needs_address="address" in request.form)
    if isinstance(result, OpenedSession):
        return redirect_after_sign_in(result)
    if result.reason in {"wrong-address", "other-browser"}:
        sentence = not_signed_in_sentence(result, _request_language())
        return _show_link_button(link, form, FormError(409, sentence), needs_address=True)
    return _answer_failed_link(link, result)


@pages.post(urls.sign_out.rule)
def sign_out() -> ResponseReturnValue:
    """End the session. With a ``return_path``, another account is asked for next, which continues there."""
    return_path = request.form.get("return_path")
    with current_context().transaction() as tx:
        sessions.sign_out(tx, token())
    end_session()
    return redirect(
        urls.home() if return_path is None else urls.sign_in(return_path=return_path), 303
    )


def show_sign_in_form(form: SignUpForm, error: FormError | None = None) -> Response:
    """Return the form that requests an email, for instance because something else failed."""
    return render_page(
        "accounts/sign_in/request.html",
        viewer=None,
        nav_position=PagePosition(urls.sign_in()),
        status=200 if error is None else error.status,
        form=form,
        sign_up=current_context().site_settings.current().sign_up,
        takes_seat=seat_request() is not None,
        starts_bot_game=session.get("return_path") == urls.bot_game(),
        has_moved=bool(current_context().settings.old_hosts),
        error=error,
    )


def _show_code_form(
    form: CodeForm, error: FormError | None = None, *, accepts_codes: bool = True
) -> Response:
    return render_page(
        "accounts/sign_in/code.html",
        viewer=None,
        nav_position=PagePosition(urls.sign_in_code()),
        status=200 if error is None else error.status,
        form=form,
        error=error,
        takes_seat=seat_request() is not None,
        starts_game=first_game_request() is not None,
        address=session.get("requested_for"),
        takes_codes=accepts_codes,
    )


def _show_link_button(
    link: str,
    form: LinkForm | None = None,
    error: FormError | None = None,
    *,
    needs_address: bool = False,
) -> Response:
    return render_page(
        "accounts/sign_in/link.html",
        viewer=None,
        nav_position=PagePosition(urls.sign_in_link(link)),
        status=200 if error is None else error.status,
        link=link,
        form=form or LinkForm(_request_language()),
        needs_address=needs_address,
        takes_seat=seat_request() is not None or _takes_seat(link),
        starts_game=first_game_request() is not None,
        error=error,
    )


def _takes_seat(link: str) -> bool:
    """Return whether the email was requested to take a seat, perhaps in another browser."""
    with current_context().read_only() as tx:
        return sign_in.takes_seat(tx, link)


def _answer_failed_link(link: str, result: CodeRefused) -> ResponseReturnValue:
    """Return the form for another email, with the reason; redirect a player whom the link has already signed in."""
    if result.reason == "used" and _has_signed_in_with(link):
        flash(_request_language().gettext("You're already signed in."), "info")
        return redirect(take_return_path(urls.home()), 303)
    error = FormError(409, not_signed_in_sentence(result, _request_language()))
    return show_sign_in_form(SignUpForm(_request_language()), error)


def _has_signed_in_with(link: str) -> bool:
    with current_context().read_only() as tx:
        return sign_in.has_used_link(tx, link, cookie=token())


def end_earlier_session(tx: Tx, result: object) -> None:
    """End the session that this browser had, now that it has another one: nothing else knows its token any more."""
    if isinstance(result, OpenedSession):
        sessions.sign_out(tx, token())


def redirect_after_sign_in(signed_in: OpenedSession) -> ResponseReturnValue:
    """Start the session; ask a new player for a name first, then continue where they were going."""
    keys = current_context().keys
    first_game = first_game_request()
    start_session(signed_in, sign_in.address_proof(signed_in.person.address, keys))
    _remember_request_of_email(signed_in)
    seat = seat_request()
    if not signed_in.person.name:
        path = _path_of_newcomer(first_game) if seat is None else urls.invited_name(seat.link)
        return redirect(path, 303)
    if seat is not None:
        return _take_requested_seat(seat)
    return redirect(take_return_path(urls.home()), 303)


def _path_of_newcomer(first_game: FirstGameRequest | None) -> str:
    """Deal the first game of a newcomer who has given a name, and return its path; otherwise that of the page that asks for one."""
    if first_game is None:
        return urls.profile()
    context = current_context()
    zone = guessed_zone(first_game.zone, request.accept_languages, now=context.now())
    try:
        with context.transaction() as tx:
            viewer = require_viewer(tx)
            person = profile.change_profile(
                tx,
                viewer,
                name=first_game.name,
                language=viewer.language,
                zone=zone,
                picks_gold=viewer.picks_gold,
            )
    except FieldErrors as refusal:
        flash(form_error_for(refusal).text, "warn")
        return urls.profile()
    remember_locale(person)
    take_return_path(urls.home())
    return path_to_first_game()


def _remember_request_of_email(signed_in: OpenedSession) -> None:
    """Keep the invitation that was being accepted when the email was requested, perhaps in another browser."""
    if signed_in.invitation_id is None or seat_request() is not None:
        return
    context = current_context()
    with context.read_only() as tx:
        link = link_of_invitation(tx, signed_in.invitation_id)
    if link is not None:
        remember_seat_request(link, seen_removals=None)


def _take_requested_seat(request: SeatRequest) -> ResponseReturnValue:
    """Give the viewer the seat and redirect to the table; otherwise redirect to the invitation, or to choose another name."""
    context = current_context()
    take_return_path(urls.home())
    try:
        with context.transaction() as tx:
            viewer = require_viewer(tx)
            wish = SeatWish(seen_removals=request.seen_removals)
            slug = accept_invitation(tx, request.link, viewer, wish=wish)
    except FieldErrors as refusal:
        flash(form_error_for(refusal).text, "warn")
        return redirect(urls.invited_name(request.link), 303)
    except NotFound:
        return redirect(urls.invitation(request.link), 303)
    except NotAllowed as refusal:
        if refusal.reason is not DenialReason.ALREADY_SEATED:
            flash(form_error_for(refusal).text, "warn")
        return redirect(urls.invitation(request.link), 303)
    context.nudge(tx.nudges)
    return redirect(urls.game(slug), 303)


def _current_browser() -> Browser:
    return Browser(
        key=browser_id(current_context().tokens),
        device=this_device(),
        address_proofs=address_proofs(),
    )


def _request_language() -> Language:
    return locale_of(None).language
