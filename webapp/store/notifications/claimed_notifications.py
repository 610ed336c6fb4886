"""Claimed notifications, with their recipients and what each kind of email needs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    or_,
    outerjoin,
    select,
)
from sqlalchemy.orm import aliased

from webapp.store.clock.quiet_times import QuietHours, quiet_hours_json
from webapp.store.folded_addresses import folded
from webapp.store.notifications.club_facts import (
    ClubFacts,
    club_json,
    club_language_of_table,
    is_member_at_table,
    join_clubs,
    join_membership,
)
from webapp.store.notifications.related_emails import (
    counterpart_sent_at,
    has_kind,
    has_newer_email,
)
from webapp.store.notifications.related_facts import related_facts
from webapp.store.notifications.related_sessions import last_active_at
from webapp.store.schema.accounts import Account, AddressChange, SignIn
from webapp.store.schema.clubs import Club, ClubAnnouncement, ClubInvitation
from webapp.store.schema.lobby import Invitation, Seat, SeatOffer
from webapp.store.schema.notifications import Notification, OptOut
from webapp.store.schema.play import Game
from webapp.store.statements import Statement


class ClaimedNotification(msgspec.Struct, frozen=True):
    """A claimed notification with what its kind needs. Its repr hides everything that may contain live tokens."""

    id: int
    kind: str
    game_id: int | None
    seq: int | None
    account_id: int | None
    recipient_id: int | None
    """The recipient's account, also if the notification names none and the address turns out to have one."""
    dedup_key: int
    first_due_at: datetime
    message_id: str | None
    message: bytes | None
    address: str
    """Empty if the recipient no longer exists."""
    name: str
    language: str
    zone: str
    nonce: bytes | None
    """Of the code, the invitation, the club invitation or the change of address that the email is about."""
    expires_at: datetime | None
    is_used: bool
    """Whether the code was used, the invitation accepted, or the change of address confirmed or withdrawn."""
    user_agent: str | None
    """Of the browser that requested a code."""
    inviter: str | None
    """Who invites, or offers the seat."""
    is_rematch: bool
    """Whether the inviter, who does not know the address, has played with the recipient before."""
    offered_seat: int | None
    has_newer_ready_check: bool
    """Whether the recipient has a notification of a newer ready-check."""
    counterpart_sent_at: datetime | None
    """When the other email about the same turn was sent: the reminder for a turn's email, and the other way around."""
    is_member_at_table: bool
    """Whether the recipient is a member of the club in which the table was opened."""
    has_opted_out: bool
    """Whether the address has opted out of such emails."""
    banned_until: datetime | None
    """When the recipient's newest ban ends or ended."""
    act: str | None
    """What ``shown_acts.act_json`` returns for the act that the email is about; of a host who left, for the hand-over; of a table that
    the server has closed, for that."""
    peeks: str | None
    """What ``shown_acts.peeks_json`` returns for a game that has ended."""
    vote: str | None
    """What ``votes.vote_json`` returns for the vote that the email is about."""
    moved_deadlines: str | None
    """What ``moved_deadlines_json`` returns for the outage that the email is about."""
    thread_id: str | None
    """The Message-ID to which all emails about the game refer."""
    last_active_at: datetime | None
    """When the recipient of an email about a turn was last seen on the site, to the minute."""
    quiet_hours: tuple[QuietHours, ...]
    """The recipient's, in their zone."""
    club: ClubFacts | None
    """The club that the email is about."""

    def __repr__(self) -> str:
        return f"<ClaimedNotification {self.id} {self.kind}>"


def read(connection: Connection, ids: Sequence[int]) -> tuple[ClaimedNotification, ...]:
    """Return claimed notifications with their recipients, in the order of their ids."""
    return tuple(
        ClaimedNotification(*(*row[:-2], _decoded_hours(row[-2]), _decoded_club(row[-1])))
        for row in _READ_STATEMENT.run(connection, ids=list(ids))
    )


def _decoded_hours(text: str | None) -> tuple[QuietHours, ...]:
    return () if text is None else _HOURS_DECODER.decode(text)


def _decoded_club(text: str | None) -> ClubFacts | None:
    return None if text is None else _CLUB_DECODER.decode(text)


_inviter = aliased(Account, name="inviter")
_recipient = aliased(Account, name="recipient")
_is_seat_of_inviter = and_(
    Seat.game_id == Invitation.game_id, Seat.account_id == Invitation.invited_by
)
_is_hosted_by_inviter = and_(Game.id == Invitation.game_id, Game.host_id == Invitation.invited_by)


_WITH_NONCE = (SignIn, Invitation, SeatOffer, ClubInvitation, AddressChange)
_HOURS_DECODER = msgspec.json.Decoder(tuple[QuietHours, ...])
_CLUB_DECODER = msgspec.json.Decoder(ClubFacts)
_subject_address = func.coalesce(
    SignIn.address,
    Invitation.address,
    SeatOffer.address,
    ClubInvitation.address,
    case(
        (Notification.kind == "address-change", AddressChange.new_address),
        else_=AddressChange.old_address,
    ),
)
_inviter_id = func.coalesce(
    Invitation.invited_by,
    SeatOffer.offered_by,
    ClubInvitation.invited_by,
    ClubAnnouncement.author_id,
    AddressChange.account_id,
)
"""Whose language an email is in if its recipient has no account."""
_account_id = func.coalesce(Notification.account_id, _recipient.id)
_dedup_key = Notification.__table__.c.dedup_key
_address = func.coalesce(Account.address, _subject_address, "")


def _read_query() -> Select[*tuple[Any, ...]]:
    """Return the columns of ``ClaimedNotification``, in the order of its fields."""
    return (
        select(
            Notification.id,
            Notification.kind,
            Notification.game_id,
            Notification.seq,
            Notification.account_id,
            _account_id,
            Notification.dedup_key,
            Notification.first_due_at,
            Notification.message_id,
            Notification.message,
            *_recipient_columns(),
            func.coalesce(*(table.nonce for table in _WITH_NONCE)),
            func.coalesce(SignIn.expires_at, SeatOffer.expires_at, AddressChange.expires_at),
            _is_used(),
            SignIn.user_agent,
            func.coalesce(Seat.name, Game.host_name, _inviter.name),
            Invitation.name.is_not(None),
            SeatOffer.seat,
            has_newer_email(),
            counterpart_sent_at(),
            is_member_at_table(_account_id),
            _opted_out(_address),
            Account.banned_until,
            *related_facts(),
            last_active_at(),
            cast(quiet_hours_json(_account_id), Text),
            club_json(),
        )
        .select_from(_notification_with_its_subject())
        .where(Notification.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))))
        .order_by(Notification.id)
    )


def _recipient_columns() -> tuple[ColumnElement[str], ...]:
    """Return address, name, language and time zone."""
    language = func.coalesce(
        Account.language,
        _recipient.language,
        SignIn.language,
        Club.language,
        club_language_of_table(),
        _inviter.language,
        "en",
    )
    zone = func.coalesce(Account.zone, _recipient.zone, _inviter.zone, "UTC")
    return _address, func.coalesce(Account.name, ""), language, zone


def _notification_with_its_subject() -> FromClause:
    """Join notifications with their accounts, and with the code, the invitation, the club or the change that they are about."""
    is_code = has_kind("sign-in", "identity-code")
    is_sign_in = and_(SignIn.id == Notification.dedup_key, is_code)
    is_about_address_change = has_kind("address-change", "address-requested", "address-changed")
    is_address_change = and_(AddressChange.id == Notification.dedup_key, is_about_address_change)
    is_invitation = and_(
        Invitation.id == Notification.dedup_key, has_kind("invitation", "table-cancelled")
    )
    is_offer = and_(SeatOffer.id == Notification.dedup_key, Notification.kind == "seat-offer")
    is_recipient = func.lower(_recipient.address) == func.lower(_subject_address)
    subjects = (
        outerjoin(Notification, Account, Account.id == Notification.account_id)
        .outerjoin(SignIn, is_sign_in)
        .outerjoin(Invitation, is_invitation)
        .outerjoin(SeatOffer, is_offer)
        .outerjoin(AddressChange, is_address_change)
    )
    people = (
        join_clubs(subjects)
        .outerjoin(_recipient, is_recipient)
        .outerjoin(_inviter, _inviter.id == _inviter_id)
        .outerjoin(Seat, _is_seat_of_inviter)
        .outerjoin(Game, _is_hosted_by_inviter)
    )
    return join_membership(people, _account_id)


def _is_used() -> ColumnElement[bool]:
    return or_(
        SignIn.used_at.is_not(None),
        Invitation.accepted_by.is_not(None),
        SeatOffer.ended_as.is_not(None),
        ClubInvitation.accepted_by.is_not(None),
        AddressChange.confirmed_at.is_not(None),
        AddressChange.withdrawn_at.is_not(None),
    )


def _opted_out(address: ColumnElement[str]) -> ColumnElement[bool]:
    covers_email = or_(
        OptOut.scope == "everything",
        and_(OptOut.scope == "game", OptOut.game_id == Notification.game_id),
        and_(OptOut.scope == "reminders", has_kind("reminder", "nudge")),
    )
    return exists().where(OptOut.address == folded(address), covers_email)


_READ_STATEMENT = Statement(_read_query())
