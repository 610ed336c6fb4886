"""What happened on each day of UTC, counted from turns, emails, sign-ins and accounts; one row for each day.

Games are read through the public columns only, so that the dashboard of moderators can use this module.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ARRAY,
    CTE,
    Date,
    Integer,
    Numeric,
    Select,
    cast,
    delete,
    exists,
    extract,
    func,
    literal,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import Insert, aggregate_order_by, insert

from webapp.accounts.schema import Account
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Tx
from webapp.mail.queries.bounces import last_accepted_at
from webapp.mail.schema import Notification
from webapp.moderation.queries.public_columns import TURN
from webapp.moderation.schema import SecurityEvent
from webapp.operations.schema import DailyStatistics, SiteFigure
from webapp.play.schema import Game


class FigureKey(NamedTuple):
    """What is counted."""

    name: str
    label: str = ""


BUCKET_BOUNDS: Final = tuple(round(30 * 2 ** (number / 2)) for number in range(33))
"""Seconds that separate the counts of ``answer_times``: from half a minute to three weeks, each 1.4 times the one before."""
BUCKET_COUNT: Final = len(BUCKET_BOUNDS) + 1
_TURN_SOURCES_OF_PEOPLE: Final = ("player", "mail", "plan", "server")
_TURN_SOURCE_OF_CLOCK: Final = "clock"
_DAY: Final = timedelta(days=1)
COMMIT_MARGIN: Final = timedelta(minutes=10)
"""A day counts as complete only when it was counted so long after its end: then its transactions are committed."""
_MOST_DELETED_EMAILS: Final = 50_000


class CountedDay(NamedTuple):
    """The figures of one day, as in ``DailyStatistics``."""

    day: date
    counted_at: datetime
    turns: int
    late_turns: int
    answer_times: list[int]
    active_games: int
    emails_sent: int
    emails_dropped: int
    emails_failed: int
    sign_ins: int
    new_accounts: int


def count(tx: Tx, day: date) -> None:
    """Count a day and store the figures in place of earlier ones, in one statement."""
    start = datetime.combine(day, time(), UTC)
    names = CountedDay._fields
    statement = insert(DailyStatistics).from_select(names, _counts_of_day(start, day, tx.now))
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[DailyStatistics.day],
            set_={name: statement.excluded[name] for name in names[1:]},
            # Another worker may have counted later; and it has seen more.
            where=DailyStatistics.counted_at < statement.excluded.counted_at,
        )
    )


def read(tx: Tx, *, since: date) -> list[CountedDay]:
    """Return the days since then that have been counted, and today as it is now: no job has to run before it is shown."""
    today = tx.now.astimezone(UTC).date()
    columns = [getattr(DailyStatistics, name) for name in CountedDay._fields]
    earlier_days_query = select(*columns).where(
        DailyStatistics.day >= since, DailyStatistics.day < today
    )
    todays_counts_query = _counts_of_day(datetime.combine(today, time(), UTC), today, tx.now)
    return [
        CountedDay(*row) for row in tx.execute(union_all(earlier_days_query, todays_counts_query))
    ]


def counted_at_by_day(tx: Tx, *, since: date) -> dict[date, datetime]:
    """Return when each day since then was counted last."""
    rows = tx.execute(
        select(DailyStatistics.day, DailyStatistics.counted_at).where(DailyStatistics.day >= since)
    )
    return {row.day: row.counted_at for row in rows}


def first_day(tx: Tx) -> date | None:
    """Return the day on which the oldest account was created."""
    return tx.execute(select(cast(func.min(Account.created_at), Date))).scalar_one()


def _counts_of_day(start: datetime, day: date, now: datetime) -> Select[Any]:
    end = start + _DAY
    played_turns, emails = _played_turns(start, end), _emails(start, end)
    sign_ins = select(func.count()).where(
        SecurityEvent.kind == "sign-in", SecurityEvent.at >= start, SecurityEvent.at < end
    )
    accounts = select(func.count()).where(Account.created_at >= start, Account.created_at < end)
    turn_figures = (
        func.count(),
        func.count().filter(played_turns.c.is_late),
        func.count(played_turns.c.game_id.distinct()),
    )
    turns, late_turns, games = (
        select(figure).select_from(played_turns).scalar_subquery() for figure in turn_figures
    )
    sent_count, dropped_count, failed_count = (
        select(func.count()).select_from(emails).where(emails.c.status == status).scalar_subquery()
        for status in ("sent", "dropped", "failed")
    )
    return select(
        cast(literal(day), Date),
        literal(now),
        *(turns, late_turns, _histogram(played_turns), games),
        *(sent_count, dropped_count, failed_count),
        sign_ins.scalar_subquery(),
        accounts.scalar_subquery(),
    )


def _played_turns(start: datetime, end: datetime) -> CTE:
    """Return the turns of people in this time, with the seconds since the row of their game before: see ``answer_times``."""
    previous_turn = TURN.alias("before")
    return (
        select(
            TURN.c.game_id,
            (TURN.c.by == _TURN_SOURCE_OF_CLOCK).label("is_late"),
            cast(extract("epoch", TURN.c.at - previous_turn.c.at), Numeric).label("seconds"),
        )
        .join(
            previous_turn,
            (previous_turn.c.game_id == TURN.c.game_id) & (previous_turn.c.seq == TURN.c.seq - 1),
        )
        .where(
            TURN.c.at >= start,
            TURN.c.at < end,
            TURN.c.seat.is_not(None),
            TURN.c.by.in_((*_TURN_SOURCES_OF_PEOPLE, _TURN_SOURCE_OF_CLOCK)),
        )
        .cte("played")
    )


def _histogram(played_turns: CTE) -> Any:  # noqa: ANN401 - SQL expressions have many types
    """Return the numbers of turns in each bucket, as an array."""
    bounds = literal([*BUCKET_BOUNDS], ARRAY(Numeric))
    filled_buckets = (
        select(
            func.width_bucket(played_turns.c.seconds, bounds).label("bucket"),
            func.count().label("n"),
        )
        .where(~played_turns.c.is_late)
        .group_by("bucket")
        .subquery("filled")
    )
    every_bucket = (
        func.generate_series(0, BUCKET_COUNT - 1)
        .table_valued("number")
        .render_derived(name="every")
    )
    counts = aggregate_order_by(func.coalesce(filled_buckets.c.n, 0), every_bucket.c.number)
    return (
        select(cast(func.array_agg(counts), ARRAY(Integer)))
        .select_from(every_bucket)
        .outerjoin(filled_buckets, filled_buckets.c.bucket == every_bucket.c.number)
        .scalar_subquery()
    )


def _emails(start: datetime, end: datetime) -> CTE:
    return (
        select(Notification.status)
        .where(Notification.settled_at >= start, Notification.settled_at < end)
        .cte("emails")
    )


def delete_old_emails(tx: Tx, before: datetime) -> int:
    """Delete the oldest emails that were settled before this instant and are needed no more; return how many these were.

    Kept are those of a day that is still to be counted, and of a game that is not over or ended later: a second email about the
    same must not be sent. Kept too is the last one that the relay has accepted, with all after it, because it tells for how
    long the relay has failed. What is left over a limit is for the next call.
    """
    day = cast(func.timezone("UTC", Notification.settled_at), Date)
    is_counted = exists().where(
        DailyStatistics.day == day,
        DailyStatistics.counted_at >= func.timezone("UTC", DailyStatistics.day + 1) + COMMIT_MARGIN,
    )
    is_over = exists().where(Game.id == Notification.game_id, Game.ended_at < before)
    old_ids = (
        select(Notification.id)
        .where(Notification.settled_at < before, Notification.settled_at < last_accepted_at())
        .where(or_(Notification.game_id.is_(None), is_over), is_counted)
        .order_by(Notification.settled_at)
        .limit(_MOST_DELETED_EMAILS)
    )
    return tx.execute(delete(Notification).where(Notification.id.in_(old_ids))).rowcount


def add(tx: Tx, counts: Mapping[FigureKey, int]) -> None:
    """Add to figures. Their rows stay locked until the end of the transaction, so this should be its last statement."""
    statement = _insert(counts)
    if statement is not None:
        added = SiteFigure.value + statement.excluded.value
        tx.execute(_or_update(statement, value=added))


def set_figures(tx: Tx, values: Mapping[FigureKey, int]) -> None:
    """Replace figures."""
    statement = _insert(values)
    if statement is not None:
        tx.execute(_or_update(statement, value=statement.excluded.value))


def all_figures(tx: Tx) -> dict[FigureKey, int]:
    """Return every figure that was ever stored."""
    rows = tx.execute(select(SiteFigure.name, SiteFigure.label, SiteFigure.value))
    return {FigureKey(row[0], row[1]): row[2] for row in rows}


def games_and_turns(tx: Tx) -> dict[str, tuple[int, int]]:
    """Return how many games there are of every status, and how many turns these have. Reads the whole table of games."""
    turns = func.coalesce(func.sum(Game.seq + 1), 0)
    rows = tx.execute(select(Game.status, func.count(), turns).group_by(Game.status))
    counts = {row[0]: (int(row[1]), int(row[2])) for row in rows}
    return {status: counts.get(status, (0, 0)) for status in GameStatus}


def _insert(values: Mapping[FigureKey, int]) -> Insert | None:
    # In one order, so that two transactions never wait for each other.
    rows = [
        {"name": key.name, "label": key.label, "value": value}
        for key, value in sorted(values.items())
    ]
    return insert(SiteFigure).values(rows) if rows else None


def _or_update(statement: Insert, **columns: object) -> Insert:
    return statement.on_conflict_do_update(
        index_elements=[SiteFigure.name, SiteFigure.label], set_=columns
    )
