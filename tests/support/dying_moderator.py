"""Performs an act and is killed before each of its statements: ``python -m tests.support.dying_moderator URL SLUG ACT SEAT``.

Each attempt is a process of its own, which kills itself with SIGKILL before its first statement, its second and so on,
and last before its COMMIT and after it. Prints one line for each: whether the process was killed, and whether the database
holds something else than before.
"""

import os
import signal
import sys

from sqlalchemy import Engine, event

from tests.support.acts import perform_act
from tests.support.database_contents import contents_of
from webapp.rights import GameRight
from webapp.services.tx import Database

FORM_ID = "the form of a dying moderator"
_MAX_STATEMENTS = 40


def main(url: str, slug: str, act: str, seat: str) -> None:
    earlier_contents = _contents_of_database_at(url)
    for number in range(1, _MAX_STATEMENTS):
        was_killed = _attempt_act(url, slug, GameRight(act), int(seat), number=number)
        outcome = "killed" if was_killed else "done"
        sys.stdout.write(f"{outcome} {_contents_of_database_at(url) != earlier_contents}\n")
        sys.stdout.flush()
        if not was_killed:
            return


def _contents_of_database_at(url: str) -> dict[str, str | None]:
    database = Database(url, pool_size=1)
    contents = contents_of(database)
    database.dispose()
    return contents


def _attempt_act(url: str, slug: str, act: GameRight, seat: int, *, number: int) -> bool:
    """Return whether the process was killed."""
    child_pid = os.fork()
    if child_pid == 0:
        database = Database(url, pool_size=1)
        _kill_before(database.engine, number)
        perform_act(database, slug, act, form_id=FORM_ID, seat=seat)
        os._exit(0)
    _, status = os.waitpid(child_pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise SystemExit("the act failed")
    return os.WIFSIGNALED(status)


def _kill_before(engine: Engine, number: int) -> None:
    """Let this process be killed before the statement with this number; COMMIT is one of them."""
    statement_count = 0

    def count(*_: object) -> None:
        nonlocal statement_count
        statement_count += 1
        if statement_count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "before_cursor_execute", count)
    event.listen(engine, "commit", count)
    # After the commit the connection goes back to the pool.
    event.listen(engine, "checkin", count)


if __name__ == "__main__":
    main(*sys.argv[1:])
