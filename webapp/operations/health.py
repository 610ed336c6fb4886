"""The health of the site, asked by the probe, metrics, the moderators' dashboard, `lodepost status` and `doctor`.

What waits and for how long, facts about the database, and the course of some figures over a day.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from webapp.clock.queries import maintenance
from webapp.clock.queries.maintenance import MaintenanceRow
from webapp.kernel.tx import Tx
from webapp.mail.queries import pending_emails
from webapp.mail.queries.bounces import DelayedEmails
from webapp.mail.queries.pending_emails import WaitingEmails
from webapp.operations.alarms import alarm_counts, recent_alarms
from webapp.operations.audit import AuditStatus, audit_status
from webapp.operations.mail_outages import delayed_email_counts, delayed_emails
from webapp.operations.processes import (
    WORKER_SILENT_AFTER,
    ProcessStatus,
    is_clock_difference_too_large,
    process_status,
)
from webapp.operations.queries import daily_statistics, email_hold, health_samples, migrate, outages
from webapp.operations.queries.alarms import RaisedAlarm
from webapp.operations.queries.email_hold import EmailHoldRow
from webapp.operations.queries.health_samples import (
    SAMPLE_INTERVAL,
    FigureTimes,
    Sample,
    sample_start_at,
)
from webapp.operations.site_figures import SiteFigures, read_figures
from webapp.play.queries import clocks
from webapp.play.queries.clocks import RETRY_AFTER

SessionDifference: TypeAlias = health_samples.SessionDifference
"""A setting of a session that differs from the one it asked for."""
EVERY_SAMPLE_KEPT_FOR: Final = timedelta(days=2)
"""Older samples are joined into one for each hour; ``webapp.privacy.retention`` says when these are deleted."""
WORKERS_OUTAGE_AFTER: Final = timedelta(minutes=15)
"""Without a worker for longer than this, there was an outage: each takes a sample every five minutes."""
MAIL_OUTAGE_AFTER: Final = timedelta(minutes=30)
"""If emails wait for longer than this and not one is sent, there is an outage of the mail server."""
OUTAGES_KEPT_FOR: Final = timedelta(days=100)
"""A little longer than the turns that make up a person's reliability."""
SHOWN_PERIOD: Final = timedelta(days=1)
HalfHourlyValues = tuple[float | None, ...]
"""A figure in every half hour of the last day, oldest first; None where no sample was taken."""
_HALF_HOUR: Final = timedelta(minutes=30)
_AGGREGATE_BY_FIGURE: Final[dict[str, Callable[[list[int]], int]]] = {
    "oldest_email": max,
    "most_overdue": max,
    "pending_emails": max,
    "failed_emails": max,
    "sign_ins": sum,
    "sweeps": min,
    "workers": min,
}
"""How the samples of half an hour become one: the worst of them, or their sum."""


class Backlog(msgspec.Struct, frozen=True, kw_only=True):
    """How long the oldest item of each kind has been waiting; None if none waits."""

    oldest_unsent_email: timedelta | None
    most_overdue_deadline: timedelta | None
    most_overdue_bot: timedelta | None


class DatabaseInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the database server and its schema."""

    postgres: int
    """The major version of the server."""
    schema: str | None
    is_current: bool
    """Whether the schema is the one of this release."""


class SiteStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What `lodepost status` and `doctor` show of a database: what waits, who works and what is wrong."""

    games: dict[str, int]
    """By status."""
    backlog: Backlog
    emails: tuple[WaitingEmails, ...]
    delayed_emails: tuple[DelayedEmails, ...]
    processes: ProcessStatus
    alarms: tuple[RaisedAlarm, ...]
    """Of the last hour."""
    maintenance: MaintenanceRow | None
    email_hold: EmailHoldRow | None
    """Since when no email is sent, if this is a restored copy."""
    audit: AuditStatus


class SiteMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of the whole site."""

    backlog: Backlog
    pending_emails: int
    delayed_emails: dict[str, int]
    """Of these, those that wait after a failure, by its cause."""
    alarms: dict[str, int]
    """How often each alarm was raised."""
    figures: SiteFigures
    processes: ProcessStatus
    audit: AuditStatus
    are_clocks_stopped: bool


class HealthFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure: its present value and its course."""

    now: int
    half_hourly_values: HalfHourlyValues


class SiteHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The figures above the list of games."""

    oldest_email: HealthFigure
    """Seconds that the oldest unsent email has been waiting."""
    most_overdue: HealthFigure
    """Seconds since the oldest deadline passed for which no turn was played."""
    pending_emails: HealthFigure
    failed_emails: HealthFigure
    """Emails that were given up during the last hour."""
    untaken_emails: int
    """Emails that wait because the relay refuses them or can't be reached, as ``lodepost status`` counts them."""
    sweeps: HealthFigure
    """How often deadlines were checked in five minutes."""
    slow_sweeps: int
    """How many of these checks took too long, in the last day."""
    sign_ins: HealthFigure
    """Sign-ins of the last day; the course has those of each half hour."""
    workers: HealthFigure
    worker_seen_at: datetime | None
    beat_seen_at: datetime | None
    clock_ahead: timedelta
    """How far the worst clock of a running worker is ahead of the database's; 0 if none is wrong."""


def backlog(tx: Tx) -> Backlog:
    """Return how long emails, deadlines and bots have been waiting. A deadline in the future is not overdue."""
    # A game whose turn failed is tried again after at most this long; it is overdue meanwhile.
    person_deadline, bot_turn_start = clocks.oldest_overdue_times(
        tx, games_due_by=tx.now + RETRY_AFTER
    )
    return Backlog(
        oldest_unsent_email=_age_of(pending_emails.oldest_pending_since(tx), tx.now),
        most_overdue_deadline=_age_of(person_deadline, tx.now),
        most_overdue_bot=_age_of(bot_turn_start, tx.now),
    )


def site_status(tx: Tx) -> SiteStatus:
    """Return the present figures. Reads the whole table of games, so it is for a command and not for a monitor."""
    games = daily_statistics.games_and_turns(tx)
    return SiteStatus(
        games={status: count for status, (count, _) in games.items()},
        backlog=backlog(tx),
        emails=tuple(pending_emails.pending_by_cause(tx)),
        delayed_emails=tuple(delayed_emails(tx)),
        processes=process_status(tx),
        alarms=tuple(recent_alarms(tx)),
        maintenance=maintenance.unfinished_maintenance(tx),
        email_hold=email_hold.find_hold(tx),
        audit=audit_status(tx),
    )


def site_metrics(tx: Tx) -> SiteMetrics:
    """Return the present figures."""
    return SiteMetrics(
        backlog=backlog(tx),
        pending_emails=pending_emails.count_pending(tx),
        delayed_emails=delayed_email_counts(tx),
        alarms=alarm_counts(tx),
        figures=read_figures(tx),
        processes=process_status(tx),
        audit=audit_status(tx),
        are_clocks_stopped=maintenance.are_clocks_stopped(tx),
    )


def site_health(tx: Tx) -> SiteHealth:
    """Return the present figures and their course over a day. One statement."""
    current_figures, samples = health_samples.read(
        tx,
        since=sample_start_at(tx.now - SHOWN_PERIOD),
        figure_times=_figure_times(tx.now, tx.now - SHOWN_PERIOD),
    )
    half_hourly_values = _half_hourly_values(
        [sample for sample in samples if sample.at < sample_start_at(tx.now)], tx.now
    )

    def figure(name: str) -> HealthFigure:
        return HealthFigure(
            now=getattr(current_figures, name), half_hourly_values=half_hourly_values(name)
        )

    # The newest five minutes are not over yet.
    last = samples[-2] if len(samples) > 1 else None
    return SiteHealth(
        oldest_email=figure("oldest_email"),
        most_overdue=figure("most_overdue"),
        pending_emails=figure("pending_emails"),
        failed_emails=figure("failed_emails"),
        untaken_emails=current_figures.untaken_emails,
        sweeps=HealthFigure(
            now=last.sweeps if last else 0, half_hourly_values=half_hourly_values("sweeps")
        ),
        slow_sweeps=sum(sample.slow_sweeps for sample in samples),
        sign_ins=figure("sign_ins"),
        workers=figure("workers"),
        worker_seen_at=current_figures.worker_seen_at,
        beat_seen_at=current_figures.beat_seen_at,
        clock_ahead=_wrong_clock(current_figures.clock_ahead or timedelta(0)),
    )


def database_info(tx: Tx) -> DatabaseInfo:
    """Return the version and the schema of the database."""
    schema = migrate.revision_at(tx.connection)
    return DatabaseInfo(
        postgres=health_samples.major_version(tx.connection),
        schema=schema,
        is_current=schema == migrate.newest_revision(),
    )


def session_differences(tx: Tx) -> list[SessionDifference]:
    """Return the settings of this session that differ from those it asked for."""
    return health_samples.session_differences(tx)


def local_data_folder(tx: Tx) -> Path | None:
    """Return the data folder of the database, if it can be seen from this process."""
    folder = health_samples.local_data_folder(tx)
    try:
        return folder if folder is not None and folder.exists() else None
    except PermissionError:
        return None


def newest_schema() -> str:
    """Return the schema of this release."""
    return migrate.newest_revision()


def is_schema_behind(tx: Tx) -> bool:
    """Return whether the schema is older than this release. A newer schema still works with this release."""
    return migrate.is_behind_at(tx.connection)


def is_email_held(tx: Tx) -> bool:
    """Return whether this is a restored copy: no email is sent from it and no deadline runs out, until the operator releases it.

    The original may still be running: its players must not get emails from two servers.
    """
    return email_hold.is_held(tx)


def database_size(tx: Tx) -> int:
    """Return the bytes that the database takes on its disk."""
    return health_samples.size_bytes(tx)


def take_sample(tx: Tx) -> None:
    """Store the sample of the present five minutes, unless it exists, and the outages that it shows."""
    sample_start = sample_start_at(tx.now)
    _record_outages(tx, sample_start)
    figure_times = _figure_times(tx.now, sample_start - SAMPLE_INTERVAL)
    health_samples.store_sample(tx, sample_start=sample_start, figure_times=figure_times)


def thin_samples(tx: Tx) -> None:
    """Join old samples into one for each hour."""
    health_samples.thin_out_samples(tx, before=_hour_start(tx.now - EVERY_SAMPLE_KEPT_FOR))
    outages.delete_old(tx, tx.now - OUTAGES_KEPT_FOR)


def _record_outages(tx: Tx, sample_start: datetime) -> None:
    """Record an outage if no worker has taken a sample for too long, or if emails have been stuck for too long."""
    previous_sample_at = outages.last_sample_before(tx, sample_start)
    if previous_sample_at is not None and sample_start - previous_sample_at > WORKERS_OUTAGE_AFTER:
        began_at = previous_sample_at + SAMPLE_INTERVAL
        outages.record(tx, outages.WORKERS, began_at=began_at, ended_at=tx.now)
    stuck_since = outages.mail_stuck_since(tx, max_delay=MAIL_OUTAGE_AFTER)
    if stuck_since is not None:
        outages.record(tx, outages.MAIL, began_at=stuck_since, ended_at=tx.now)


def _age_of(instant: datetime | None, now: datetime) -> timedelta | None:
    return None if instant is None or instant > now else now - instant


def _wrong_clock(clock_ahead: timedelta) -> timedelta:
    return clock_ahead if is_clock_difference_too_large(clock_ahead) else timedelta(0)


def _figure_times(now: datetime, sign_ins_since: datetime) -> FigureTimes:
    return FigureTimes(
        now=now,
        games_due_by=now + RETRY_AFTER,
        worker_seen_since=now - WORKER_SILENT_AFTER,
        sign_ins_since=sign_ins_since,
    )


def _half_hourly_values(
    samples: Sequence[Sample], now: datetime
) -> Callable[[str], HalfHourlyValues]:
    """Return a function that returns the course of a figure by its name."""
    first_sample_at = sample_start_at(now - SHOWN_PERIOD)
    samples_by_half_hour: list[list[Sample]] = [[] for _ in range(SHOWN_PERIOD // _HALF_HOUR)]
    for sample in samples:
        samples_by_half_hour[(sample.at - first_sample_at) // _HALF_HOUR].append(sample)

    def half_hourly_values(name: str) -> HalfHourlyValues:
        values_by_half_hour = (
            [getattr(sample, name) for sample in half_hour] for half_hour in samples_by_half_hour
        )
        known_values = (
            [value for value in values if value is not None] for values in values_by_half_hour
        )
        return tuple(
            _AGGREGATE_BY_FIGURE[name](values) if values else None for values in known_values
        )

    return half_hourly_values


def _hour_start(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
