"""What emails about tables and seats are about: invitations, offers of seats, and cancelled tables."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    exists,
    func,
    join,
    literal_column,
    outerjoin,
    select,
)
from sqlalchemy.orm import aliased

from webapp.clubs.schema import Club, Membership
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation, Seat, SeatOffer
from webapp.mail.queries.email_facts import (
    ADDRESSEE_COLUMN_COUNT,
    DEDUP_KEY,
    Addressee,
    AddresseeJoin,
    FactsQuery,
    addressee,
)
from webapp.mail.schema import Notification
from webapp.moderation.queries.shown_acts import act_json
from webapp.moderation.schema import LedgerEntry
from webapp.play.schema import Game


class InvitationFacts(Redacted, frozen=True):
    """An invitation with its addressee."""

    addressee: Addressee
    nonce: bytes | None
    is_accepted: bool
    inviter: str | None
    is_rematch: bool
    """Whether the inviter, who does not know the address, has played with the recipient before."""


class SeatOfferFacts(Redacted, frozen=True):
    """An offer of a seat with its addressee."""

    addressee: Addressee
    nonce: bytes | None
    expires_at: datetime
    has_ended: bool
    offerer: str | None
    seat: int


class CancelledTableFacts(Redacted, frozen=True):
    """Who had an invitation to a cancelled table, if the email is to them, and what the server recorded if it closed the table."""

    addressee: Addressee | None
    closing_act: str | None
    """The act as ``decode_act`` reads it; None if the host has cancelled the table."""


def read_invitations(tx: Tx, ids: Sequence[int]) -> dict[int, InvitationFacts]:
    """Return the invitations that notifications are about."""

    def decode(*columns: Any) -> InvitationFacts:  # noqa: ANN401 - what the columns hold
        person, facts = columns[:ADDRESSEE_COLUMN_COUNT], columns[ADDRESSEE_COLUMN_COUNT:]
        return InvitationFacts(addressee(person), *facts)

    return _INVITATIONS.run(tx, ids, decode)


def read_seat_offers(tx: Tx, ids: Sequence[int]) -> dict[int, SeatOfferFacts]:
    """Return the offers that notifications are about."""

    def decode(*columns: Any) -> SeatOfferFacts:  # noqa: ANN401 - what the columns hold
        person, facts = columns[:ADDRESSEE_COLUMN_COUNT], columns[ADDRESSEE_COLUMN_COUNT:]
        return SeatOfferFacts(addressee(person), *facts)

    return _SEAT_OFFERS.run(tx, ids, decode)


def read_cancelled_tables(tx: Tx, ids: Sequence[int]) -> dict[int, CancelledTableFacts]:
    """Return to whom the email about a cancelled table goes, and who has closed it."""

    def decode(*columns: Any) -> CancelledTableFacts:  # noqa: ANN401 - what the columns hold
        person, act = columns[:ADDRESSEE_COLUMN_COUNT], columns[ADDRESSEE_COLUMN_COUNT]
        return CancelledTableFacts(addressee(person) if person[0] else None, act)

    return _CANCELLED_TABLES.run(tx, ids, decode)


def read_newer_ready_checks(tx: Tx, ids: Sequence[int]) -> dict[int, bool]:
    """Return whether the recipients have a notification of a newer ready-check."""
    return _NEWER_READY_CHECKS.run(tx, ids, bool)


def read_club_members(tx: Tx, ids: Sequence[int]) -> dict[int, bool]:
    """Return whether the recipients are members of the club in which the table of the email was opened."""
    return _CLUB_MEMBERS.run(tx, ids, bool)


def _club_language() -> ColumnElement[Any]:
    """Return the language of the club in which an invitation's table was opened, if it was opened in one."""
    table, club = aliased(Game, name="table_of_club"), aliased(Club, name="club_of_table")
    return (
        select(club.language)
        .join(table, table.club_id == club.id)
        .where(table.id == Notification.game_id)
        .scalar_subquery()
    )


def _invitations_query() -> Select[*tuple[Any, ...]]:
    people = AddresseeJoin(
        Invitation.address, inviter_id=Invitation.invited_by, languages=[_club_language()]
    )
    is_seat_of_inviter = and_(
        Seat.game_id == Invitation.game_id, Seat.account_id == Invitation.invited_by
    )
    is_hosted_by_inviter = and_(
        Game.id == Invitation.game_id, Game.host_id == Invitation.invited_by
    )
    return select(
        Notification.id,
        *people.columns(),
        Invitation.nonce,
        Invitation.accepted_by.is_not(None),
        func.coalesce(Seat.name, Game.host_name, people.inviter.name),
        Invitation.name.is_not(None),
    ).select_from(
        people.join(join(Notification, Invitation, Invitation.id == DEDUP_KEY))
        .outerjoin(Seat, is_seat_of_inviter)
        .outerjoin(Game, is_hosted_by_inviter)
    )


def _seat_offers_query() -> Select[*tuple[Any, ...]]:
    people = AddresseeJoin(
        SeatOffer.address, inviter_id=SeatOffer.offered_by, languages=[_club_language()]
    )
    return select(
        Notification.id,
        *people.columns(),
        SeatOffer.nonce,
        SeatOffer.expires_at,
        SeatOffer.ended_as.is_not(None),
        people.inviter.name,
        SeatOffer.seat,
    ).select_from(people.join(join(Notification, SeatOffer, SeatOffer.id == DEDUP_KEY)))


def _cancelled_tables_query() -> Select[*tuple[Any, ...]]:
    people = AddresseeJoin(
        Invitation.address, inviter_id=Invitation.invited_by, languages=[_club_language()]
    )
    return select(Notification.id, *people.columns(), act_json(_closing_of_table())).select_from(
        people.join(outerjoin(Notification, Invitation, Invitation.id == DEDUP_KEY))
    )


def _closing_of_table() -> ColumnElement[int]:
    """Return the entry of the server's closing of a table that never became full; none if its host cancelled it."""
    entry = aliased(LedgerEntry, name="closing_entry")
    return (
        select(func.max(entry.id))
        .where(entry.game_id == Notification.game_id)
        .where(entry.act == literal_column("'cancel-game'"))
        .where(entry.acted_as == literal_column("'server'"))
        .scalar_subquery()
    )


def _newer_ready_checks_query() -> Select[*tuple[Any, ...]]:
    newer = aliased(Notification, name="newer")
    has_newer = exists().where(
        newer.game_id == Notification.game_id,
        newer.kind == Notification.kind,
        newer.account_id == Notification.account_id,
        newer.dedup_key > Notification.dedup_key,
    )
    return select(Notification.id, has_newer)


def _club_members_query() -> Select[*tuple[Any, ...]]:
    is_member = exists().where(
        Game.id == Notification.game_id,
        Membership.club_id == Game.club_id,
        Membership.account_id == Notification.account_id,
        Membership.status == "member",
    )
    return select(Notification.id, is_member)


_INVITATIONS: Final = FactsQuery(_invitations_query)
_SEAT_OFFERS: Final = FactsQuery(_seat_offers_query)
_CANCELLED_TABLES: Final = FactsQuery(_cancelled_tables_query)
_NEWER_READY_CHECKS: Final = FactsQuery(_newer_ready_checks_query)
_CLUB_MEMBERS: Final = FactsQuery(_club_members_query)
