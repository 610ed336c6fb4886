"""The clock: reminders, and the neutral action for whoever is late."""

from tasks.workshop import Workshop
from webapp.services import deadlines
from webapp.services.tx import transaction


def sweep(shop: Workshop) -> None:
    """Sweep until nothing more is due; one short transaction at a time."""
    more = True
    while more and not shop.is_stopping():
        with transaction(shop.database) as tx:
            more = deadlines.sweep(tx, now=shop.now(), pick=shop.pick).more
        shop.nudge(tx.nudges)
