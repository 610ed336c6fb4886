"""Maintenance: while it lasts no deadline runs out, and afterwards every deadline moves by its length.

The end is handled like the end of a pause of every running game: in batches, each a transaction that also stores how
far it came, so that a process which dies in between repeats nothing.
"""

from datetime import datetime
from typing import Final

from webapp.services.errors import FieldError, FieldErrors
from webapp.services.tx import Tx
from webapp.store.site import maintenance

BATCH_SIZE: Final = 200


def begin(tx: Tx, *, now: datetime) -> None:
    """Stop all clocks. Raises FieldErrors for ``maintenance`` while clocks are shifted after the maintenance before."""
    row = maintenance.unfinished(tx.connection, lock=True)
    if row is not None and row.ended_at is not None:
        raise FieldErrors(FieldError("maintenance", "clocks-shifting"))
    if row is None:
        maintenance.begin(tx.connection, now=now)


def end(tx: Tx, *, now: datetime) -> None:
    """Start the clocks again as soon as they have been shifted, which workers do next."""
    row = maintenance.unfinished(tx.connection, lock=True)
    if row is not None and row.ended_at is None:
        maintenance.set_end(tx.connection, row.id, max(now, row.began_at))


def are_clocks_stopped(tx: Tx) -> bool:
    """Return whether no deadline may run out now: during maintenance, and until all clocks have been shifted."""
    return maintenance.unfinished(tx.connection) is not None


def shift_next_games(tx: Tx, *, now: datetime, limit: int = BATCH_SIZE) -> bool:
    """Shift the clocks of the next running games after the maintenance; return whether there are more games to shift."""
    row = maintenance.unfinished(tx.connection, lock=True)
    if row is None or row.ended_at is None:
        return False
    if maintenance.shift_clocks(tx.connection, row, limit=limit):
        return True
    maintenance.finish(tx.connection, row.id, now=now)
    return False
