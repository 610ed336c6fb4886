"""The recipient has missed too many turns or was unreachable, and may take their seat back until someone else has it."""

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.play.lost_seats import was_unreachable
from webapp.play.summaries import TableSummary, table_summary


class SeatOpenedContext(EmailContext, frozen=True, kw_only=True):
    """A seat that is open, and why."""

    table: TableSummary
    seat: int
    strikes: int
    was_unreachable: bool = False
    is_for_volunteers: bool


class SeatOpened(Email[None, SeatOpenedContext]):
    kind = "seat-opened"
    label = N_("Their seat is open")

    def context(self, source: EmailSource[None]) -> SeatOpenedContext:
        game = source.game
        if game is None or not game.status.is_under_way:
            raise Superseded(DropReason.MOVED_ON)
        seat = game.row.seats[source.notification.dedup_key]
        if not seat.is_free:
            raise Superseded(DropReason.MOVED_ON)
        return SeatOpenedContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seat=seat.number,
            strikes=seat.strikes,
            was_unreachable=was_unreachable(game.row, seat.number),
            is_for_volunteers=game.row.late_rules.replacement == "volunteers",
        )


EMAIL = SeatOpened()
