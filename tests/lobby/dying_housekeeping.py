"""Handles the next unfilled table and is killed before each statement: ``python -m tests.lobby.dying_housekeeping URL TIME``.

Prints what ``killed_attempts`` prints.
"""

import sys
from datetime import datetime

from tests.support.killed_attempts import attempt_until_done
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.lobby.waiting_tables import handle_next_unfilled_table


def main(url: str, time: str) -> None:
    now = datetime.fromisoformat(time)

    def handle_table(database: Database) -> None:
        with transaction(database, now) as tx:
            handle_next_unfilled_table(tx)

    attempt_until_done(url, handle_table)


if __name__ == "__main__":
    main(*sys.argv[1:])
