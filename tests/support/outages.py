"""Outages as they are recorded when workers run again."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import update

from tasks.context import WorkerContext
from tests.support.factories import Guest, deal_game, table_settings
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification
from webapp.operations import maintenance

HOUR = timedelta(hours=1)


def write_heartbeat(worker: WorkerContext) -> None:
    """Let a worker say that it runs and until when it has watched deadlines, as its beat does."""
    worker.heartbeats.write_if_due(
        worker.database, now=worker.now(), clock_difference=worker.clock_difference
    )


def cause_moved_deadline_emails(database: Database, seated_guests: Sequence[Guest]) -> None:
    """Let a game wait for each of these people, send the emails about their turns, and then record an outage."""
    for seat in range(len(seated_guests)):
        settings = table_settings(seats=len(seated_guests), starter=seat)
        deal_game(database, seated_guests, settings, now=NOON - 4 * HOUR)
    with transaction(database) as tx:
        values = {"status": "sent", "settled_at": NOON - 4 * HOUR}
        is_about_these_games = Notification.first_due_at == NOON - 4 * HOUR
        tx.execute(update(Notification).where(is_about_these_games).values(values))
    with transaction(database, NOON - 2 * HOUR) as tx:
        assert maintenance.record_outage(
            tx, cause="server", began_at=NOON - 3 * HOUR, ended_at=NOON - 2 * HOUR
        )
        while maintenance.shift_next_games(tx):
            pass
