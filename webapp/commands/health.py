"""`lodepost health`: whether the worker or the beat in this container is doing its work, for its health check."""

import argparse
import os
import sys

from webapp.commands.required_settings import settings_requiring
from webapp.kernel.refusals import Unavailable
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, read_only
from webapp.operations.processes import is_on_this_host, process_status


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("part", choices=("worker", "beat"), help="the process to look for")
    parser.epilog = (
        "Reads the heartbeats of the processes on this host or in this container. "
        "Exit status: 0 it was seen lately, 1 it was not, 2 the settings cannot be read."
    )


def run(arguments: argparse.Namespace) -> int:
    """Return 0 if a process of this kind was seen lately on this host, and its clock is right; otherwise 1, with a message."""
    settings = settings_requiring(os.environ, "DATABASE_URL")
    try:
        with Database(settings.database_url, pool_size=1) as database:
            problem = _problem_of(arguments.part, database)
    except Unavailable:
        problem = "The database does not answer."
    if problem is not None:
        print(f"lodepost health: {problem}", file=sys.stderr)
    return int(problem is not None)


def _problem_of(part: str, database: Database) -> str | None:
    with read_only(database, utc_now()) as tx:
        status = process_status(tx)
    running, wrong_clocks = (
        (status.running_workers, status.wrong_clocks)
        if part == "worker"
        else (status.running_beats, status.beats_with_wrong_clock)
    )
    if not any(is_on_this_host(process.instance) for process in running):
        return f"No {part} was seen here lately."
    if any(is_on_this_host(process.instance) for process in wrong_clocks):
        return f"The clock of the {part} differs from the database's, so it does nothing."
    return None
