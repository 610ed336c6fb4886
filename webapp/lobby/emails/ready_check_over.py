"""Not everyone has confirmed, so a table waits for players again."""

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.lobby.emails.table_waiting import TableWaitingContext
from webapp.lobby.waiting_tables import closing_time
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.play.summaries import seat_summaries, table_summary


class ReadyCheckOver(Email[None, TableWaitingContext]):
    kind = "ready-check-over"
    label = N_("Ready check over")

    def context(self, source: EmailSource[None]) -> TableWaitingContext:
        """Return that a table waits for players again. Raises Superseded if it does not, or the recipient has left it."""
        game, recipient_id = source.game, source.notification.account_id
        closes_at = None if game is None else closing_time(game.row)
        if game is None or closes_at is None:
            raise Superseded(DropReason.MOVED_ON)
        seat = game.row.seat_of(recipient_id)
        if seat is None and not game.row.is_hosted_by(recipient_id):
            raise Superseded(DropReason.NOT_SEATED)
        return TableWaitingContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=None if seat is None else seat.number),
            closes_at=closes_at,
        )


EMAIL = ReadyCheckOver()
