"""Samples of the health of the site: taken every five minutes, thinned to hours, deleted in the end.

Games are read through the public columns only, so that the dashboard of moderators can use this module.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    Connection,
    DateTime,
    Integer,
    Interval,
    Label,
    ScalarSelect,
    Select,
    bindparam,
    cast,
    delete,
    extract,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.base import Executable

from webapp.kernel.database import CONNECTION_SETTINGS
from webapp.kernel.game_status import GameStatus
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.mail.queries.bounces import is_for_operator, untaken_count
from webapp.mail.queries.pending_emails import waiting_since
from webapp.mail.schema import Notification
from webapp.moderation.queries.public_columns import GAME
from webapp.moderation.schema import SecurityEvent
from webapp.operations.queries.heartbeats import SCHEDULE_PART, WORKER_PART
from webapp.operations.schema import HealthSample, Heartbeat


class SessionDifference(NamedTuple):
    """A setting of a session that is not what it asked for."""

    name: str
    value: str
    asked: str


SAMPLE_INTERVAL: Final = timedelta(minutes=5)
_HOUR: Final = timedelta(hours=1)
_SIGN_IN: Final = "sign-in"
_MAXIMUM_NAMES: Final = (
    "oldest_email",
    "most_overdue",
    "pending_emails",
    "failed_emails",
    "workers",
)
_SUM_NAMES: Final = ("sign_ins", "sweeps", "slow_sweeps")
_FIGURE_NAMES: Final = (*_MAXIMUM_NAMES, *_SUM_NAMES)


class FigureTimes(NamedTuple):
    """What the figures are counted from."""

    now: datetime
    games_due_by: datetime
    """A game that wakes up until then counts as due: after a failure it is tried again later."""
    worker_seen_since: datetime
    """A worker that was seen since then is running."""
    sign_ins_since: datetime


class Sample(NamedTuple):
    """One stored sample."""

    at: datetime
    oldest_email: int | None
    most_overdue: int | None
    pending_emails: int | None
    failed_emails: int | None
    workers: int | None
    sign_ins: int | None
    sweeps: int
    slow_sweeps: int


class CurrentFigures(NamedTuple):
    """The present figures, as in ``HealthSample``, when a worker and the schedule were last seen, and the worst clock."""

    oldest_email: int
    most_overdue: int
    pending_emails: int
    failed_emails: int
    workers: int
    sign_ins: int
    worker_seen_at: datetime | None
    beat_seen_at: datetime | None
    clock_ahead: timedelta | None
    """How far the worst clock of a running worker is ahead of the database's; None if no worker is running."""
    untaken_emails: int
    """Emails that wait because the relay refuses them or can't be reached."""


def sample_start_at(at: datetime) -> datetime:
    """Return the beginning of the five minutes that contain an instant."""
    return at.replace(minute=at.minute - at.minute % 5, second=0, microsecond=0)


def store_sample(tx: Tx, *, sample_start: datetime, figure_times: FigureTimes) -> None:
    """Store the sample of a slot; a second one of the same slot changes nothing."""
    _STORE_STATEMENT.run(tx, sample_start=sample_start, **figure_times._asdict())


def _store_statement() -> Executable:
    names = ("at", *_MAXIMUM_NAMES, "sign_ins")
    values = select(_instant("sample_start"), *_current_columns())
    statement = insert(HealthSample).from_select(names, values)
    return statement.on_conflict_do_update(
        index_elements=[HealthSample.at],
        set_={name: statement.excluded[name] for name in names[1:]},
        # Sweeps may have been counted before.
        where=HealthSample.workers.is_(None),
    )


def add_sweeps_to_sample(
    tx: Tx, *, sample_start: datetime, sweep_count: int, slow_sweep_count: int
) -> None:
    """Add sweeps to the sample of a slot."""
    statement = insert(HealthSample).values(
        at=sample_start, sweeps=sweep_count, slow_sweeps=slow_sweep_count
    )
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[HealthSample.at],
            set_={
                "sweeps": HealthSample.sweeps + statement.excluded.sweeps,
                "slow_sweeps": HealthSample.slow_sweeps + statement.excluded.slow_sweeps,
            },
        )
    )


def read(
    tx: Tx, *, since: datetime, figure_times: FigureTimes
) -> tuple[CurrentFigures, list[Sample]]:
    """Return the present figures and the samples since then, in one statement."""
    rows = _READ_STATEMENT.run(tx, since=since, **figure_times._asdict())
    width = len(CurrentFigures._fields)
    samples = [Sample(*row[width:]) for row in rows if row[width] is not None]
    return CurrentFigures(*rows[0][:width]), samples


def _read_statement() -> Executable:
    seen = (
        select(func.max(Heartbeat.at)).where(Heartbeat.part == part).scalar_subquery().label(part)
        for part in (WORKER_PART, SCHEDULE_PART)
    )
    current_query = (
        select(
            *_current_columns(),
            *seen,
            _worst_clock(),
            untaken_count().label("untaken"),
        )
        .cte("current")
        .prefix_with("MATERIALIZED")
    )
    columns = [getattr(HealthSample, name) for name in Sample._fields]
    return (
        select(*current_query.c, *columns)
        .select_from(current_query)
        .outerjoin(HealthSample, HealthSample.at >= _instant("since"))
        .order_by(HealthSample.at)
    )


def thin_out_samples(tx: Tx, *, before: datetime) -> None:
    """Join samples older than that into one for each hour: the largest value, or the sum of what is counted."""
    old_samples = (
        delete(HealthSample)
        .where(HealthSample.at < before, extract("minute", HealthSample.at) != 0)
        .returning(HealthSample)
        .cte("old")
    )
    hour = func.date_trunc("hour", old_samples.c.at)
    merged_columns = [func.max(old_samples.c[name]) for name in _MAXIMUM_NAMES] + [
        func.sum(old_samples.c[name]).cast(Integer) for name in _SUM_NAMES
    ]
    statement = insert(HealthSample).from_select(
        ("at", *_FIGURE_NAMES), select(hour, *merged_columns).group_by(hour)
    )
    stored_columns, added_columns = HealthSample.__table__.c, statement.excluded
    maximum_columns = {
        name: func.greatest(stored_columns[name], added_columns[name]) for name in _MAXIMUM_NAMES
    }
    sum_columns = {
        name: func.coalesce(stored_columns[name], 0) + func.coalesce(added_columns[name], 0)
        for name in _SUM_NAMES
    }
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[HealthSample.at], set_=maximum_columns | sum_columns
        )
    )


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete samples; return how many."""
    return tx.execute(delete(HealthSample).where(HealthSample.at < before)).rowcount


def _instant(parameter: str) -> BindParameter[datetime]:
    return bindparam(parameter, type_=DateTime(timezone=True))


def _current_columns() -> list[ScalarSelect[Any]]:
    """Return the present figures, in the order of ``CurrentFigures``; each is found by an index. ``FigureTimes`` are parameters."""
    pending = text("status = 'pending'")
    selects: list[Select[Any]] = [
        select(_age_seconds(func.min(waiting_since()))).where(pending, is_for_operator()),
        _most_overdue(),
        select(func.count()).select_from(Notification).where(pending),
        select(func.count()).where(
            Notification.settled_at > _instant("now") - _HOUR,
            Notification.status == "failed",
            # Those were not attempted: the fault is found with the emails that came back.
            Notification.reason.is_distinct_from("suppressed"),
        ),
        select(func.count()).where(
            Heartbeat.part == WORKER_PART, Heartbeat.at >= _instant("worker_seen_since")
        ),
        select(func.count()).where(
            SecurityEvent.kind == _SIGN_IN, SecurityEvent.at >= _instant("sign_ins_since")
        ),
    ]
    names = (*_MAXIMUM_NAMES, "sign_ins")
    return [
        figure_select.scalar_subquery().label(name)  # type: ignore[misc]
        for figure_select, name in zip(selects, names, strict=True)
    ]


def _worst_clock() -> Label[timedelta]:
    return (
        select(Heartbeat.clock_ahead)
        .where(Heartbeat.part == WORKER_PART, Heartbeat.at >= _instant("worker_seen_since"))
        .order_by(func.abs(extract("epoch", Heartbeat.clock_ahead)).desc())
        .limit(1)
        .scalar_subquery()
        .label("clock_ahead")
    )


def _most_overdue() -> Select[Any]:
    # Literal conditions, as in the partial index.
    is_running = text(f"status = '{GameStatus.RUNNING}' AND NOT awaiting_bot")
    return select(_age_seconds(func.min(GAME.c.deadline_at))).where(
        is_running, GAME.c.wake_at <= _instant("games_due_by")
    )


def _age_seconds(since: Any) -> Any:  # noqa: ANN401 - SQL expressions have many types
    seconds = extract("epoch", cast(_instant("now") - since, Interval))
    return func.coalesce(func.greatest(cast(seconds, Integer), 0), 0)


def major_version(connection: Connection) -> int:
    """Return the major version of the Postgres server."""
    return int(connection.scalar(text("SHOW server_version_num")) or 0) // 10_000


def database_clock(tx: Tx) -> datetime:
    """Return the current time of the database machine."""
    at: datetime = tx.execute(select(func.clock_timestamp())).scalar_one()
    return at


def session_differences(tx: Tx) -> list[SessionDifference]:
    """Return the settings of this session that are not those that it asked for when it connected."""
    names = list(CONNECTION_SETTINGS)
    values = tx.execute(select(*(func.current_setting(name) for name in names))).one()
    return [
        SessionDifference(name, value, CONNECTION_SETTINGS[name])
        for name, value in zip(names, values, strict=True)
        if value != CONNECTION_SETTINGS[name]
    ]


def local_data_folder(tx: Tx) -> Path | None:
    """Return the data folder of a server on this machine, if the role may know it. An embedded one may name a descriptor instead."""
    is_local, folder = tx.execute(
        text(
            "SELECT coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true),"
            " (SELECT setting FROM pg_settings WHERE name = 'data_directory')"
        )
    ).one()
    return Path(folder) if is_local and folder and not folder.startswith("/proc/") else None


def size_bytes(tx: Tx) -> int:
    """Return how much of its disk the database takes."""
    return int(tx.connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)


_STORE_STATEMENT: Final = Statement(_store_statement)
_READ_STATEMENT: Final = Statement(_read_statement)
