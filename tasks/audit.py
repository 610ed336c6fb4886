"""The audit: all games in the course of a day, a few at a time."""

from datetime import timedelta
from typing import Final

from tasks.context import WorkerContext
from webapp.services.operations import audit
from webapp.services.tx import transaction

AT_A_TIME: Final = timedelta(seconds=20)


def run(context: WorkerContext, *, limit: int = 50) -> None:
    """Go on with the walk for a while; one short transaction for every ``limit`` games."""
    until = context.now() + AT_A_TIME
    more = True
    while more and context.now() < until and not context.is_stopping():
        with transaction(context.database) as tx:
            more = audit.run_batch(tx, now=context.now(), limit=limit).has_more
