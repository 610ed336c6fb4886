"""Work that is killed before each of its statements, each time in a process of its own."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event

from tests.support.database_contents import contents_of
from tests.support.statements import observed_statements
from webapp.kernel.tx import Database

_MAX_STATEMENTS = 40


def attempt_until_done(url: str, work: Callable[[Database], object]) -> None:
    """Do the work in processes that kill themselves with SIGKILL: before its first statement, its second and so on, and last before its COMMIT and after it.

    Prints one line for each: whether the process was killed, and whether the database holds something else than before.
    """
    earlier_contents = _contents_of_database_at(url)
    for number in range(1, _MAX_STATEMENTS):
        was_killed = _attempt(url, work, number=number)
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


def _attempt(url: str, work: Callable[[Database], object], *, number: int) -> bool:
    """Return whether the process was killed."""
    child_pid = os.fork()
    if child_pid == 0:
        database = Database(url, pool_size=1)
        with _killed_before(database.engine, number):
            work(database)
        os._exit(0)
    _, status = os.waitpid(child_pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise SystemExit("the work failed")
    return os.WIFSIGNALED(status)


@contextmanager
def _killed_before(engine: Engine, number: int) -> Iterator[None]:
    """Let this process be killed before the statement with this number; COMMIT is one of them."""
    statement_count = 0

    def count(*_: object) -> None:
        nonlocal statement_count
        statement_count += 1
        if statement_count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "commit", count)
    # After the commit the connection goes back to the pool.
    event.listen(engine, "checkin", count)
    with observed_statements(engine, count):
        yield
