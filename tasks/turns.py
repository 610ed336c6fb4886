"""Turns that no person submits: of players whose time ran out, and of bots."""

from datetime import timedelta
from typing import Final

from tasks.context import WorkerContext
from webapp.services.play import bots, deadlines
from webapp.services.tx import read_only, transaction

BOT_PAUSE: Final = timedelta(0)
"""How long a bot waits. It is the same for every role, hand and decision, because timing must not reveal secrets."""


def sweep_deadlines(worker: WorkerContext) -> None:
    """Remind players and play for those who are late until nothing is due; each batch is a short transaction."""
    more = _any_turn_is_due(worker)
    while more and not worker.is_stopping():
        with transaction(worker.database) as tx:
            more = deadlines.sweep(tx, now=worker.now(), pick=worker.pick).more
        worker.nudge(tx.nudges)


def play_bots(worker: WorkerContext) -> None:
    """Play until no bot is on turn; each turn is a transaction of its own."""
    played = True
    while played and not worker.is_stopping():
        with transaction(worker.database) as tx:
            played = bots.play_next_bot(tx, now=worker.now(), pause=BOT_PAUSE, pick=worker.pick)
        worker.nudge(tx.nudges)


def _any_turn_is_due(worker: WorkerContext) -> bool:
    with read_only(worker.database) as tx:
        return deadlines.is_due(tx, now=worker.now())
