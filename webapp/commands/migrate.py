"""`lodepost migrate`: upgrade the database to the schema of this release."""

import argparse
import os
import sys
from datetime import timedelta
from typing import Final

from webapp.commands.required_settings import settings_requiring
from webapp.operations.queries.migrate import newest_revision, upgrade_schema, wait_for_database

_DEFAULT_WAIT_SECONDS: Final = 60


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=int,
        default=_DEFAULT_WAIT_SECONDS,
        help="how long to wait for a database that does not answer, because it is starting too (%(default)s)",
    )
    parser.epilog = "Exit status: 0 the schema is current, 2 it could not be upgraded."


def run(arguments: argparse.Namespace) -> int:
    """Wait for the database and upgrade it. Raises Misconfigured."""
    url = settings_requiring(os.environ, "DATABASE_URL").database_url
    wait_for_database(url, timeout=timedelta(seconds=arguments.wait), report=_print_to_stderr)
    upgrade_schema(url)
    print(f"The database has schema {newest_revision()}.")
    return 0


def _print_to_stderr(message: str) -> None:
    print(f"lodepost migrate: {message}", file=sys.stderr, flush=True)
