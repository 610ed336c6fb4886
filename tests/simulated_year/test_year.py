"""A simulated year gives the same report for the same seed, and adds up time by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulated_year.checked_year import HOUR, MONDAY
from tests.simulated_year.database import scratch_database
from tests.simulated_year.evidence import Evidence
from tests.simulated_year.outages import NoticedOutages
from tests.simulated_year.report import report_of
from tests.simulated_year.turn_times import running_time
from tests.simulated_year.year import SimulatedYear
from tests.support.postgres import Postgres
from webapp.clock.pace.calendar import Interval
from webapp.clock.pace.pace import named_pace

ROOT = Path(__file__).parents[2]


def evidence_of_seed(postgres: Postgres, seed: str) -> Evidence:
    with postgres.migrated_database() as url, scratch_database(url) as database:
        return SimulatedYear(database, games=1, seed=seed).run(lambda *_: None)


@pytest.fixture(scope="module")
def evidence(postgres: Postgres) -> Evidence:
    return evidence_of_seed(postgres, "b")


def test_report_of_a_year_has_everything_that_happens_in_one(evidence: Evidence) -> None:
    report = report_of(evidence)
    assert report["games_finished"] == 1
    assert report["findings"] == []
    assert json.dumps(report)
    happened, events = report["happened"], report["events"]
    assert isinstance(happened, dict)
    assert {"held_turns", "outages", "pause_proposals", "vote_answers"} <= happened.keys()
    assert isinstance(events, dict)
    assert {"shifted (email)", "shifted (maintenance)", "shifted (server)"} <= events.keys()


@pytest.mark.full_run
def test_same_seed_gives_the_same_report(postgres: Postgres, evidence: Evidence) -> None:
    assert report_of(evidence_of_seed(postgres, "b")) == report_of(evidence)


def test_no_one_plays_at_the_moment_in_which_the_server_comes_back(evidence: Evidence) -> None:
    outage_ends = {outage.end for outage in evidence.outages.server}
    played_at = {event.at for event in evidence.records.events if event.kind == "played"}
    assert len(outage_ends) == 2
    assert not played_at & outage_ends


def run_command(*arguments: str, database_url: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "DATABASE_URL": database_url}
    command = [sys.executable, "-P", "-m", "tests.simulated_year", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.full_run
def test_command_prints_a_report(empty_database_url: str) -> None:
    process = run_command("--games", "1", "--json", database_url=empty_database_url)
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["games_finished"] == 1
    assert report["findings"] == []


def test_command_refuses_a_database_with_games(slug: str, database_url: str) -> None:
    process = run_command("--games", "1", database_url=database_url)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith("dev.py year: This database holds games.")


@pytest.mark.parametrize(
    "hours,stopped_hours,running_hours",
    [(24, None, 14), (12, None, 4), (24, (6, 10), 12), (24, (20, 30), 12)],
)
def test_running_time_counts_playing_hours_without_stops(
    hours: int, stopped_hours: tuple[int, int] | None, running_hours: int
) -> None:
    stops = [Interval(*(MONDAY + hour * HOUR for hour in stopped_hours))] if stopped_hours else []
    end = MONDAY + hours * HOUR
    assert running_time(named_pace("brisk", "UTC"), MONDAY, end, stops) == running_hours * HOUR


def test_outage_of_the_relay_lasts_from_the_first_failure_until_an_email_is_accepted() -> None:
    noticed = NoticedOutages()
    for hours in (1, 2, 3):
        noticed.add_failure(MONDAY + hours * HOUR)
    noticed.add_success(MONDAY + 3.5 * HOUR)
    noticed.add_success(MONDAY + 9 * HOUR)
    noticed.add_failure(MONDAY + 10 * HOUR)
    noticed.add_success(MONDAY + 20 * HOUR)
    assert noticed.intervals() == (
        Interval(MONDAY + HOUR, MONDAY + 3.5 * HOUR),
        Interval(MONDAY + 10 * HOUR, MONDAY + 10 * HOUR),
    )
