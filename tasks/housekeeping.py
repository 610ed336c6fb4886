"""A look at how everything does, once a minute: what waits too long stands in the log. And what nobody needs is forgotten."""

import logging
from datetime import timedelta
from typing import Final

from tasks.context import WorkerContext
from webapp.services.accounts import sessions
from webapp.services.operations.health import backlog
from webapp.services.tx import read_only, transaction

TOO_LONG: Final = timedelta(minutes=5)
_log = logging.getLogger(__name__)


def report_delays(context: WorkerContext) -> None:
    """Warn of the oldest owed letter and of the most overdue turns; say nothing while all is well."""
    with read_only(context.database) as tx:
        found = backlog(tx, now=context.now())
    _warn("A letter has been owed for %s.", found.oldest_unsent_email)
    _warn("A deadline passed %s ago, and nobody was played for.", found.most_overdue_deadline)
    _warn("A bot has been on turn for %s.", found.most_overdue_bot)


def delete_expired(context: WorkerContext) -> None:
    """Delete sessions that have expired, and who asked to sign in days ago."""
    with transaction(context.database) as tx:
        sessions.delete_expired(tx, now=context.now())


def _warn(words: str, age: timedelta | None) -> None:
    if age is not None and age > TOO_LONG:
        _log.warning(words, age)
