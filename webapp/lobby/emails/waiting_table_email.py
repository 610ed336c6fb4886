"""What the emails about a table that waits for players have in common."""

from datetime import datetime

from webapp.mail.envelope import EmailContext
from webapp.services.play.summaries import SeatSummary, TableSummary


class TableWaitingContext(EmailContext, frozen=True, kw_only=True):
    """A table that waits for players, to someone who has a seat there or hosts it."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    closes_at: datetime
