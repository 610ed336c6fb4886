"""Build the contexts of emails about clubs from their notifications; or find that they are superseded."""

from webapp.services.clubs.invitation_links import club_invitation_token
from webapp.services.notifications.email_context import (
    ClubActContext,
    ClubAnnouncementContext,
    ClubAnswerContext,
    ClubInvitationContext,
    ClubRequestContext,
)
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.store.notifications.club_facts import ClubFacts


def club_invitation(source: EmailSource) -> ClubInvitationContext:
    """Return the invitation. Raises Superseded if it was accepted or deleted, or if the recipient is a member by now."""
    club, notification = _open_club(source), source.notification
    if notification.is_used or notification.nonce is None:
        raise Superseded("accepted")
    if club.is_member:
        raise Superseded("member")
    return ClubInvitationContext(
        envelope=envelope_for(source),
        club=club.name,
        inviter=notification.inviter or "",
        token=club_invitation_token(notification.nonce, source.keys),
    )


def club_announcement(source: EmailSource) -> ClubAnnouncementContext:
    """Return the announcement. Raises Superseded if the recipient has left or wants no announcements."""
    club = _open_club(source)
    if not club.is_member or club.announcement is None:
        raise Superseded("not-member")
    if not club.wants_announcements:
        raise Superseded("unsubscribed")
    return ClubAnnouncementContext(
        envelope=envelope_for(source),
        club=club.name,
        slug=club.slug,
        author=source.notification.inviter or "",
        text=club.announcement,
    )


def club_act(source: EmailSource) -> ClubActContext:
    """Return what a site moderator did to the club. Raises Superseded if the recipient has left."""
    club = source.notification.club
    if club is None or not club.is_member:
        raise Superseded("not-member")
    return ClubActContext(
        envelope=envelope_for(source),
        club=club.name,
        slug=club.slug,
        is_closed=club.act == "club-close",
        reason=club.reason or "",
    )


def club_request(source: EmailSource) -> ClubRequestContext:
    """Return who asks to join. Raises Superseded if all are answered, or the recipient may or wants to answer no more."""
    club = _open_club(source)
    if not club.may_admit:
        raise Superseded("not-moderator")
    if not club.wants_requests:
        raise Superseded("unsubscribed")
    if not club.join_request_count:
        raise Superseded("answered")
    return ClubRequestContext(
        envelope=envelope_for(source),
        club=club.name,
        slug=club.slug,
        names=club.join_requester_names,
        count=club.join_request_count,
    )


def club_answer(source: EmailSource) -> ClubAnswerContext:
    """Return the answer to a request to join. Raises Superseded if it is no longer true."""
    club = _open_club(source)
    if club.is_member != (source.notification.kind == "club-admitted"):
        raise Superseded("member" if club.is_member else "not-member")
    return ClubAnswerContext(envelope=envelope_for(source), club=club.name, slug=club.slug)


def _open_club(source: EmailSource) -> ClubFacts:
    club = source.notification.club
    if club is None:
        raise Superseded("no-club")
    if club.is_closed:
        raise Superseded("closed")
    return club
