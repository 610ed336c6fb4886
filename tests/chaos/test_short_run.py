from pathlib import Path

import pytest

from tests.chaos.report import format_report
from tests.chaos.run import Plan, run
from webapp.embedded.binaries import PostgresPrograms

_FAULT_NAMES = (
    "web killed",
    "worker killed",
    "Redis killed, back empty",
    "Postgres killed",
    "relay drops after DATA",
)


@pytest.mark.timeout(900)
def test_short_run_with_kills_loses_nothing(programs: PostgresPrograms, tmp_path: Path) -> None:
    plan = Plan(
        0,
        "a short run",
        fault_seconds=1,
        tables=2,
        fault_names=_FAULT_NAMES,
        min_faults=len(_FAULT_NAMES),
    )
    outcome = run(plan, tmp_path, programs, report=lambda _: None)
    assert outcome.found_losses == [], format_report(outcome)
    assert set(outcome.injector.injected_counts) == set(_FAULT_NAMES)
    assert format_report(outcome).startswith("What was done")
