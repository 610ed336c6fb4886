"""Everything stored about one account, for its owner's download: one list of rows for each kind of data."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Executable, bindparam, case, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from webapp.accounts.schema import Account, AddressChange, Block, Mute, Passkey, Session, SignIn
from webapp.clock.schema import Absence, QuietHours
from webapp.clubs.schema import Club, ClubAnnouncement, ClubInvitation, Membership
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation, Seat, SeatOffer, Sitting
from webapp.mail.schema import Notification, OptOut
from webapp.moderation.schema import LedgerEntry, Report, Sanction, SavedFilter, SecurityEvent
from webapp.play.queries import messages, notes, results
from webapp.play.schema import Game

_account_id: ColumnElement[int] = bindparam("account_id", type_=BigInteger)


def absences() -> Executable:
    """Return the query for all absences, those that are over too."""
    return (
        select(
            Absence.kind, Absence.from_at, Absence.until_at, Absence.declared_at, Absence.ended_at
        )
        .where(Absence.account_id == _account_id)
        .order_by(Absence.id)
    )


def quiet_hours() -> Executable:
    """Return the query for the hours in which the owner wants no reminders."""
    return (
        select(QuietHours.weekdays, QuietHours.from_time, QuietHours.until_time)
        .where(QuietHours.account_id == _account_id)
        .order_by(QuietHours.number)
    )


_own_address: Final = (
    select(func.lower(Account.address)).where(Account.id == _account_id).scalar_subquery()
)
_owner = aliased(Account, name="owner")


def read(tx: Tx, account_id: int) -> dict[str, list[Mapping[str, Any]]]:
    """Return the rows of each kind of data by its name."""
    return {
        name: [dict(row) for row in tx.execute(query(), {"account_id": account_id}).mappings()]
        for name, query in _QUERIES.items()
    }


def slugs_of_account(tx: Tx, account_id: int) -> list[str]:
    """Return the games in which the account has a seat or which it opened, oldest first."""
    seated_game_ids = select(Seat.game_id).where(Seat.account_id == account_id)
    rows = tx.execute(
        select(Game.slug)
        .where(or_(Game.host_id == account_id, Game.id.in_(seated_game_ids)))
        .order_by(Game.id)
    )
    return list(rows.scalars())


def _truncated_to_seconds(
    column: InstrumentedAttribute[datetime] | InstrumentedAttribute[datetime | None],
) -> ColumnElement[datetime]:
    """Return an instant without its fraction, which in emails would reveal how long a bot thought."""
    return func.date_trunc("second", column).label(column.key)


def _account_query() -> Executable:
    return select(
        Account.address,
        Account.name,
        Account.language,
        Account.zone,
        Account.picks_gold,
        Account.reminder_hours,
        Account.hold_minutes,
        Account.wants_link_only,
        Account.wants_every_email,
        Account.moves_need_sign_in,
        Account.wants_hints,
        Account.bounced_at,
        Account.bounce_reason,
        Account.suppressed_until,
        Account.wants_open_seats,
        _truncated_to_seconds(Account.informed_of_seats_at),
        Account.is_moderator,
        Account.dismissed_announcement,
        Account.created_at,
    ).where(Account.id == _account_id)


def _sessions_query() -> Executable:
    return (
        select(
            Session.user_agent,
            Session.network_address,
            Session.created_at,
            Session.confirmed_at,
            Session.with_passkey,
            Session.active_at,
            Session.expires_at,
        )
        .where(Session.account_id == _account_id)
        .order_by(Session.id)
    )


def _sign_ins_query() -> Executable:
    return (
        select(SignIn.purpose, SignIn.requested_at, SignIn.used_at)
        .join(_owner, func.lower(_owner.address) == func.lower(SignIn.address))
        .where(_owner.id == _account_id)
        .order_by(SignIn.id)
    )


def _passkeys_query() -> Executable:
    return (
        select(Passkey.name, Passkey.created_at, Passkey.last_used_at)
        .where(Passkey.account_id == _account_id)
        .order_by(Passkey.id)
    )


def _address_changes_query() -> Executable:
    change = AddressChange
    return (
        select(
            change.old_address,
            change.new_address,
            change.requested_at,
            change.confirmed_at,
            change.withdrawn_at,
        )
        .where(change.account_id == _account_id)
        .order_by(change.id)
    )


def _games_query() -> Executable:
    seat = aliased(Seat, name="own_seat")
    return (
        select(
            Game.slug,
            Game.status,
            Game.opened_at,
            Game.ended_at,
            (Game.host_id == _account_id).label("is_host"),
            seat.number.label("seat"),
            seat.name.label("name"),
        )
        .outerjoin(seat, (seat.game_id == Game.id) & (seat.account_id == _account_id))
        .where(or_(Game.host_id == _account_id, seat.account_id.is_not(None)))
        .order_by(Game.id)
    )


def _former_seats_query() -> Executable:
    return (
        select(Game.slug, Sitting.seat, Sitting.name, Sitting.until_seq)
        .join(Sitting, Sitting.game_id == Game.id)
        .where(Sitting.account_id == _account_id)
        .order_by(Game.id, Sitting.number)
    )


def _clubs_query() -> Executable:
    return (
        select(
            Club.slug,
            Club.name,
            Membership.rank,
            Membership.status,
            Membership.joined_at,
            Membership.wants_announcements,
            Membership.wants_requests,
        )
        .join(Membership, Membership.club_id == Club.id)
        .where(Membership.account_id == _account_id)
        .order_by(Club.id)
    )


def _club_announcements_query() -> Executable:
    return (
        select(Club.slug, ClubAnnouncement.text, ClubAnnouncement.announced_at)
        .join(ClubAnnouncement, ClubAnnouncement.club_id == Club.id)
        .where(ClubAnnouncement.author_id == _account_id)
        .order_by(ClubAnnouncement.id)
    )


def _invitations_sent_query() -> Executable:
    """Return the people whom the person invited, by name after a game together: a name shows no address."""
    return (
        select(
            Game.slug,
            Invitation.name,
            case((Invitation.name.is_(None), Invitation.address)).label("address"),
            Invitation.invited_at,
        )
        .join(Invitation, Invitation.game_id == Game.id)
        .where(Invitation.invited_by == _account_id, Invitation.address.is_not(None))
        .order_by(Invitation.id)
    )


def _invitations_received_query() -> Executable:
    """Return what the person was invited to. The emails say by whom, because the sender may have changed their name."""
    is_accepted = Invitation.accepted_by == _account_id
    return (
        select(
            Game.slug, Invitation.invited_at, func.coalesce(is_accepted, False).label("accepted")
        )
        .join(Invitation, Invitation.game_id == Game.id)
        .where(or_(func.lower(Invitation.address) == _own_address, is_accepted))
        .order_by(Invitation.id)
    )


def _club_invitations_sent_query() -> Executable:
    return (
        select(Club.slug, ClubInvitation.address, ClubInvitation.invited_at)
        .join(ClubInvitation, ClubInvitation.club_id == Club.id)
        .where(ClubInvitation.invited_by == _account_id, ClubInvitation.address.is_not(None))
        .order_by(ClubInvitation.id)
    )


def _club_invitations_received_query() -> Executable:
    is_accepted = ClubInvitation.accepted_by == _account_id
    return (
        select(
            Club.slug,
            ClubInvitation.invited_at,
            func.coalesce(is_accepted, False).label("accepted"),
        )
        .join(ClubInvitation, ClubInvitation.club_id == Club.id)
        .where(or_(func.lower(ClubInvitation.address) == _own_address, is_accepted))
        .order_by(ClubInvitation.id)
    )


def _seats_offered_query() -> Executable:
    """Return the seats that the person offered, by the name or address that they typed: a name shows no address."""
    return (
        select(
            Game.slug,
            SeatOffer.seat,
            SeatOffer.name,
            case((SeatOffer.name.is_(None), SeatOffer.address)).label("address"),
            SeatOffer.reason,
            SeatOffer.offered_at,
            SeatOffer.ended_as,
        )
        .join(SeatOffer, SeatOffer.game_id == Game.id)
        .where(SeatOffer.offered_by == _account_id)
        .order_by(SeatOffer.id)
    )


def _offers_received_query() -> Executable:
    is_accepted = SeatOffer.accepted_by == _account_id
    return (
        select(Game.slug, SeatOffer.seat, SeatOffer.offered_at, SeatOffer.ended_as)
        .join(SeatOffer, SeatOffer.game_id == Game.id)
        .where(or_(func.lower(SeatOffer.address) == _own_address, is_accepted))
        .order_by(SeatOffer.id)
    )


def _emails_query() -> Executable:
    return (
        select(
            Notification.kind,
            Game.slug.label("game"),
            Notification.status,
            Notification.reason,
            _truncated_to_seconds(Notification.first_due_at),
            _truncated_to_seconds(Notification.settled_at),
        )
        .outerjoin(Game, Game.id == Notification.game_id)
        .where(Notification.account_id == _account_id)
        .order_by(Notification.id)
    )


def _opt_outs_query() -> Executable:
    return (
        select(OptOut.scope, Game.slug.label("game"), OptOut.at)
        .select_from(OptOut)
        .join(_owner, folded(_owner.address) == OptOut.address)
        .outerjoin(Game, Game.id == OptOut.game_id)
        .where(_owner.id == _account_id)
        .order_by(OptOut.id)
    )


def _blocked_query() -> Executable:
    return (
        select(Block.name, Block.blocked_at)
        .where(Block.blocker_id == _account_id)
        .order_by(Block.blocked_at)
    )


def _muted_query() -> Executable:
    return (
        select(Mute.name, Mute.muted_at)
        .where(Mute.muter_id == _account_id)
        .order_by(Mute.muted_at, Mute.muted_id)
    )


def _sanctions_query() -> Executable:
    return (
        select(Sanction.kind, Sanction.reason, Sanction.at, Sanction.until, Sanction.lifted_at)
        .where(Sanction.account_id == _account_id)
        .order_by(Sanction.id)
    )


def _reports_query() -> Executable:
    return (
        select(Report.kind, Game.slug.label("game"), Report.complaint, Report.at, Report.answer)
        .outerjoin(Game, Game.id == Report.game_id)
        .where(Report.reporter_id == _account_id)
        .order_by(Report.id)
    )


def _acts_query() -> Executable:
    """Return what the person did as a moderator or host, by the public names of games and clubs."""
    return (
        select(
            LedgerEntry.act,
            LedgerEntry.acted_as,
            Game.slug.label("game"),
            Club.slug.label("club"),
            LedgerEntry.reason,
            LedgerEntry.at,
        )
        .outerjoin(Game, Game.id == LedgerEntry.game_id)
        .outerjoin(Club, Club.id == LedgerEntry.club_id)
        .where(LedgerEntry.actor_id == _account_id)
        .order_by(LedgerEntry.id)
    )


def _saved_filters_query() -> Executable:
    return (
        select(SavedFilter.name, SavedFilter.query)
        .where(SavedFilter.account_id == _account_id)
        .order_by(SavedFilter.id)
    )


def _security_events_query() -> Executable:
    return (
        select(SecurityEvent.kind, SecurityEvent.at, SecurityEvent.network_address)
        .where(SecurityEvent.account_id == _account_id)
        .order_by(SecurityEvent.id)
    )


_QUERIES: Final[dict[str, Callable[[], Executable]]] = {
    "account": _account_query,
    "sessions": _sessions_query,
    "sign-ins": _sign_ins_query,
    "passkeys": _passkeys_query,
    "address-changes": _address_changes_query,
    "games": _games_query,
    "former-seats": _former_seats_query,
    "clubs": _clubs_query,
    "club-announcements": _club_announcements_query,
    "invitations-sent": _invitations_sent_query,
    "invitations-received": _invitations_received_query,
    "club-invitations-sent": _club_invitations_sent_query,
    "club-invitations-received": _club_invitations_received_query,
    "seats-offered": _seats_offered_query,
    "seats-offered-to-you": _offers_received_query,
    "emails": _emails_query,
    "stopped-emails": _opt_outs_query,
    "blocked": _blocked_query,
    "messages": messages.messages,
    "muted": _muted_query,
    "notes": notes.notes,
    "suspicions": notes.marks,
    "shared-games": results.own_links,
    "absences": absences,
    "quiet-hours": quiet_hours,
    "sanctions": _sanctions_query,
    "reports-sent": _reports_query,
    "moderator-acts": _acts_query,
    "saved-filters": _saved_filters_query,
    "security-events": _security_events_query,
}
