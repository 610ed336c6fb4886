"""Joining a club, by asking or with an invitation, and leaving it. Every change needs the club locked.

The form with which a member leaves may be sent twice: a token in it proves that they were shown the club.
"""

from datetime import timedelta
from typing import Final

from webapp.accounts.addresses import other_recipient
from webapp.accounts.person import Person, Viewer
from webapp.accounts.sessions import person_for
from webapp.clubs.access import ClubAccess, club_for, find_club
from webapp.clubs.queries import invitations, members
from webapp.clubs.queries.invitations import ClubInvitationRow
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.statements import lock_count
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.site.current_settings import limit_of

MOST_MEMBERS: Final = 200
MAX_JOIN_REQUESTS: Final = 100
"""People who ask to join one club and have no answer yet."""
_LEAVE_PURPOSE: Final = "was in club"
_DIGEST_INTERVAL: Final = timedelta(days=1)


class ClubInvitationPage(Redacted, frozen=True, kw_only=True):
    """The club as anyone with the invitation's link may see it."""

    me: Person | None
    slug: str
    name: str
    description: str
    language: str
    member_count: int
    is_member: bool
    is_used: bool
    """Whether another person has accepted it."""
    sent_to: str | None
    """The masked address to which it was sent, if not to the viewer who is signed in."""


def ask_to_join(tx: Tx, access: ClubAccess, person: Person) -> None:
    """Ask to join a public club. Asking twice changes nothing."""
    _require_may_join(tx, access, person)
    if access.has_requested:
        return
    if not access.club.is_public:
        # Someone who may see it for another reason, such as a site moderator.
        raise NotAllowed(DenialReason.NOT_IN_CLUB)
    if access.club.join_request_count >= MAX_JOIN_REQUESTS:
        raise NotAllowed(DenialReason.CLUB_FULL)
    members.add(tx, access.club.id, person.id, status="asked")
    _announce_request(tx, access.club.id)


def club_invitation_page(tx: Tx, token: str, viewer: Viewer) -> ClubInvitationPage:
    """Return what the link of an invitation shows; opening it accepts nothing. Raises NotFound."""
    invitation, slug = _find_invitation(tx, token)
    access = find_club(tx, slug, viewer)
    return ClubInvitationPage(
        me=access.me,
        slug=slug,
        name=access.club.name,
        description=access.club.description,
        language=access.club.language,
        member_count=access.club.member_count,
        is_member=access.is_member,
        is_used=_is_used_by_another(invitation, access.me),
        sent_to=other_recipient(
            invitation.address, None if access.me is None else access.me.address
        ),
    )


def accept_club_invitation(tx: Tx, token: str, person: Person) -> str:
    """Make the person a member of the club and return its slug; a member only gets the slug. Raises NotFound."""
    _, slug = _find_invitation(tx, token)
    access = find_club(tx, slug, person, mode="change")
    # Read again under the lock, because an emailed invitation is for one person, and a link may have been replaced.
    invitation, _ = _find_invitation(tx, token)
    if access.is_member:
        return slug
    if _is_used_by_another(invitation, person):
        raise NotAllowed(DenialReason.INVITATION_USED)
    join_club(tx, access, person)
    if invitation.address is not None:
        invitations.mark_accepted(tx, invitation.id, person.id)
    return slug


def join_club(tx: Tx, access: ClubAccess, person: Person) -> None:
    """Make the person a member; the caller has checked that they were invited."""
    _require_may_join(tx, access, person)
    require_room(access)
    members.add(tx, access.club.id, person.id)


def leave_proof(slug: str, person: Person, keys: Keyring) -> str:
    """Return the token in the form of a member, which proves later that they were shown the club."""
    return keys.token(_LEAVE_PURPOSE, slug, person.id)


def leave_club_once(tx: Tx, slug: str, cookie: str | None, *, proof: str) -> bool:
    """Leave the club, or take back the request to join; return whether it was only a request.

    The proof makes the second answer the same as the first, and tells others nothing about whether the club exists. Raises
    NotFound and NotAllowed.
    """
    try:
        access = club_for(tx, slug, cookie, mode="change")
    except NotFound:
        person = person_for(tx, cookie)
        if person is None or not _is_valid_proof(proof, slug, person, tx.keys):
            raise
        return False
    if access.me is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    leave_club(tx, access)
    return access.has_requested


def leave_club(tx: Tx, access: ClubAccess) -> None:
    """Leave the club, or take back the request to join. The founder must hand it over or close it first."""
    if access.membership is None:
        return
    if access.membership.rank == "founder" and access.club.closed_at is None:
        raise NotAllowed(DenialReason.FOUNDER_MUST_HAND_OVER)
    members.remove_member(tx, access.membership.id)


def require_room(access: ClubAccess) -> None:
    if access.club.member_count >= MOST_MEMBERS:
        raise NotAllowed(DenialReason.CLUB_FULL)


def _require_may_join(tx: Tx, access: ClubAccess, person: Person) -> None:
    if not person.name:
        raise NotAllowed(DenialReason.NO_NAME)
    if access.club.closed_at is not None:
        raise NotAllowed(DenialReason.CLUB_CLOSED)
    if access.is_member:
        raise NotAllowed(DenialReason.ALREADY_IN_CLUB)
    is_new = access.membership is None
    if is_new:
        _require_below_club_limit(tx, person)


def _require_below_club_limit(tx: Tx, person: Person) -> None:
    lock_count(tx, "clubs", person.id)
    if members.count_clubs_of_account(tx, person.id) >= limit_of(tx, "most_clubs"):
        raise NotAllowed(DenialReason.TOO_MANY_CLUBS)


def _announce_request(tx: Tx, club_id: int) -> None:
    """Queue an email to everyone who may answer: at once, or a day after the last one about this club.

    An email lists all who ask when it is sent, so one that is still waiting is enough.
    """
    moderators = members.accounts_wanting_requests(tx, club_id)
    latest_digest = pending_emails.newest_digest(tx, club_id, moderators)
    emails = []
    for account_id in moderators:
        last_digest = latest_digest.get(account_id)
        if last_digest is not None and last_digest.is_pending:
            continue
        due_at = (
            tx.now if last_digest is None else max(tx.now, last_digest.due_at + _DIGEST_INTERVAL)
        )
        emails.append(
            NewNotification(
                kind="club-request",
                game_id=None,
                seq=pending_emails.day_number(due_at),
                account_id=account_id,
                dedup_key=club_id,
                due_at=due_at,
            )
        )
    outbox.enqueue(tx, emails)


def _find_invitation(tx: Tx, token: str) -> tuple[ClubInvitationRow, str]:
    found_invitation = invitations.find_by_token(tx, hash_of(token))
    if found_invitation is None:
        raise NotFound
    return found_invitation


def _is_used_by_another(invitation: ClubInvitationRow, person: Person | None) -> bool:
    """Return whether another person accepted it; the person who accepted it may leave and come back."""
    accepted_by = invitation.accepted_by
    return accepted_by is not None and (person is None or accepted_by != person.id)


def _is_valid_proof(proof: str, slug: str, person: Person, keys: Keyring) -> bool:
    return keys.is_token(proof, _LEAVE_PURPOSE, slug, person.id)
