"""A process that is killed in the middle of an act leaves all of it or nothing, and the same form then acts once."""

import subprocess
import sys

import pytest

from tests.moderation.dying_moderator import FORM_ID
from tests.support.acts import ledger_acts, perform_act
from tests.support.database_contents import contents_of
from tests.support.factories import Guest, play_turn
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.operations.consistency import inspect_database


@pytest.mark.parametrize(
    "act", [GameRight.PAUSE, GameRight.OPEN_SEAT, GameRight.SEAT_BOT, GameRight.PLAY_NEUTRAL]
)
def test_killed_act_has_happened_completely_or_not_at_all(
    database: Database, database_url: str, guests: list[Guest], slug: str, act: GameRight
) -> None:
    play_turn(database, slug, guests[0])
    command = [
        sys.executable,
        "-m",
        "tests.moderation.dying_moderator",
        database_url,
        slug,
        act,
        "1",
    ]
    finished_process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished_process.returncode == 0, finished_process.stderr
    *lines_of_killed_attempts, before_commit, after_commit, done_line = (
        finished_process.stdout.splitlines()
    )
    assert len(lines_of_killed_attempts) > 5
    assert set(lines_of_killed_attempts) == {"killed False"}
    assert (before_commit, after_commit, done_line) == ("killed False", "killed True", "done True")
    later_contents = contents_of(database)
    perform_act(database, slug, act, form_id=FORM_ID, seat=1)
    assert contents_of(database) == later_contents
    assert ledger_acts(database) == [act]
    assert inspect_database(database_url).inconsistencies == ()
