"""What emails about tables before the deal say of seats that are free again, as data."""

from datetime import datetime

from webapp.services.notifications.email_envelope import SentContext
from webapp.services.play.summaries import SeatSummary, TableSummary


class SeatFreedContext(SentContext, frozen=True, kw_only=True):
    """``ready-check-missed`` and ``player-removed``: the recipient has no seat at a table before the deal any more."""

    table: TableSummary
    may_see_table: bool
    can_return: bool
    """Whether the table is still before the deal, so that a seat can be taken again."""


class TableWaitingContext(SentContext, frozen=True, kw_only=True):
    """``table-waiting``: the table has waited for players for a long time, and closes soon.

    ``ready-check-over``: it waits for players again, because not everyone has confirmed.
    """

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    closes_at: datetime
