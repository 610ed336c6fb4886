"""A table has waited for players for a long time, and closes soon."""

from datetime import datetime

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.lobby.waiting_tables import CLOSED_AFTER, WARNED_AFTER, closing_time
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary


class TableWaitingContext(EmailContext, frozen=True, kw_only=True):
    """A table that waits for players, to someone who has a seat there or hosts it."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    closes_at: datetime


class TableWaiting(Email[None, TableWaitingContext]):
    kind = "table-waiting"
    label = N_("Table still waiting for players")

    def context(self, source: EmailSource[None]) -> TableWaitingContext:
        """Return that a table closes soon. Raises Superseded if its seats have changed since."""
        row = source.require_game().row
        seat, closes_at = row.seat_of(source.notification.account_id), closing_time(row)
        if closes_at is None or closes_at > source.now + CLOSED_AFTER - WARNED_AFTER:
            raise Superseded(DropReason.MOVED_ON)
        return TableWaitingContext(
            envelope=self.envelope(source),
            table=table_summary(row),
            seats=seat_summaries(row, me=None if seat is None else seat.number),
            closes_at=closes_at,
        )


EMAIL = TableWaiting()
