"""The figures of the whole site as metrics of Prometheus: every web process reports the same, from the database.

All label values are fixed; no metric identifies a game, a player or an address.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from webapp.operations.audit import AuditStatus
from webapp.operations.health import Backlog, SiteMetrics
from webapp.operations.processes import ProcessStatus, SeenProcess
from webapp.operations.site_figures import SiteFigures, WorkReport


def site_families(metrics: SiteMetrics, now: datetime) -> Iterator[Metric]:
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
