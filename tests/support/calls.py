"""Emails that call players to their turns, as if a relay had accepted them: without them no time runs out."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import delete, func, update

from tests.support.transactions import transaction, using
from webapp.clock.queries.undelivered_calls import CALL_KINDS
from webapp.clock.sweep import BATCH_SIZE, SweepResult, sweep
from webapp.kernel.tx import Database, Tx
from webapp.mail.schema import Notification


def mark_calls_sent(database: Database) -> None:
    """Record for every player who was called to a turn that the email was sent as it was queued."""
    with transaction(database) as tx:
        _mark_calls_sent(tx)


def sweep_with_calls_sent(
    tx: Tx, *, now: datetime, random_below: Callable[[int], int], limit: int = BATCH_SIZE
) -> SweepResult:
    """Sweep after every player has been called to their turn."""
    _mark_calls_sent(tx)
    return sweep(using(tx.at(now), random_below=random_below), limit=limit)


def _mark_calls_sent(tx: Tx) -> None:
    tx.execute(
        update(Notification)
        .where(Notification.kind.in_(CALL_KINDS), Notification.status == "pending")
        .values(
            status="sent",
            lease_until=None,
            settled_at=func.coalesce(Notification.settled_at, Notification.first_due_at),
        )
    )


def forget_emails_about_deals(database: Database) -> None:
    """Delete the emails about deals, of which some wait for the emails about the first turn."""
    with transaction(database) as tx:
        tx.execute(delete(Notification).where(Notification.kind == "dealt"))
