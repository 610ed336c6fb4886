"""A worker that is killed while it warns or closes an unfilled table leaves all of it or nothing."""

import subprocess
import sys
from datetime import datetime

import pytest

from tests.lobby.test_unfilled_tables import (
    CLOSED_AT,
    WARNED_AT,
    handle_tables,
    status_of,
    table_of_two,
)
from tests.support.acts import ledger_acts
from tests.support.database_contents import contents_of
from tests.support.lobby_actions import queued_emails
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Database


def outcomes_of_killed_attempts(database_url: str, now: datetime) -> list[str]:
    """Return what each attempt to handle the next table has printed, the last of which was not killed."""
    command = [
        *(sys.executable, "-m", "tests.lobby.dying_housekeeping"),
        *(database_url, now.isoformat()),
    ]
    finished_process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished_process.returncode == 0, finished_process.stderr
    return finished_process.stdout.splitlines()


@pytest.mark.parametrize("now", [WARNED_AT, CLOSED_AT], ids=["warned", "closed"])
def test_killed_worker_has_handled_a_table_completely_or_not_at_all(
    database: Database, database_url: str, now: datetime
) -> None:
    slug, alice, bob = table_of_two(database)
    if now == CLOSED_AT:
        handle_tables(database, WARNED_AT)
    *outcomes_before_commit, after_commit, done = outcomes_of_killed_attempts(database_url, now)
    assert len(outcomes_before_commit) > 3
    assert set(outcomes_before_commit) == {"killed False"}
    assert (after_commit, done) == ("killed True", "done True")

    later_contents = contents_of(database)
    assert handle_tables(database, now) == 0
    assert contents_of(database) == later_contents
    is_closed = now == CLOSED_AT
    expected_status = GameStatus.CANCELLED if is_closed else GameStatus.OPEN
    assert status_of(database, slug, alice) == expected_status
    assert ledger_acts(database) == ["cancel-game"] * is_closed
    kind = "moderator-act" if is_closed else "table-waiting"
    recipients = [account_id for account_id, _ in queued_emails(database, kind)]
    assert recipients == [alice.person.id, bob.person.id]
