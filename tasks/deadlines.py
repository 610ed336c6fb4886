"""The clock: reminders, and the neutral action for whoever is late."""

from tasks.context import Workshop
from webapp.services.play import deadlines
from webapp.services.tx import read_only, transaction


def sweep(shop: Workshop) -> None:
    """Sweep until nothing more is due; one short transaction at a time, and none where nothing is."""
    more = _is_due(shop)
    while more and not shop.is_stopping():
        with transaction(shop.database) as tx:
            more = deadlines.sweep(tx, now=shop.now(), pick=shop.pick).more
        shop.nudge(tx.nudges)


def _is_due(shop: Workshop) -> bool:
    with read_only(shop.database) as tx:
        return deadlines.is_due(tx, now=shop.now())
