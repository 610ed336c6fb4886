"""The health of the site: present figures and their course over a day, and the jobs that keep its samples and heartbeats."""

import os
import socket
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.services.operations.clock_difference import is_clock_difference_too_large
from webapp.services.operations.process_status import WORKER_SILENT_AFTER
from webapp.services.operations.site_figures import NO_WORK, WorkReport, count_work
from webapp.services.tx import Tx
from webapp.store.operations import health_samples, heartbeats, outages
from webapp.store.operations.health_samples import SAMPLE_INTERVAL, FigureTimes, Sample
from webapp.store.operations.heartbeats import (
    BEAT_PART,
    BOTS_PART,
    WEB_PART,
    WORKER_PART,
    LastSeen,
)

EVERY_SAMPLE_KEPT_FOR: Final = timedelta(days=2)
"""Older samples are joined into one for each hour; ``services.privacy.retention`` says when these are deleted."""
WORKERS_OUTAGE_AFTER: Final = timedelta(minutes=15)
"""Without a worker for longer than this, there was an outage: each takes a sample every five minutes."""
MAIL_OUTAGE_AFTER: Final = timedelta(minutes=30)
"""If emails wait for longer than this and not one is sent, there is an outage of the mail server."""
OUTAGES_KEPT_FOR: Final = timedelta(days=100)
"""A little longer than the turns that make up a person's reliability."""
SHOWN_PERIOD: Final = timedelta(days=1)
TURN_RETRY_PAUSE: Final = timedelta(minutes=5)
"""A game whose turn failed wakes up again after this time; it is overdue meanwhile."""

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
"""What stands for the samples of half an hour: the worst of them, or what they count together."""


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


def site_health(tx: Tx) -> SiteHealth:
    """Return the present figures and their course over a day. One statement."""
    current_figures, samples = health_samples.read(
        tx.connection,
        since=_five_minute_start(tx.now - SHOWN_PERIOD),
        figure_times=_figure_times(tx.now, tx.now - SHOWN_PERIOD),
    )
    half_hourly_values = _half_hourly_values(
        [sample for sample in samples if sample.at < _five_minute_start(tx.now)], tx.now
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


def instance_name() -> str:
    """Return the name under which this process is listed."""
    return f"{socket.gethostname()}:{os.getpid()}"


def is_on_this_host(instance: str) -> bool:
    """Return whether a process of this name runs on this machine or in this container."""
    return instance.startswith(f"{socket.gethostname()}:")


def record_heartbeat(
    tx: Tx,
    instance: str,
    *,
    work: WorkReport = NO_WORK,
    clock_ahead: timedelta = timedelta(0),
) -> None:
    """Store that a worker is running, and what it did since its last heartbeat; fail if the disk of the database is full."""
    heartbeats.use_disk(tx.connection)
    last_seen_rows = [LastSeen(WORKER_PART, instance, tx.now, clock_ahead, started_at=tx.now)]
    if work.has_looked_for_bots:
        last_seen_rows.append(LastSeen(BOTS_PART, "", tx.now))
    if work.sweeps:
        health_samples.add_sweeps_to_sample(
            tx.connection,
            sample_start=_five_minute_start(tx.now),
            sweep_count=work.sweeps,
            slow_sweep_count=work.slow_sweeps,
        )
    heartbeats.record(tx.connection, last_seen_rows)
    count_work(tx, work)


def record_sweep(tx: Tx, *, swept_at: datetime) -> None:
    """Store when a worker last looked for deadlines; that shows that the schedule is running too: nothing else starts a sweep."""
    heartbeats.record_sweep(tx.connection, swept_at)


def record_beat(tx: Tx, instance: str, *, clock_ahead: timedelta) -> None:
    """Store that a beat is running at ``now``, in the time of the database, and how far its clock is ahead of that."""
    last_seen = LastSeen(BEAT_PART, instance, tx.now, clock_ahead, started_at=tx.now)
    heartbeats.record(tx.connection, [last_seen])


def record_wrong_clock(tx: Tx, instance: str, *, clock_ahead: timedelta) -> None:
    """Store that the clock of a worker, whose heartbeat was just stored, is ahead of the database's by so much."""
    heartbeats.record_wrong_clock(tx.connection, instance=instance, clock_ahead=clock_ahead)


def record_web_process(tx: Tx, instance: str, *, seconds: float) -> None:
    """Store that a web process is running; fail if a step of that takes longer than these seconds, or the disk is full."""
    heartbeats.limit_waiting(tx.connection, seconds=seconds)
    heartbeats.use_disk(tx.connection)
    heartbeats.rewrite(tx.connection, LastSeen(WEB_PART, instance, tx.now))


def forget_worker(tx: Tx, instance: str) -> None:
    """Remove the heartbeat of a worker that ends properly."""
    heartbeats.remove_heartbeat(tx.connection, part=WORKER_PART, instance=instance)


def forget_beat(tx: Tx, instance: str) -> None:
    """Remove the heartbeat of a beat that ends properly."""
    heartbeats.remove_heartbeat(tx.connection, part=BEAT_PART, instance=instance)


def take_sample(tx: Tx) -> None:
    """Store the sample of the present five minutes, unless it exists, and the outages that it shows."""
    sample_start = _five_minute_start(tx.now)
    _record_outages(tx, sample_start)
    figure_times = _figure_times(tx.now, sample_start - SAMPLE_INTERVAL)
    health_samples.store_sample(tx.connection, sample_start=sample_start, figure_times=figure_times)


def thin_samples(tx: Tx) -> None:
    """Join old samples into one for each hour."""
    health_samples.thin_out_samples(
        tx.connection, before=_hour_start(tx.now - EVERY_SAMPLE_KEPT_FOR)
    )
    outages.delete_old(tx.connection, tx.now - OUTAGES_KEPT_FOR)


def _record_outages(tx: Tx, sample_start: datetime) -> None:
    """Record that no worker has measured anything for too long, and that emails have been stuck for too long."""
    previous_sample_at = outages.last_sample_before(tx.connection, sample_start)
    if previous_sample_at is not None and sample_start - previous_sample_at > WORKERS_OUTAGE_AFTER:
        began_at = previous_sample_at + SAMPLE_INTERVAL
        outages.record(tx.connection, outages.WORKERS, began_at=began_at, ended_at=tx.now)
    stuck_since = outages.mail_stuck_since(tx.connection, now=tx.now, max_delay=MAIL_OUTAGE_AFTER)
    if stuck_since is not None:
        outages.record(tx.connection, outages.MAIL, began_at=stuck_since, ended_at=tx.now)


def _wrong_clock(clock_ahead: timedelta) -> timedelta:
    return clock_ahead if is_clock_difference_too_large(clock_ahead) else timedelta(0)


def _figure_times(now: datetime, sign_ins_since: datetime) -> FigureTimes:
    return FigureTimes(
        now=now,
        games_due_by=now + TURN_RETRY_PAUSE,
        worker_seen_since=now - WORKER_SILENT_AFTER,
        sign_ins_since=sign_ins_since,
    )


def _half_hourly_values(
    samples: Sequence[Sample], now: datetime
) -> Callable[[str], HalfHourlyValues]:
    """Return a function that returns the course of a figure by its name."""
    first_sample_at = _five_minute_start(now - SHOWN_PERIOD)
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


def _five_minute_start(at: datetime) -> datetime:
    """Return the beginning of the five minutes that contain an instant."""
    return at.replace(minute=at.minute - at.minute % 5, second=0, microsecond=0)


def _hour_start(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
