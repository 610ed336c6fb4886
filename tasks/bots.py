"""Bots take their turns."""

from datetime import timedelta
from typing import Final

from tasks.context import WorkerContext
from webapp.services.play import bots
from webapp.services.tx import transaction

PAUSE: Final = timedelta(0)
"""How long a bot waits. The same for every role, hand and choice, for timing must not tell secrets."""


def play(context: WorkerContext) -> None:
    """Play until no bot is on turn; each turn is a transaction of its own."""
    played = True
    while played and not context.is_stopping():
        with transaction(context.database) as tx:
            played = bots.play_next_bot(tx, now=context.now(), pause=PAUSE, pick=context.pick)
        context.nudge(tx.nudges)
