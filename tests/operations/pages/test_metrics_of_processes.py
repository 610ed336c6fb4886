"""Metrics show which processes run, what workers did, and what is installed."""

from datetime import timedelta

import pytest

from tests.operations.pages.test_health_and_metrics import metrics_of
from tests.support.transactions import transaction
from tests.support.visitors import Site
from webapp.kernel import urls
from webapp.kernel.resources import lodepost_version
from webapp.operations import maintenance, processes
from webapp.operations.site_figures import WorkReport

SECOND = timedelta(seconds=1)


@pytest.fixture
def metrics(site: Site) -> dict[str, float]:
    """The metrics while two workers, one with a wrong clock, and two beats are running."""
    now = site.clock.now
    with transaction(site.database) as tx:
        work = WorkReport(sweeps=9, slow_sweeps=2, tasks_done=40, tasks_failed=1)
        processes.record_heartbeat(tx.at(now), "host:1", work=work)
        processes.record_heartbeat(tx.at(now), "host:2", work=work, clock_ahead=-40 * SECOND)
        processes.record_heartbeat(tx.at(now - 200 * SECOND), "host:3")
        for beat in ("host:4", "host:5"):
            processes.record_beat(tx.at(now), beat, clock_ahead=0.5 * SECOND)
    return metrics_of(site.app.test_client())


def test_metrics_count_workers_and_beats(metrics: dict[str, float]) -> None:
    assert metrics["lodepost_workers_running"] == 2
    assert metrics["lodepost_workers_silent"] == 1
    assert metrics["lodepost_workers_with_wrong_clock"] == 1
    assert metrics["lodepost_beats_running"] == 2


def test_metrics_show_clocks_and_when_parts_were_seen(
    metrics: dict[str, float], site: Site
) -> None:
    assert metrics["lodepost_clock_difference_seconds worker"] == 40
    assert metrics["lodepost_clock_difference_seconds beat"] == 0.5
    assert metrics["lodepost_last_seen_timestamp_seconds beat"] == site.clock.now.timestamp()
    assert "lodepost_last_seen_timestamp_seconds schedule" not in metrics


def test_metrics_add_up_the_work_of_all_workers(metrics: dict[str, float]) -> None:
    assert metrics["lodepost_sweeps_total"] == 18
    assert metrics["lodepost_slow_sweeps_total"] == 4
    assert metrics["lodepost_tasks_total done"] == 80
    assert metrics["lodepost_tasks_total failed"] == 2


def test_metrics_name_the_release_and_measure_the_process(metrics: dict[str, float]) -> None:
    [build] = [name for name in metrics if name.startswith("lodepost_build_info ")]
    assert lodepost_version() in build.split()
    assert metrics[build] == 1
    assert metrics["process_cpu_seconds_total"] > 0
    assert metrics["process_resident_memory_bytes"] > 1_000_000
    assert metrics["process_open_fds"] > 0


def test_metrics_and_health_show_maintenance_and_beats(site: Site) -> None:
    client = site.app.test_client()
    assert metrics_of(client)["lodepost_clocks_stopped"] == 0
    with transaction(site.database, site.clock.now) as tx:
        maintenance.begin(tx)
        processes.record_beat(tx, "host:4", clock_ahead=0 * SECOND)
    assert metrics_of(client)["lodepost_clocks_stopped"] == 1
    assert client.get(urls.health()).get_json()["beats_running"] == 1
