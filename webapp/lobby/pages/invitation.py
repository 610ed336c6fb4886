"""Accepting an invitation: show the table, sign in or choose a name if necessary, and take a seat.

A newcomer gets the name, the account if there is none, and the seat in one step.
"""

from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.accounts.person import Person
from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.tx import Tx
from webapp.lobby import invitations
from webapp.lobby.invitations import (
    Introduction,
    InvitationTooLate,
    InvitedNewcomer,
    SeatedNewcomer,
    StartedGame,
    Stranger,
    proved_address,
)
from webapp.lobby.pages.forms import TakeSeatForm, form_asking_for_name
from webapp.lobby.seats import SeatWish
from webapp.web.context import current_context
from webapp.web.error_handlers import record_denied_access
from webapp.web.forms import FormError, PageForm, form_view, one_line, optional_number, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    checked_viewer,
    locale_of,
    remember_locale,
    remember_seat_request,
    start_session,
    take_return_path,
    this_device,
    token,
    viewer_from_session,
)
from webapp.web.time_zones import DEFAULT_ZONE, guessed_zone

pages = Blueprint("invitation", __name__)
_REFUSED_STATUS: Final = 409
"""The status if the table has no seat for the person, whatever their name."""


class NameForm(PageForm):
    """The name; the zone is filled in by a script, where scripts run."""

    name = StringField(N_("Your name"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH})
    zone = HiddenField(render_kw={"data-browser-zone": ""})
    removals = HiddenField(validators=[optional_number])

    def wish(self, name: str = "") -> SeatWish:
        return SeatWish(seen_removals=self.number("removals") or 0, name=name)

    def introduction(self, language: Language) -> Introduction:
        """Return what the newcomer says, with the zone in which they probably live."""
        zone = guessed_zone(
            self.text("zone"), request.accept_languages, now=current_context().now()
        )
        return Introduction(name=self.text("name"), language=language.code, zone=zone)


@pages.get(urls.invitation.rule)
def show_invitation(link: str) -> ResponseReturnValue:
    """Show the table and a button, or lead a player to the game that has begun; only a POST accepts the invitation."""
    return _show_invitation(link)


@pages.post(urls.invitation.rule)
@form_view
def accept_invitation(link: str) -> ResponseReturnValue:
    """Take a seat; a viewer who is signed out or has no name yet is asked for that first, and gets the seat right after."""
    form = TakeSeatForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return _introduce(tx, viewer, link, seen_removals=form.wish().seen_removals)
            slug = invitations.accept_invitation(tx, link, viewer, wish=form.wish())
    except FormError as error:
        return _show_invitation(link, form, error)
    return redirect(urls.game(slug), 303)


@pages.get(urls.invited_name.rule)
def show_name_form(link: str) -> ResponseReturnValue:
    """Ask for a name; a viewer who has to sign in first is led back to the invitation."""
    return _show_form(link)


@pages.post(urls.invited_name.rule)
@form_view
def take_named_seat(link: str) -> ResponseReturnValue:
    """Give the newcomer a name and a seat, or neither; someone with a name gets another one for this table."""
    form = NameForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is not None and viewer.name:
                wish = form.wish(name=form.text("name"))
                slug = invitations.accept_invitation(tx, link, viewer, wish=wish)
                return redirect(urls.game(slug), 303)
            if viewer is None and _must_sign_in(tx, link):
                remember_seat_request(link, seen_removals=form.wish().seen_removals)
                return redirect(urls.sign_in(), 303)
            seated = _seat_newcomer(tx, link, viewer, form)
    except FormError as error:
        if error.status == _REFUSED_STATUS:
            flash(error.text, "warn")
            return redirect(urls.invitation(link), 303)
        return _show_form(link, form, error)
    return _welcome(seated, form.locale_language)


@pages.errorhandler(NotFound)
def show_gone_invitation(reason: NotFound) -> Response:
    """Say what may have become of an invitation: the same whether it is unknown, or to a table that the viewer may not see.

    Who was invited by email and comes too late reads that, and whom to ask for the next table.
    """
    if isinstance(reason, InvitationTooLate):
        return render_page(
            "lobby/late_invitation.html", viewer=None, status=410, inviter=reason.inviter
        )
    record_denied_access()
    return render_page("lobby/gone_invitation.html", viewer=None, status=404)


def _show_invitation(
    link: str, form: TakeSeatForm | None = None, error: FormError | None = None
) -> ResponseReturnValue:
    with current_context().read_only() as tx:
        page = invitations.invitation_page(tx, link, token())
    if isinstance(page, StartedGame):
        return redirect(urls.game(page.slug), 303)
    return render_page(
        "lobby/invitation.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.invitation(link)),
        status=200 if error is None else error.status,
        page=page,
        link=link,
        error=error,
        sit_form=form_asking_for_name(form, page.me),
    )


def _introduce(
    tx: Tx, viewer: Person | None, link: str, *, seen_removals: int | None
) -> ResponseReturnValue:
    """Redirect to choose a name, or to sign in first. Raises NotFound, and NotAllowed if there is no seat to be had."""
    page = invitations.invitation_page(tx, link, viewer)
    if isinstance(page, StartedGame):
        return redirect(urls.game(page.slug), 303)
    if page.table.taken >= page.table.seats:
        raise NotAllowed(DenialReason.TABLE_FULL)
    remember_seat_request(link, seen_removals=seen_removals)
    sign_up = current_context().site_settings.current().sign_up
    is_address_used = "elsewhere" not in request.form
    has_address = is_address_used and proved_address(tx, link, sign_up) is not None
    is_known = viewer is not None or has_address
    return redirect(urls.invited_name(link) if is_known else urls.sign_in(), 303)


def _must_sign_in(tx: Tx, link: str) -> bool:
    context = current_context()
    sign_up = context.site_settings.current().sign_up
    newcomer = invitations.invited_newcomer(tx, link, None, sign_up=sign_up)
    return newcomer is None


def _seat_newcomer(tx: Tx, link: str, viewer: Person | None, form: NameForm) -> SeatedNewcomer:
    context, introduction = current_context(), form.introduction(form.locale_language)
    if viewer is not None:
        return invitations.seat_named_person(tx, link, viewer, introduction, wish=form.wish())
    sign_up = context.site_settings.current().sign_up
    stranger = Stranger(introduction=introduction, device=this_device(), sign_up=sign_up)
    return invitations.seat_stranger(tx, link, stranger)


def _welcome(seated: SeatedNewcomer, language: Language) -> ResponseReturnValue:
    """Start the session of a new account and redirect to the table."""
    if seated.session is not None:
        # The email with the invitation was sent because of someone else, so it lifts no limits here.
        start_session(seated.session, None)
    remember_locale(seated.person)
    take_return_path(urls.home())
    if seated.person.zone == DEFAULT_ZONE:
        flash(
            language.gettext("Times are shown in UTC. You can set your time zone in your account."),
            "info",
        )
    return redirect(urls.game(seated.slug), 303)


def _show_form(
    link: str, form: NameForm | None = None, error: FormError | None = None
) -> ResponseReturnValue:
    context = current_context()
    sign_up = context.site_settings.current().sign_up
    with context.read_only() as tx:
        newcomer = invitations.invited_newcomer(tx, link, token(), sign_up=sign_up)
    if isinstance(newcomer, StartedGame):
        return redirect(urls.game(newcomer.slug), 303)
    if newcomer is None or (newcomer.invitation.is_seated and error is None):
        return redirect(urls.invitation(link), 303)
    viewer = checked_viewer(newcomer.invitation.me)
    return render_page(
        "lobby/invited_name.html",
        viewer=viewer,
        nav_position=PagePosition(urls.invitation(link)),
        status=200 if error is None else error.status,
        form=form or _empty_form(newcomer, viewer),
        page=newcomer.invitation,
        masked_address=newcomer.masked_address,
        link=link,
        error=error,
    )


def _empty_form(newcomer: InvitedNewcomer, viewer: Person | None) -> NameForm:
    return NameForm(
        locale_of(viewer).language,
        name="" if viewer is None else viewer.name,
        removals=str(newcomer.invitation.removals),
    )
