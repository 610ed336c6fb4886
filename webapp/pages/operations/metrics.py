"""How long requests took, and the figures of the database, as Prometheus reads them.

Each web process tells of its own requests and of the one database; nothing is told of a game, a person or an address.
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
from webapp.services.operations.audit import Soundness, soundness
from webapp.services.operations.health import Pulse, Totals, pulse, totals
from webapp.services.tx import Database, read_only

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_STARTED: Final = "lodepost.started"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_COUNTED_EVERY: Final = timedelta(seconds=30)
"""Counting letters means reading all of them; nobody needs that figure to the second."""

disable_created_metrics()  # type: ignore[no-untyped-call] # no annotation there


class Meter:
    """The figures of one web process."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], datetime],
        *,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._clock = clock
        self._registry = CollectorRegistry()
        self._registry.register(_OfDatabase(database, now))
        self._seconds = Histogram(
            "lodepost_request_seconds",
            "Seconds from a request to its answer, by what answered.",
            ["endpoint", "method", "status"],
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def watch(self, app: Flask) -> None:
        """Take the time of every request of this application."""
        app.before_request(self._start)
        app.after_request(self._stop)

    def text(self) -> bytes:
        """All figures in the text format of Prometheus."""
        return generate_latest(self._registry)

    def _start(self) -> None:
        request.environ[_STARTED] = self._clock()

    def _stop(self, response: Response) -> Response:
        started = request.environ.get(_STARTED)
        if started is not None:
            # Whatever a stranger may invent is told apart no further: each label is a line for ever.
            method = request.method if request.method in _METHODS else "other"
            endpoint = request.endpoint or "none"
            taken = self._seconds.labels(endpoint, method, str(response.status_code))
            taken.observe(self._clock() - started)
        return response


class _OfDatabase(Collector):
    """Asks the database when Prometheus asks us."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self._lock = Lock()
        self._counted: tuple[datetime, Totals] | None = None

    def describe(self) -> list[Metric]:
        """Nothing beforehand: no database is asked before somebody looks."""
        return []

    def collect(self) -> Iterator[Metric]:
        try:
            found, counted, sound = self._ask()
        except Unavailable:
            yield GaugeMetricFamily("lodepost_database_up", "1 while the database answers.", 0)
            return
        yield GaugeMetricFamily("lodepost_database_up", "1 while the database answers.", 1)
        yield from _ages(found)
        yield from _counts(counted)
        yield from _of_audit(sound, self._now())

    def _ask(self) -> tuple[Pulse, Totals, Soundness]:
        now = self._now()
        with self._lock, read_only(self._database) as tx:
            if self._counted is None or now - self._counted[0] >= _COUNTED_EVERY:
                self._counted = (now, totals(tx))
            return pulse(tx, now=now), self._counted[1], soundness(tx)


def _ages(found: Pulse) -> Iterator[Metric]:
    ages = {
        "oldest_owed_letter": (found.oldest_owed_letter, "Since the oldest unsent letter was owed"),
        "most_overdue_deadline": (found.most_overdue_deadline, "Since the oldest open deadline"),
        "most_overdue_bot": (found.most_overdue_bot, "Since a bot has been on turn"),
    }
    for name, (age, words) in ages.items():
        seconds = 0.0 if age is None else age.total_seconds()
        yield GaugeMetricFamily(
            f"lodepost_{name}_seconds", f"{words}; 0 where nothing waits.", seconds
        )


def _counts(counted: Totals) -> Iterator[Metric]:
    yield CounterMetricFamily("lodepost_turns", "Turns in all logs.", counted.turns)
    letters = GaugeMetricFamily(
        "lodepost_letters", "Letters by what became of them.", labels=["fate"]
    )
    for fate, number in counted.letters.items():
        letters.add_metric([fate], number)
    games = GaugeMetricFamily("lodepost_games", "Games by how far they are.", labels=["status"])
    for status, number in counted.games.items():
        games.add_metric([status], number)
    yield from (letters, games)


def _of_audit(found: Soundness, now: datetime) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "lodepost_disagreeing_games",
        "Games whose log and position disagree; the clock leaves them alone.",
        found.disagreeing,
    )
    yield CounterMetricFamily(
        "lodepost_mended_snapshots", "Positions made anew from their logs.", found.mended
    )
    if found.walked_at is not None:
        age = (now - found.walked_at).total_seconds()
        yield GaugeMetricFamily(
            "lodepost_audit_age_seconds", "Since all games had been looked at.", max(0.0, age)
        )
