"""Metrics in the text format of Prometheus: request times of this process, and figures from the database.

No metric identifies a game, a player or an address.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from flask import Flask, Response, request
from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from webapp.services.errors import Unavailable
from webapp.services.operations.audit import AuditStatus, audit_status
from webapp.services.operations.health import Backlog, Totals, backlog, totals
from webapp.services.operations.write_check import WriteCheck
from webapp.services.tx import Database, Tx, read_only

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_START_TIME_KEY: Final = "lodepost.started"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_LATENCY_BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_TOTALS_MAX_AGE: Final = timedelta(seconds=30)
"""Totals are cached this long, because counting emails reads the whole outbox."""

disable_created_metrics()  # type: ignore[no-untyped-call] # not annotated


class Meter:
    """The metrics of one web process."""

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
        self._registry.register(_DatabaseCollector(database, write_check, now))
        self._seconds = Histogram(
            "lodepost_request_seconds",
            "Seconds from request to response, by endpoint, method and status.",
            ["endpoint", "method", "status"],
            buckets=_LATENCY_BUCKETS,
            registry=self._registry,
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


class _DatabaseCollector(Collector):
    """Queries the database when Prometheus collects."""

    def __init__(
        self, database: Database, write_check: WriteCheck, now: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._write_check = write_check
        self._now = now
        self._lock = Lock()
        self._cached_totals: tuple[datetime, Totals] | None = None

    def describe(self) -> list[Metric]:
        """Return nothing, so that registering does not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        state = self._write_check.state()
        figures = None if state == "down" else self._query_database()
        yield from _database_metrics(is_up=figures is not None, is_writable=state == "up")
        if figures is None:
            return
        current_backlog, counts, audit = figures
        yield from _age_metrics(current_backlog)
        yield from _total_metrics(counts)
        yield from _audit_metrics(audit, self._now())

    def _query_database(self) -> tuple[Backlog, Totals, AuditStatus] | None:
        """Return the figures; None if the database does not answer."""
        try:
            with self._lock, read_only(self._database) as tx:
                return self._figures(tx)
        except Unavailable:
            return None

    def _figures(self, tx: Tx) -> tuple[Backlog, Totals, AuditStatus]:
        now = self._now()
        if self._cached_totals is None or now - self._cached_totals[0] >= _TOTALS_MAX_AGE:
            self._cached_totals = (now, totals(tx))
        return backlog(tx, now=now), self._cached_totals[1], audit_status(tx)


def _database_metrics(*, is_up: bool, is_writable: bool) -> Iterator[Metric]:
    yield GaugeMetricFamily("lodepost_database_up", "1 if the database answers, 0 if not.", is_up)
    yield GaugeMetricFamily(
        "lodepost_database_writable", "1 if the database takes changes, 0 if not.", is_writable
    )


def _age_metrics(current_backlog: Backlog) -> Iterator[Metric]:
    ages = {
        "oldest_unsent_email": (
            current_backlog.oldest_unsent_email,
            "Age of the oldest unsent email",
        ),
        "most_overdue_deadline": (
            current_backlog.most_overdue_deadline,
            "Time since the most overdue deadline",
        ),
        "most_overdue_bot": (
            current_backlog.most_overdue_bot,
            "Time for which the slowest bot has been to play",
        ),
    }
    for name, (age, description) in ages.items():
        seconds = 0.0 if age is None else age.total_seconds()
        yield GaugeMetricFamily(
            f"lodepost_{name}_seconds", f"{description}; 0 if there is none.", seconds
        )


def _total_metrics(counts: Totals) -> Iterator[Metric]:
    yield CounterMetricFamily("lodepost_turns", "Turns of all games.", counts.turns)
    emails = GaugeMetricFamily("lodepost_emails", "Emails by status.", labels=["status"])
    for status, number in counts.emails.items():
        emails.add_metric([status], number)
    games = GaugeMetricFamily("lodepost_games", "Games by status.", labels=["status"])
    for status, number in counts.games.items():
        games.add_metric([status], number)
    delayed = GaugeMetricFamily(
        "lodepost_delayed_emails", "Emails that wait after a failure, by cause.", labels=["cause"]
    )
    for cause, number in counts.delayed_emails.items():
        delayed.add_metric([cause], number)
    alarms = CounterMetricFamily(
        "lodepost_alarms", "How often each alarm was raised.", labels=["alarm"]
    )
    for alarm, number in counts.alarms.items():
        alarms.add_metric([alarm], number)
    yield from (emails, games, delayed, alarms)


def _audit_metrics(audit: AuditStatus, now: datetime) -> Iterator[Metric]:
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
