from pathlib import Path

import pytest

from tests.chaos.report import table_of
from tests.chaos.run import Plan, run
from webapp.embedded.binaries import PostgresPrograms

_TROUBLES = (
    "web killed",
    "worker killed",
    "Redis killed, back empty",
    "Postgres killed",
    "relay drops after DATA",
)


@pytest.mark.timeout(900)
def test_people_play_on_while_everything_is_killed_and_nothing_is_lost(
    programs: PostgresPrograms, tmp_path: Path
) -> None:
    plan = Plan(0, "a short run", spell=1, tables=2, only=_TROUBLES, least=len(_TROUBLES))
    outcome = run(plan, tmp_path, programs, say=lambda _: None)
    assert outcome.lost == [], table_of(outcome)
    assert set(outcome.troubles.struck) == set(_TROUBLES)
    assert table_of(outcome).startswith("What was done")
