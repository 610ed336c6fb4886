"""Performs an act and is killed before each of its statements: ``python -m tests.moderation.dying_moderator URL SLUG ACT SEAT``.

Prints what ``killed_attempts`` prints.
"""

import sys

from tests.support.acts import perform_act
from tests.support.killed_attempts import attempt_until_done
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database

FORM_ID = "the form of a dying moderator"


def main(url: str, slug: str, act: str, seat: str) -> None:
    def perform(database: Database) -> int:
        return perform_act(database, slug, GameRight(act), form_id=FORM_ID, seat=int(seat))

    attempt_until_done(url, perform)


if __name__ == "__main__":
    main(*sys.argv[1:])
