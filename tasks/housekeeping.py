"""Jobs for the operator: audit all games, log what has been waiting too long, delete what has expired."""

import logging
from datetime import timedelta
from typing import Final

from tasks.context import WorkerContext
from webapp.services.accounts import sessions
from webapp.services.operations import audit
from webapp.services.operations.health import backlog
from webapp.services.tx import read_only, transaction

AUDIT_FOR: Final = timedelta(seconds=20)
"""How long one start of the audit continues; the next start follows in minutes."""
MAX_DELAY: Final = timedelta(minutes=5)
_log = logging.getLogger(__name__)


def run_audit(worker: WorkerContext, *, limit: int = 50) -> None:
    """Audit the next games for a while; each ``limit`` games are a short transaction."""
    until = worker.now() + AUDIT_FOR
    more = True
    while more and worker.now() < until and not worker.is_stopping():
        with transaction(worker.database) as tx:
            more = audit.run_batch(tx, now=worker.now(), limit=limit).has_more


def report_delays(worker: WorkerContext) -> None:
    """Log a warning about the oldest pending email and the most overdue turns, if they have waited too long."""
    with read_only(worker.database) as tx:
        found = backlog(tx, now=worker.now())
    _warn("An email has been pending for %s.", found.oldest_unsent_email)
    _warn("A deadline passed %s ago, and no turn was played.", found.most_overdue_deadline)
    _warn("A bot has been on turn for %s.", found.most_overdue_bot)


def delete_expired(worker: WorkerContext) -> None:
    """Delete expired sessions and old sign-ins."""
    with transaction(worker.database) as tx:
        sessions.delete_expired(tx, now=worker.now())


def _warn(message: str, delay: timedelta | None) -> None:
    if delay is not None and delay > MAX_DELAY:
        _log.warning(message, delay)
