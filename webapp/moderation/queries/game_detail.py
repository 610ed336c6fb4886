"""What moderators see of one game: its seats, turns and emails with their times, and the reports about it, in one statement."""

from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import DateTime, Select, Text, bindparam, case, literal, select

from webapp.clubs.schema import Club, Membership
from webapp.kernel.json_columns import decode_rows, rows_column
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.lobby.schema import SeatOffer, Sitting
from webapp.moderation.queries.game_list import RANK_OF_RUNNING, ListedGame, with_details
from webapp.moderation.queries.public_columns import ACCOUNT, GAME, NOTIFICATION, SEAT, TURN
from webapp.moderation.schema import Report

MOST_ROWS: Final = 400
"""Of turns and of emails: the newest."""
_SOURCES_SHOWN_AS_THEY_ARE: Final = ("clock", "bot", "away", "moderator")
"""Who took a turn; all else is the player, because until the game ends a plan looks like any other turn."""


class GameVisibilityAndDates(Redacted, frozen=True, array_like=True):
    """What decides who may see the game, and its dates."""

    id: int
    host_id: int
    public: bool
    club_slug: str | None
    rank_in_club: str | None
    """Of the viewer, in the club of the game."""
    viewer_sat_there: bool
    """Whether the viewer had a seat before the one who has it now."""
    has_open_offer: bool
    """Whether a seat of the game is offered to someone who can still accept."""
    opened_at: datetime
    ended_at: datetime | None


class PublicSeat(Redacted, frozen=True, array_like=True):
    """A seat and who sits there."""

    number: int
    name: str | None
    is_bot: bool
    account_id: int | None
    person_ref: str | None
    bot_level: str | None


class PublicTurn(Redacted, frozen=True, array_like=True):
    """A turn without what was played. The deal has no seat."""

    seq: int
    seat: int | None
    by: str
    at: datetime


class SentEmail(Redacted, frozen=True, array_like=True):
    """An email about the game, without its content."""

    kind: str
    seq: int | None
    account_id: int | None
    status: str
    reason: str | None
    first_due_at: datetime
    due_at: datetime
    attempts: int
    settled_at: datetime | None


class ReportLine(Redacted, frozen=True, array_like=True):
    """A report about the game or someone at its table."""

    id: int
    kind: str
    seat: int | None
    complaint: str
    at: datetime
    decision: str | None


class GameDetail(NamedTuple):
    """Everything of one game that its moderators see, but the ledger."""

    visibility_and_dates: GameVisibilityAndDates
    game: ListedGame
    seats: tuple[PublicSeat, ...]
    turns: tuple[PublicTurn, ...]
    """The newest first."""
    emails: tuple[SentEmail, ...]
    """The newest first."""
    reports: tuple[ReportLine, ...]


def read_detail(tx: Tx, slug: str, *, viewer_id: int) -> GameDetail | None:
    """Return the game of this slug, if there is one."""
    parameters = {"slug": slug, "viewer_id": viewer_id, "now": tx.now}
    row = tx.execute(_statement(), parameters).one()
    visibility_and_dates = decode_rows(row[0], GameVisibilityAndDates)
    if not visibility_and_dates:
        return None
    return GameDetail(
        visibility_and_dates=visibility_and_dates[0],
        game=decode_rows(row[1], ListedGame)[0],
        seats=decode_rows(row[2], PublicSeat),
        turns=decode_rows(row[3], PublicTurn),
        emails=decode_rows(row[4], SentEmail),
        reports=decode_rows(row[5], ReportLine),
    )


@cache
def _statement() -> Select[Any]:
    id_query = select(GAME.c.id).where(GAME.c.slug == bindparam("slug", type_=Text))
    game_id = id_query.scalar_subquery()
    columns: tuple[Any, ...] = (
        rows_column(_visibility_and_dates_query()),
        rows_column(_listed_game_query()),
        rows_column(_seats().where(SEAT.c.game_id == game_id)),
        rows_column(_turns().where(TURN.c.game_id == game_id)),
        rows_column(_emails_query().where(NOTIFICATION.c.game_id == game_id)),
        rows_column(_reports().where(Report.game_id == game_id)),
    )
    return select(*columns)


def _visibility_and_dates_query() -> Select[Any]:
    rank = select(Membership.rank).where(
        Membership.club_id == GAME.c.club_id,
        Membership.account_id == bindparam("viewer_id"),
        Membership.status == "member",
    )
    sat = select(Sitting.seat).where(
        Sitting.game_id == GAME.c.id, Sitting.account_id == bindparam("viewer_id")
    )
    open_offer = select(SeatOffer.id).where(
        SeatOffer.game_id == GAME.c.id,
        SeatOffer.ended_as.is_(None),
        SeatOffer.expires_at > bindparam("now", type_=DateTime(timezone=True)),
    )
    columns = (
        GAME.c.id,
        GAME.c.host_id,
        GAME.c.public,
        select(Club.slug).where(Club.id == GAME.c.club_id).scalar_subquery(),
        rank.scalar_subquery(),
        sat.exists(),
        open_offer.exists(),
        GAME.c.opened_at,
        GAME.c.ended_at,
    )
    return select(*columns).where(GAME.c.slug == bindparam("slug", type_=Text))


def _listed_game_query() -> Select[Any]:
    since = bindparam("now", type_=DateTime(timezone=True)).label("since")
    single_game = select(GAME.c.id, literal(RANK_OF_RUNNING).label("rank"), since, GAME.c.slug)
    return with_details(
        single_game.where(GAME.c.slug == bindparam("slug", type_=Text)).subquery("one")
    )


def _seats() -> Select[Any]:
    is_bot = SEAT.c.bot_name.is_not(None)
    name = case((is_bot, SEAT.c.bot_name), else_=SEAT.c.name)
    return (
        select(SEAT.c.number, name, is_bot, SEAT.c.account_id, ACCOUNT.c.ref, SEAT.c.bot_level)
        .outerjoin(ACCOUNT, ACCOUNT.c.id == SEAT.c.account_id)
        .order_by(SEAT.c.number)
    )


def _turns() -> Select[Any]:
    by = case((TURN.c.by.in_(_SOURCES_SHOWN_AS_THEY_ARE), TURN.c.by), else_="player")
    columns = TURN.c.seq, TURN.c.seat, by, TURN.c.at
    return select(*columns).order_by(TURN.c.seq.desc()).limit(MOST_ROWS)


def _emails_query() -> Select[Any]:
    row = NOTIFICATION.c
    return (
        select(
            row.kind,
            row.seq,
            row.account_id,
            row.status,
            row.reason,
            row.first_due_at,
            row.due_at,
            row.attempts,
            row.settled_at,
        )
        .where(row.account_id.is_not(None))
        .order_by(row.id.desc())
        .limit(MOST_ROWS)
    )


def _reports() -> Select[Any]:
    columns: tuple[Any, ...] = (
        Report.id,
        Report.kind,
        Report.seat,
        Report.complaint,
        Report.at,
        Report.decision,
    )
    return select(*columns).order_by(Report.id.desc()).limit(MOST_ROWS)
