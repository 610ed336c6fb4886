"""The audit: all games in the course of a day, a few at a time."""

from datetime import timedelta
from typing import Final

from tasks.context import Workshop
from webapp.services.operations import audit
from webapp.services.tx import transaction

AT_A_TIME: Final = timedelta(seconds=20)


def walk(shop: Workshop, *, limit: int = 50) -> None:
    """Go on with the walk for a while; one short transaction for every ``limit`` games."""
    until = shop.now() + AT_A_TIME
    more = True
    while more and shop.now() < until and not shop.is_stopping():
        with transaction(shop.database) as tx:
            more = audit.walk(tx, now=shop.now(), limit=limit).more
