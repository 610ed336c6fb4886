"""Reads received emails, one transaction each. One that can't be read for a fault of this software is settled unread, and the others are read."""

import logging

from tasks.context import WorkerContext
from webapp.mail.inbound.processing import give_up_next_reply, read_next_reply
from webapp.services.errors import Unavailable
from webapp.services.tx import transaction

_log = logging.getLogger(__name__)


def read_replies(worker: WorkerContext) -> None:
    """Settle every email that waits."""
    while not worker.is_stopping() and _read_one(worker):
        pass


def _read_one(worker: WorkerContext) -> bool:
    """Settle one email; return whether there was one. What it causes is sent as nudges after the commit."""
    try:
        with transaction(worker.database) as tx:
            was_read = read_next_reply(tx, authserv_id=worker.authserv_id, now=worker.now())
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the others must be read
        _log.exception("A received email cannot be read.")
        with transaction(worker.database) as tx:
            give_up_next_reply(tx, now=worker.now())
        was_read = True
    worker.nudge(tx.nudges)
    return was_read
