"""The clock: reminders, and the neutral action for whoever is late."""

from tasks.context import WorkerContext
from webapp.services.play import deadlines
from webapp.services.tx import read_only, transaction


def sweep(context: WorkerContext) -> None:
    """Sweep until nothing more is due; one short transaction at a time, and none where nothing is."""
    more = _is_due(context)
    while more and not context.is_stopping():
        with transaction(context.database) as tx:
            more = deadlines.sweep(tx, now=context.now(), pick=context.pick).more
        context.nudge(tx.nudges)


def _is_due(context: WorkerContext) -> bool:
    with read_only(context.database) as tx:
        return deadlines.is_due(tx, now=context.now())
