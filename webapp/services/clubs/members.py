"""Joining and leaving a club, and what moderators decide about its members. Every change needs the club locked.

The form with which a member leaves may be sent twice: a token in it proves that they were shown the club.
"""

from datetime import timedelta
from typing import Final, Literal

from webapp.rights import ClubRight
from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import person_for
from webapp.services.clubs.access import ClubAccess, club_for, require_club_right
from webapp.services.clubs.invitation_links import renew_club_link
from webapp.services.clubs.site_acts import needs_reason, record_site_act
from webapp.services.current_settings import limit_of
from webapp.services.errors import DenialReason, NotAllowed, NotFound
from webapp.services.keys import Keyring, TokenSource
from webapp.services.tx import Tx
from webapp.store.clubs import invitations, members
from webapp.store.clubs.members import MembershipRow
from webapp.store.counting_locks import lock_count
from webapp.store.notifications import outbox, pending_emails
from webapp.store.notifications.outbox import NewNotification

MOST_MEMBERS: Final = 200
MAX_JOIN_REQUESTS: Final = 100
"""People who ask to join one club and have no answer yet."""
_MEMBER_PURPOSE: Final = "club member"
_LEAVE_PURPOSE: Final = "was in club"
_DIGEST_INTERVAL: Final = timedelta(days=1)


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
    members.add(tx.connection, access.club.id, person.id, status="asked", now=tx.now)
    _announce_request(tx, access.club.id)


def join_club(tx: Tx, access: ClubAccess, person: Person) -> None:
    """Make the person a member; the caller has checked that they were invited."""
    _require_may_join(tx, access, person)
    _require_room(access)
    members.add(tx.connection, access.club.id, person.id, now=tx.now)


def leave_proof(slug: str, person: Person, keys: Keyring) -> str:
    """Return the token in the form of a member, which proves later that they were shown the club."""
    return keys.token(_LEAVE_PURPOSE, slug, person.id)


def leave_club_once(tx: Tx, slug: str, cookie: str | None, *, proof: str, keys: Keyring) -> bool:
    """Leave the club, or take back the request to join; return whether it was only a request.

    The proof makes the second answer the same as the first, and tells others nothing about whether the club exists. Raises
    NotFound and NotAllowed.
    """
    try:
        access = club_for(tx, slug, cookie, mode="change")
    except NotFound:
        person = person_for(tx, cookie)
        if person is None or not _is_valid_proof(proof, slug, person, keys):
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
    members.remove_member(tx.connection, access.membership.id)


def find_member(
    tx: Tx, access: ClubAccess, member_id: int, proof: str, keys: Keyring
) -> MembershipRow:
    """Return a member, or a person who asks to join, whom a moderator's form names.

    Raises NotAllowed if they were there when the form was shown but are gone now, NotFound for ids of other clubs.
    """
    require_club_right(access, ClubRight.VIEW_MEMBERS)
    row = members.find(tx.connection, access.club.id, member_id)
    if row is not None:
        return row
    if keys.is_token(proof, _MEMBER_PURPOSE, access.club.id, member_id):
        raise NotAllowed(DenialReason.MEMBER_GONE)
    raise NotFound


def member_proof(access: ClubAccess, member_id: int, keys: Keyring) -> str:
    """Return the token in a form about a member, which proves later that the member belonged to this club."""
    return keys.token(_MEMBER_PURPOSE, access.club.id, member_id)


def decide_on_member(
    tx: Tx,
    access: ClubAccess,
    target: MembershipRow,
    verb: str,
    *,
    source: TokenSource,
    reason: str = "",
) -> None:
    """Do to a member what the button ``verb`` says; a site moderator gives a ``reason``."""
    match verb:
        case "approve":
            approve_request(tx, access, target)
        case "refuse":
            refuse_request(tx, access, target)
        case "remove":
            remove_member(tx, access, target, source=source)
        case "promote" | "demote":
            set_moderator(tx, access, target, as_moderator=verb == "promote")
        case "hand-over":
            hand_over_club(tx, access, target, reason=reason)
        case _:
            raise NotFound


def approve_request(tx: Tx, access: ClubAccess, target: MembershipRow) -> None:
    """Admit a person who asks to join; if another moderator was faster, nothing changes."""
    require_club_right(access, ClubRight.ADMIT_MEMBER)
    if target.status == "member":
        return
    _require_room(access)
    members.accept(tx.connection, target.id, now=tx.now)
    _answer_request(tx, access.club.id, target, kind="club-admitted")


def refuse_request(tx: Tx, access: ClubAccess, target: MembershipRow) -> None:
    """Decline a request to join. They may ask again."""
    require_club_right(access, ClubRight.ADMIT_MEMBER)
    if target.status == "member":
        raise NotAllowed(DenialReason.MEMBER_GONE)
    members.remove_member(tx.connection, target.id)
    _answer_request(tx, access.club.id, target, kind="club-declined")


def remove_member(
    tx: Tx, access: ClubAccess, target: MembershipRow, *, source: TokenSource
) -> None:
    """Remove a member, who cannot come back with an old invitation or with the club's link."""
    me = require_club_right(access, ClubRight.REMOVE_MEMBER)
    if target.account_id == me.id:
        raise NotAllowed(DenialReason.REMOVES_ONESELF)
    if target.rank == "founder":
        raise NotAllowed(DenialReason.FOUNDER_CANNOT_BE_REMOVED)
    if target.rank == "moderator":
        require_club_right(access, ClubRight.APPOINT_CLUB_MODERATOR)
    members.remove_member(tx.connection, target.id)
    invitations.delete_accepted(tx.connection, access.club.id, target.account_id)
    renew_club_link(tx, access.club.id, me, source=source)


def set_moderator(tx: Tx, access: ClubAccess, target: MembershipRow, *, as_moderator: bool) -> None:
    """Make a member a moderator, or a moderator a member again."""
    require_club_right(access, ClubRight.APPOINT_CLUB_MODERATOR)
    _require_member(target)
    if target.rank == "founder":
        raise NotAllowed(DenialReason.FOUNDER_CANNOT_BE_REMOVED)
    members.set_rank(tx.connection, target.id, "moderator" if as_moderator else "member")


def hand_over_club(tx: Tx, access: ClubAccess, target: MembershipRow, *, reason: str = "") -> None:
    """Make another member the founder; the founder becomes a moderator. Pressed twice, it changes nothing.

    A site moderator states a reason. Raises FieldErrors and NotAllowed.
    """
    may_manage_members = access.has_right(ClubRight.REMOVE_MEMBER) or access.has_right(
        ClubRight.HAND_OVER_CLUB
    )
    if target.rank == "founder" and may_manage_members:
        return
    require_club_right(access, ClubRight.HAND_OVER_CLUB)
    _require_member(target)
    if needs_reason(access, ClubRight.HAND_OVER_CLUB):
        account = target.account_id
        record_site_act(tx, access, act="club-hand-over", reason=reason, account_id=account)
    members.demote_founder(tx.connection, access.club.id)
    members.set_rank(tx.connection, target.id, "founder")


def choose_emails(tx: Tx, access: ClubAccess, *, announcements: bool, requests: bool) -> None:
    """Store whether the viewer gets the club's announcements and its requests to join by email."""
    require_club_right(access, ClubRight.LEAVE_CLUB)
    assert access.membership is not None
    members.set_wanted_emails(
        tx.connection, access.membership.id, announcements=announcements, requests=requests
    )


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
    lock_count(tx.connection, "clubs", person.id)
    if members.count_clubs_of_account(tx.connection, person.id) >= limit_of(tx, "most_clubs"):
        raise NotAllowed(DenialReason.TOO_MANY_CLUBS)


def _require_room(access: ClubAccess) -> None:
    if access.club.member_count >= MOST_MEMBERS:
        raise NotAllowed(DenialReason.CLUB_FULL)


def _announce_request(tx: Tx, club_id: int) -> None:
    """Queue an email to everyone who may answer: at once, or a day after the last one about this club.

    An email lists all who ask when it is sent, so one that is still waiting is enough.
    """
    moderators = members.accounts_wanting_requests(tx.connection, club_id)
    latest_digest = pending_emails.newest_digest(tx.connection, club_id, moderators, now=tx.now)
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
    outbox.enqueue(tx.connection, emails)
    tx.nudges.add("emails")


def _is_valid_proof(proof: str, slug: str, person: Person, keys: Keyring) -> bool:
    return keys.is_token(proof, _LEAVE_PURPOSE, slug, person.id)


def _answer_request(
    tx: Tx,
    club_id: int,
    target: MembershipRow,
    *,
    kind: Literal["club-admitted", "club-declined"],
) -> None:
    """Queue the email to the person who asked."""
    email = NewNotification(
        kind=kind,
        game_id=None,
        # Every request has another number, so that each gets its answer.
        seq=target.id,
        account_id=target.account_id,
        dedup_key=club_id,
        due_at=tx.now,
    )
    outbox.enqueue(tx.connection, [email])
    tx.nudges.add("emails")


def _require_member(target: MembershipRow) -> None:
    if target.status != "member":
        raise NotAllowed(DenialReason.NOT_YET_IN_CLUB)
