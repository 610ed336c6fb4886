"""The members of a club: who asks to join, inviting, accepting an invitation, and what moderators and the founder decide."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue

from webapp.clubs import joining, members
from webapp.clubs.access import ClubAccess, club_for
from webapp.clubs.invitations import invite_to_club, replace_club_link
from webapp.clubs.lists import MembersPage, members_page
from webapp.clubs.pages.forms import (
    InviteToClubForm,
    MemberForm,
    UseCase,
    act_in_club,
    browser_language,
)
from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.kernel.rights import ClubRight
from webapp.kernel.tx import Tx
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.identity_gate import require_proof
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    SignInRequired,
    checked_viewer,
    locale_of,
    redirect_to_introduction,
    token,
    viewer_from_session,
)

pages = Blueprint("club_members", __name__)
_SUCCESS_TEXTS: Final = {
    "approve": N_("They're a member now."),
    "refuse": N_("Request declined."),
    "remove": N_("Removed. The club's link is a new one, so the old one no longer works."),
    "promote": N_("They're a moderator now."),
    "demote": N_("They're a member like the others again."),
    "hand-over": N_("The club has a new founder. You're still a moderator."),
}
_RIGHT_BY_VERB: Final = {
    "approve": ClubRight.ADMIT_MEMBER,
    "refuse": ClubRight.ADMIT_MEMBER,
    "remove": ClubRight.REMOVE_MEMBER,
    "promote": ClubRight.APPOINT_CLUB_MODERATOR,
    "demote": ClubRight.APPOINT_CLUB_MODERATOR,
    "hand-over": ClubRight.HAND_OVER_CLUB,
}


@pages.get(urls.club_members.rule)
def show_members(slug: str) -> ResponseReturnValue:
    return _show_members(slug)


@pages.post(f"{urls.club.rule}/invite")
@form_view
def invite(slug: str) -> ResponseReturnValue:
    form = InviteToClubForm(browser_language(), request.form)

    def send(tx: Tx, access: ClubAccess) -> None:
        address = form.text("address")
        invite_to_club(tx, access, address=address)

    return _submit_member_change(slug, form, send, success_message=N_("Invitation sent."))


@pages.post(f"{urls.club.rule}/link")
@form_view
def renew_link(slug: str) -> ResponseReturnValue:
    """Replace the club's link."""
    form = PageForm(browser_language(), request.form)

    def renew_club_link(tx: Tx, access: ClubAccess) -> None:
        replace_club_link(tx, access)

    return _submit_member_change(
        slug,
        form,
        renew_club_link,
        success_message=N_("The club has a new link. The old one no longer works."),
    )


@pages.post(urls.club_member_action.rule)
@form_view
def decide(slug: str, member: int, verb: str) -> ResponseReturnValue:
    """Approve, refuse, remove, promote or demote someone, or hand the club over to them."""
    form = MemberForm(browser_language(), request.form)

    def change(tx: Tx, access: ClubAccess) -> None:
        target = members.find_member(tx, access, member, form.text("proof"))
        members.decide_on_member(tx, access, target, verb, reason=form.text("reason"))
        require_proof(tx, _RIGHT_BY_VERB[verb])

    return _submit_member_change(slug, form, change, success_message=_SUCCESS_TEXTS[verb])


@pages.get(urls.club_invitation.rule)
def show_club_invitation(link: str) -> ResponseReturnValue:
    """Show the club and a button; only a POST accepts the invitation."""
    return _show_invitation(link)


@pages.post(urls.club_invitation.rule)
@form_view
def accept_club_invitation(link: str) -> ResponseReturnValue:
    """Join the club; a viewer who is signed out or has no name yet is redirected there and back first."""
    form = PageForm(browser_language(), request.form)
    try:
        with submission(form) as tx:
            viewer = viewer_from_session(tx)
            if viewer is None or not viewer.name:
                return redirect_to_introduction(viewer, urls.club_invitation(link))
            slug = joining.accept_club_invitation(tx, link, viewer)
    except FormError as error:
        return _show_invitation(link, error)
    flash(browser_language().gettext("Welcome to the club!"), "good")
    return redirect(urls.club(slug), 303)


def _submit_member_change(
    slug: str, form: PageForm, use_case: UseCase, *, success_message: str
) -> ResponseReturnValue:
    return act_in_club(
        slug,
        form,
        use_case,
        success_message=success_message,
        redirect_path=urls.club_members(slug),
        show_again=_show_members,
    )


def _show_members(
    slug: str, submitted_form: PageForm | None = None, error: FormError | None = None
) -> Response:
    """Return the page of members. Raises SignInRequired, NotFound and NotAllowed."""
    context = current_context()
    with context.read_only() as tx:
        access = club_for(tx, slug, token())
        if checked_viewer(access.me) is None:
            raise SignInRequired
        page = members_page(tx, access)
    language = locale_of(page.me).language
    return render_page(
        "clubs/members.html",
        viewer=page.me,
        nav_position=PagePosition(urls.club_members(slug)),
        status=200 if error is None else error.status,
        page=page,
        error=error,
        club_link=_club_link(page),
        member_form=submitted_form
        if isinstance(submitted_form, MemberForm)
        else MemberForm(language),
        invite_form=submitted_form
        if isinstance(submitted_form, InviteToClubForm)
        else InviteToClubForm(language),
    )


def _club_link(page: MembersPage) -> str | None:
    if page.link_token is None:
        return None
    base_url = current_context().settings.base_url
    return urls.absolute_url(base_url, urls.club_invitation(page.link_token))


def _show_invitation(link: str, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        page = joining.club_invitation_page(tx, link, token())
    return render_page(
        "clubs/invitation.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.club_invitation(link), default_language=page.language),
        status=200 if error is None else error.status,
        page=page,
        link=link,
        error=error,
    )
