"""Metrics in the text format of Prometheus: what this process measures, and figures of the whole site.

Every web process reports the same figures of the site, from the database. All label values are fixed; no metric identifies a
game, a player or an address.
"""

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from flask import Flask, Response, request
from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from webapp.kernel.refusals import Unavailable
from webapp.kernel.resources import lodepost_version
from webapp.kernel.tx import Database, read_only
from webapp.operations.audit import AuditStatus
from webapp.operations.health import Backlog, SiteMetrics, newest_schema, site_metrics
from webapp.operations.processes import ProcessStatus, SeenProcess, WriteCheck
from webapp.operations.site_figures import SiteFigures, WorkReport


def _site_families(metrics: SiteMetrics, now: datetime) -> Iterator[Metric]:
    """Yield the figures of the whole site."""
    yield from _age_families(metrics.backlog)
    yield from _email_families(metrics)
    yield from _game_families(metrics.figures)
    yield from _process_families(metrics.processes)
    yield from _work_families(metrics.figures.work)
    yield from _audit_families(metrics.audit, now)
    yield _counter("lodepost_alarms", "How often each alarm was raised.", "alarm", metrics.alarms)
    yield GaugeMetricFamily(
        "lodepost_clocks_stopped",
        "1 during maintenance and until the clocks of all games are shifted after it or an outage, else 0.",
        metrics.are_clocks_stopped,
    )


def _age_families(backlog: Backlog) -> Iterator[Metric]:
    ages = {
        "oldest_unsent_email": (backlog.oldest_unsent_email, "Age of the oldest unsent email"),
        "most_overdue_deadline": (
            backlog.most_overdue_deadline,
            "Time since the most overdue deadline",
        ),
        "most_overdue_bot": (
            backlog.most_overdue_bot,
            "Time for which the slowest bot has been to play",
        ),
    }
    for name, (age, description) in ages.items():
        seconds = 0.0 if age is None else age.total_seconds()
        yield GaugeMetricFamily(
            f"lodepost_{name}_seconds", f"{description}; 0 if there is none.", seconds
        )


def _email_families(metrics: SiteMetrics) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "lodepost_pending_emails", "Emails that wait to be sent.", metrics.pending_emails
    )
    yield _gauge(
        "lodepost_delayed_emails",
        "Emails that wait after a failure, by cause.",
        "cause",
        metrics.delayed_emails,
    )
    yield _counter(
        "lodepost_delivery_attempts",
        "Attempts to send an email, by outcome.",
        "outcome",
        metrics.figures.attempts,
    )


def _game_families(figures: SiteFigures) -> Iterator[Metric]:
    if figures.games is None or figures.turns is None:
        return
    yield _gauge(
        "lodepost_games", "Games by status, counted every five minutes.", "status", figures.games
    )
    yield CounterMetricFamily(
        "lodepost_turns", "Turns of all games, counted every five minutes.", figures.turns
    )


def _process_families(processes: ProcessStatus) -> Iterator[Metric]:
    counts = {
        "lodepost_workers_running": (
            processes.running_workers,
            "Workers seen in the last two minutes.",
        ),
        "lodepost_workers_silent": (
            processes.silent_workers,
            "Workers that did not end properly and were last seen longer ago.",
        ),
        "lodepost_workers_with_wrong_clock": (
            processes.wrong_clocks,
            "Running workers that do nothing, because their clocks are wrong.",
        ),
        "lodepost_beats_running": (
            processes.running_beats,
            "Beats that are running; a second one starts every task twice.",
        ),
    }
    for name, (seen, description) in counts.items():
        yield GaugeMetricFamily(name, description, len(seen))
    yield _last_seen_family(processes)
    yield _gauge(
        "lodepost_clock_difference_seconds",
        "The largest difference between the clock of a running worker or beat and that of the database.",
        "part",
        {
            "worker": _largest_difference(processes.running_workers),
            "beat": _largest_difference(processes.running_beats),
        },
    )


def _last_seen_family(processes: ProcessStatus) -> Metric:
    seen_at = {
        "worker": processes.worker_seen_at,
        "beat": processes.beat_seen_at,
        "schedule": processes.swept_at,
        "bots": processes.bots_seen_at,
    }
    return _gauge(
        "lodepost_last_seen_timestamp_seconds",
        "When a worker, a beat, a check of all deadlines (schedule) or of the bots on turn was last seen.",
        "part",
        {part: at.timestamp() for part, at in seen_at.items() if at is not None},
    )


def _work_families(work: WorkReport) -> Iterator[Metric]:
    yield CounterMetricFamily("lodepost_sweeps", "Checks of all deadlines.", work.sweeps)
    yield CounterMetricFamily(
        "lodepost_slow_sweeps",
        "Checks of all deadlines that took longer than the time until the next.",
        work.slow_sweeps,
    )
    outcomes = {"done": work.tasks_done, "failed": work.tasks_failed}
    yield _counter("lodepost_tasks", "Tasks that workers ended.", "outcome", outcomes)


def _audit_families(audit: AuditStatus, now: datetime) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "lodepost_inconsistent_games",
        "Games whose stored data differs from their log; deadlines and bots are suspended in them.",
        audit.inconsistent_games,
    )
    yield CounterMetricFamily(
        "lodepost_repaired_snapshots",
        "Stored positions that were rebuilt from their logs.",
        audit.repaired_snapshots,
    )
    if audit.completed_at is not None:
        age = (now - audit.completed_at).total_seconds()
        yield GaugeMetricFamily(
            "lodepost_audit_age_seconds", "Time since the last complete audit.", max(0.0, age)
        )


def _gauge(name: str, description: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, description, labels=[label])
    for value_name, value in values.items():
        family.add_metric([value_name], value)
    return family


def _counter(name: str, description: str, label: str, values: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(name, description, labels=[label])
    for value_name, value in values.items():
        family.add_metric([value_name], value)
    return family


def _largest_difference(seen: tuple[SeenProcess, ...]) -> float:
    differences = (abs(process.clock_ahead) for process in seen)
    return max(differences, default=timedelta(0)).total_seconds()


CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_COMBINED_METRICS: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "process_cpu_seconds": sum,
    "process_resident_memory_bytes": sum,
    "process_virtual_memory_bytes": sum,
    # Each process may open as many as the limit says.
    "process_open_fds": max,
}
_START_TIME_KEY: Final = "lodepost.started"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_LATENCY_BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

disable_created_metrics()  # type: ignore[no-untyped-call] # not annotated


class Meter:
    """The metrics of one web process, or of all that were forked together."""

    def __init__(
        self,
        database: Database,
        write_check: WriteCheck,
        now: Callable[[], datetime],
        *,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._clock = clock
        self._registry = CollectorRegistry()
        self._registry.register(_BuildCollector())
        self._registry.register(_SiteCollector(database, write_check, now))
        shared_folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        if shared_folder is None:
            ProcessCollector(registry=self._registry)
            GCCollector(registry=self._registry)
        else:
            # Sums what all processes of `lodepost web --processes` have counted, also those that have ended.
            MultiProcessCollector(self._registry, shared_folder)  # type: ignore[no-untyped-call] # not annotated
            self._registry.register(_ProcessesCollector())
        self._seconds = Histogram(
            "lodepost_request_seconds",
            "Seconds from request to response, by endpoint, method and status.",
            ["endpoint", "method", "status"],
            buckets=_LATENCY_BUCKETS,
            registry=None if shared_folder else self._registry,
        )

    def time_requests(self, app: Flask) -> None:
        """Time every request of this application."""
        app.before_request(self._start_timer)
        app.after_request(self._stop_timer)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

    def _start_timer(self) -> None:
        request.environ[_START_TIME_KEY] = self._clock()

    def _stop_timer(self, response: Response) -> Response:
        started = request.environ.get(_START_TIME_KEY)
        if started is not None:
            # Methods that clients invent share one label, because every label value is kept for ever.
            method = request.method if request.method in _METHODS else "other"
            endpoint = request.endpoint or "none"
            histogram = self._seconds.labels(endpoint, method, str(response.status_code))
            histogram.observe(self._clock() - started)
        return response


class _SiteCollector(Collector):
    """Queries the database when Prometheus collects."""

    def __init__(
        self, database: Database, write_check: WriteCheck, now: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._write_check = write_check
        self._now = now

    def describe(self) -> list[Metric]:
        """Return nothing, so that registering does not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        state, now = self._write_check.state(), self._now()
        metrics = None if state == "down" else self._query_database(now)
        yield GaugeMetricFamily(
            "lodepost_database_up", "1 if the database answers, 0 if not.", metrics is not None
        )
        yield GaugeMetricFamily(
            "lodepost_database_writable",
            "1 if the database takes changes, 0 if not.",
            state == "up",
        )
        if metrics is not None:
            yield from _site_families(metrics, now)

    def _query_database(self, now: datetime) -> SiteMetrics | None:
        """Return the figures; None if the database does not answer."""
        try:
            with read_only(self._database, now) as tx:
                return site_metrics(tx)
        except Unavailable:
            return None


class _ProcessesCollector(Collector):
    """The processes that were forked together: CPU time and memory as sums, and the most open files of any."""

    def collect(self) -> Iterator[Metric]:
        others = [_values_of_process(pid) for pid in _sibling_pids()]
        for family in ProcessCollector(registry=None).collect():
            if family.name in _COMBINED_METRICS:
                combine = _COMBINED_METRICS[family.name]
                sample = family.samples[0]
                values = [sample.value, *(other.get(family.name, 0.0) for other in others)]
                family.samples[0] = sample._replace(value=combine(values))
            yield family


def _values_of_process(pid: str) -> dict[str, float]:
    """Return the metrics of that process by name; none if it has ended."""
    families = ProcessCollector(pid=lambda: pid, registry=None).collect()
    return {family.name: family.samples[0].value for family in families}


def _sibling_pids() -> list[str]:
    """Return the other processes of the same parent, and the parent."""
    parent = str(os.getppid())
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [pid for pid in [parent, *children.split()] if pid != str(os.getpid())]


class _BuildCollector(Collector):
    """What is installed."""

    def collect(self) -> Iterator[Metric]:
        yield _build_info()


def _build_info() -> Metric:
    labels = {
        "version": lodepost_version(),
        "python": platform.python_version(),
        "schema": newest_schema(),
    }
    return InfoMetricFamily(
        "lodepost_build", "The release, its Python, and the schema that it needs.", labels
    )
