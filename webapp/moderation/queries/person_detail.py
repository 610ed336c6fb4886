"""What site moderators see of one person, in one statement."""

from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Select,
    Text,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.orm import aliased

from webapp.accounts.schema import Account, Session
from webapp.clock.schema import Maintenance
from webapp.kernel.json_columns import decode_rows, rows_column
from webapp.kernel.redacted import Redacted
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.mail.schema import OptOut
from webapp.moderation.queries.public_columns import ACCOUNT, GAME, NOTIFICATION, SEAT, TURN
from webapp.moderation.schema import LedgerEntry, Report, Sanction
from webapp.operations.schema import Outage

T = TypeVar("T")


class PersonRow(Redacted, frozen=True, array_like=True):
    id: int
    ref: str
    name: str
    address: str | None
    created_at: datetime
    banned_until: datetime | None
    is_moderator: bool


class PersonGame(Redacted, frozen=True, array_like=True):
    """A game in which the person sits; newest first."""

    slug: str
    host_name: str
    table_name: str
    status: str
    round: int
    seat_name: str | None
    is_awaited: bool
    deadline_at: datetime | None


class TurnCounts(Redacted, frozen=True, array_like=True):
    """Own turns since the beginning of the window, and how many of them the clock had to play without any excuse."""

    turns: int
    missed_turn_count: int
    refused_email_count: int
    """Turn emails of the same time that the mail server refused."""


class PersonEmail(Redacted, frozen=True, array_like=True):
    kind: str
    slug: str
    host_name: str
    table_name: str
    status: str
    reason: str | None
    first_due_at: datetime


class PersonOptOut(Redacted, frozen=True, array_like=True):
    scope: str
    slug: str | None
    host_name: str | None
    table_name: str | None
    at: datetime


class PersonSession(Redacted, frozen=True, array_like=True):
    user_agent: str
    created_at: datetime


class PersonSanction(Redacted, frozen=True, array_like=True):
    kind: str
    reason: str
    at: datetime
    until: datetime | None
    lifted_at: datetime | None


class PersonEntry(Redacted, frozen=True, array_like=True):
    """An entry of the ledger about the person."""

    at: datetime
    act: str
    actor_name: str | None
    acted_as: str
    reason: str


class PersonReport(Redacted, frozen=True, array_like=True):
    id: int
    kind: str
    complaint: str
    at: datetime
    decision: str | None


class NetworkNeighbour(Redacted, frozen=True, array_like=True):
    """Someone who signed in from the same network address."""

    ref: str
    name: str


class PersonDetail(NamedTuple):
    person: PersonRow
    games: tuple[PersonGame, ...]
    counts: TurnCounts
    emails: tuple[PersonEmail, ...]
    opt_outs: tuple[PersonOptOut, ...]
    sessions: tuple[PersonSession, ...]
    sanctions: tuple[PersonSanction, ...]
    entries: tuple[PersonEntry, ...]
    reports: tuple[PersonReport, ...]
    neighbours: tuple[NetworkNeighbour, ...]


MOST_GAMES: Final = 50
MOST_EMAILS: Final = 50
RELIABILITY_WINDOW: Final = timedelta(days=90)
NETWORK_WINDOW: Final = timedelta(days=30)
_MOST_ROWS: Final = 50
_EXCUSING_OUTAGES: Final = ("workers", "mail")
"""Of the kinds in ``webapp.operations.queries.outages``; the others are not known to have kept anyone waiting."""
_DROPPED_BY_CHOICE: Final = ("unsubscribed", "reminder-sent", "banned")
"""Why an email was dropped that its recipient did without, or that another one replaced."""
_TABLE_COLUMNS: Final[tuple[Any, ...]] = (GAME.c.slug, GAME.c.host_name, GAME.c.table_name)


def read_person(tx: Tx, ref: str) -> PersonDetail | None:
    """Return what is known of the account with this ref, if there is one."""
    parameters = {
        "ref": ref,
        "since": tx.now - RELIABILITY_WINDOW,
        "recently": tx.now - NETWORK_WINDOW,
    }
    row = tx.execute(_statement(), {**parameters, "now": tx.now}).one()
    person = decode_rows(row[0], PersonRow)
    if not person:
        return None
    return PersonDetail(
        person=person[0],
        games=decode_rows(row[1], PersonGame),
        counts=decode_rows(row[2], TurnCounts)[0],
        emails=decode_rows(row[3], PersonEmail),
        opt_outs=decode_rows(row[4], PersonOptOut),
        sessions=decode_rows(row[5], PersonSession),
        sanctions=decode_rows(row[6], PersonSanction),
        entries=decode_rows(row[7], PersonEntry),
        reports=decode_rows(row[8], PersonReport),
        neighbours=decode_rows(row[9], NetworkNeighbour),
    )


_WINDOW_START: Final[Any] = bindparam("since", type_=DateTime(timezone=True))
_account_id: Final[Any] = (
    select(ACCOUNT.c.id).where(ACCOUNT.c.ref == bindparam("ref", type_=Text)).scalar_subquery()
)
_my_seats: Final = (
    select(SEAT.c.game_id, SEAT.c.number)
    .where(SEAT.c.account_id == _account_id)
    .order_by(SEAT.c.game_id.desc())
    .limit(MOST_GAMES)
    .subquery("my_seats")
)


@cache
def _statement() -> Select[Any]:
    parts: tuple[Any, ...] = (
        _person(),
        _games(),
        _turn_counts_query(),
        _emails(),
        _opt_outs(),
        _sessions(),
        _sanctions(),
        _entries(),
        _reports(),
        _people_on_the_same_network(),
    )
    texts: tuple[Any, ...] = tuple(map(rows_column, parts))
    return select(*texts)


def _person() -> Select[Any]:
    columns: tuple[Any, ...] = (
        Account.id,
        Account.ref,
        Account.name,
        Account.address,
        Account.created_at,
        Account.banned_until,
        Account.is_moderator,
    )
    return select(*columns).where(Account.ref == bindparam("ref", type_=Text))


def _games() -> Select[Any]:
    return (
        select(
            *_TABLE_COLUMNS,
            GAME.c.status,
            GAME.c.round,
            SEAT.c.name,
            func.coalesce(GAME.c.awaiting == SEAT.c.number, False),
            GAME.c.deadline_at,
        )
        .select_from(_my_seats)
        .join(GAME, GAME.c.id == _my_seats.c.game_id)
        .join(SEAT, and_(SEAT.c.game_id == GAME.c.id, SEAT.c.number == _my_seats.c.number))
        .order_by(GAME.c.id.desc())
    )


def _turn_counts_query() -> Select[Any]:
    is_turn_of_person = and_(
        TURN.c.game_id == _my_seats.c.game_id, TURN.c.seat == _my_seats.c.number
    )
    own_turns = (
        select(TURN.c.by, or_(_was_undelivered(), _had_outage()).label("is_excused"))
        .join(_my_seats, is_turn_of_person)
        .where(TURN.c.at >= _WINDOW_START)
        .subquery("own")
    )
    refused_count = (
        select(func.count())
        .select_from(NOTIFICATION)
        .join(_my_seats, NOTIFICATION.c.game_id == _my_seats.c.game_id)
        .where(
            NOTIFICATION.c.account_id == _account_id,
            NOTIFICATION.c.status == "failed",
            NOTIFICATION.c.kind == "your-turn",
            NOTIFICATION.c.first_due_at >= _WINDOW_START,
        )
    )
    missed_turn_count = func.count(
        case((and_(own_turns.c.by == "clock", ~own_turns.c.is_excused), 1))
    )
    return select(func.count(), missed_turn_count, refused_count.scalar_subquery()).select_from(
        own_turns
    )


def _was_undelivered() -> ColumnElement[bool]:
    """Return whether the person did not get the email about a turn, and did not choose so."""
    row = NOTIFICATION.c
    was_dropped = and_(row.status == "dropped", row.reason.not_in(_DROPPED_BY_CHOICE))
    return exists().where(
        row.game_id == TURN.c.game_id,
        # The email names the turn before, after which it was the person's turn.
        row.seq == TURN.c.seq - 1,
        row.account_id == _account_id,
        row.kind == "your-turn",
        or_(row.status == "failed", was_dropped),
    )


def _had_outage() -> ColumnElement[bool]:
    """Return whether there was maintenance or an outage of the site during the turn."""
    turn_before = aliased(TURN, name="turn_before")
    began_at = (
        select(turn_before.c.at)
        .where(turn_before.c.game_id == TURN.c.game_id, turn_before.c.seq == TURN.c.seq - 1)
        .correlate(TURN)
        .scalar_subquery()
    )
    return or_(
        exists().where(
            Outage.kind.in_(_EXCUSING_OUTAGES),
            Outage.began_at < TURN.c.at,
            Outage.ended_at > began_at,
        ),
        exists().where(
            Maintenance.began_at < TURN.c.at,
            func.coalesce(Maintenance.ended_at, TURN.c.at) > began_at,
        ),
    )


def _emails() -> Select[Any]:
    row = NOTIFICATION.c
    return (
        select(row.kind, *_TABLE_COLUMNS, row.status, row.reason, row.first_due_at)
        .select_from(_my_seats)
        .join(NOTIFICATION, row.game_id == _my_seats.c.game_id)
        .join(GAME, GAME.c.id == row.game_id)
        .where(row.account_id == _account_id)
        .order_by(row.id.desc())
        .limit(MOST_EMAILS)
    )


def _opt_outs() -> Select[Any]:
    address = select(folded(ACCOUNT.c.address)).where(ACCOUNT.c.id == _account_id).scalar_subquery()
    columns: tuple[Any, ...] = (OptOut.scope, *_TABLE_COLUMNS, OptOut.at)
    return (
        select(*columns)
        .select_from(OptOut)
        .outerjoin(GAME, GAME.c.id == OptOut.game_id)
        .where(OptOut.address == address)
        .order_by(OptOut.at.desc())
        .limit(_MOST_ROWS)
    )


def _sessions() -> Select[Any]:
    columns: tuple[Any, ...] = (Session.user_agent, Session.created_at)
    is_open = Session.expires_at > bindparam("now", type_=DateTime(timezone=True))
    own_sessions = select(*columns).where(Session.account_id == _account_id, is_open)
    return own_sessions.order_by(Session.id.desc()).limit(_MOST_ROWS)


def _sanctions() -> Select[Any]:
    columns: tuple[Any, ...] = (
        Sanction.kind,
        Sanction.reason,
        Sanction.at,
        Sanction.until,
        Sanction.lifted_at,
    )
    own_sanctions = select(*columns).where(Sanction.account_id == _account_id)
    return own_sanctions.order_by(Sanction.id.desc()).limit(_MOST_ROWS)


def _entries() -> Select[Any]:
    actor = aliased(Account, name="actor")
    columns: tuple[Any, ...] = (
        LedgerEntry.at,
        LedgerEntry.act,
        actor.name,
        LedgerEntry.acted_as,
        LedgerEntry.reason,
    )
    return (
        select(*columns)
        .select_from(LedgerEntry)
        .outerjoin(actor, actor.id == LedgerEntry.actor_id)
        .where(LedgerEntry.account_id == _account_id)
        .order_by(LedgerEntry.id.desc())
        .limit(_MOST_ROWS)
    )


def _reports() -> Select[Any]:
    columns: tuple[Any, ...] = (
        Report.id,
        Report.kind,
        Report.complaint,
        Report.at,
        Report.decision,
    )
    reports_about_person = select(*columns).where(Report.account_id == _account_id)
    return reports_about_person.order_by(Report.id.desc()).limit(_MOST_ROWS)


def _people_on_the_same_network() -> Select[Any]:
    own_session, other_session = aliased(Session, name="mine"), aliased(Session, name="theirs")
    network_since = bindparam("recently", type_=DateTime(timezone=True))
    columns: tuple[Any, ...] = (Account.ref, Account.name)
    return (
        select(*columns)
        .distinct()
        .select_from(own_session)
        .join(other_session, other_session.network_address == own_session.network_address)
        .join(Account, Account.id == other_session.account_id)
        .where(
            own_session.account_id == _account_id,
            other_session.account_id != own_session.account_id,
            own_session.created_at > network_since,
            other_session.created_at > network_since,
        )
        .order_by(Account.name)
        .limit(_MOST_ROWS)
    )
