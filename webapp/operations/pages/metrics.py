"""Metrics in the text format of Prometheus: what this process measures, and figures of the whole site.

No metric identifies a game, a player or an address.
"""

import platform
import time
from collections.abc import Callable, Iterator
from datetime import datetime
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
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from webapp.kernel.errors import Unavailable
from webapp.kernel.resources import lodepost_version
from webapp.kernel.tx import Database, read_only
from webapp.operations.health import SiteMetrics, newest_schema, site_metrics
from webapp.operations.pages.site_families import site_families
from webapp.operations.write_check import WriteCheck

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_START_TIME_KEY: Final = "lodepost.started"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_LATENCY_BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

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
        self._registry.register(_BuildCollector())
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        self._registry.register(_SiteCollector(database, write_check, now))
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
            yield from site_families(metrics, now)

    def _query_database(self, now: datetime) -> SiteMetrics | None:
        """Return the figures; None if the database does not answer."""
        try:
            with read_only(self._database, now) as tx:
                return site_metrics(tx)
        except Unavailable:
            return None


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
