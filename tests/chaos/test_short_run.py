from pathlib import Path

import pytest

from tests.chaos.report import format_report
from tests.chaos.run import RunPlan, run
from webapp.embedded.programs import PostgresPrograms

_FAULT_NAMES = (
    "web killed",
    "worker killed",
    "mail-in killed",
    "Redis killed, back empty",
    "Postgres killed",
    "relay drops after DATA",
    "disk full",
    "relay is dead",
    "relay answers 554",
    "database read-only",
    "worker's clock is fast by days",
    "no worker for hours",
)


@pytest.mark.full_run
def test_short_run_loses_nothing_and_times_out_no_one(
    programs: PostgresPrograms, tmp_path: Path
) -> None:
    plan = RunPlan(
        0,
        "a short run",
        fault_seconds=1,
        tables=2,
        fault_names=_FAULT_NAMES,
        min_faults=len(_FAULT_NAMES),
        # How long emails take is measured by `dev.py chaos`.
        max_email_delay_seconds=600,
    )
    outcome = run(plan, tmp_path, programs, report=lambda _: None)
    assert outcome.found_violations == [], format_report(outcome)
    # Without root there is no disk that can be filled.
    possible_names = set(_FAULT_NAMES) & set(outcome.injector.names())
    assert set(outcome.injector.injected_counts) == possible_names
    assert format_report(outcome).startswith("What was done")
