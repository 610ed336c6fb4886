"""A table is cancelled before the deal; to the others there, and to invited addresses."""

from collections.abc import Mapping, Sequence

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.lobby.queries.email_facts import CancelledTableFacts, read_cancelled_tables
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.queries.email_facts import Addressee
from webapp.play.summaries import TableSummary, table_summary


class TableCancelledContext(EmailContext, frozen=True, kw_only=True):
    """The table, and what the recipient had there."""

    table: TableSummary
    is_seated: bool
    is_unfilled: bool = False
    """Whether it closed by itself because its seats weren't all taken; else the host has cancelled it."""


class TableCancelled(Email[CancelledTableFacts, TableCancelledContext]):
    kind = "table-cancelled"
    label = N_("Table cancelled")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[CancelledTableFacts]]
    ) -> Mapping[int, CancelledTableFacts]:
        return read_cancelled_tables(tx, [each.notification.id for each in sources])

    def addressee(self, facts: CancelledTableFacts) -> Addressee | None:
        return facts.addressee

    def context(self, source: EmailSource[CancelledTableFacts]) -> TableCancelledContext:
        """Return that a table is cancelled. Raises Superseded for an invitation of someone who got the email for their seat."""
        notification, game = source.notification, source.require_game()
        is_seated = notification.account_id is not None
        if not is_seated and game.row.seat_of(notification.recipient_id) is not None:
            raise Superseded(DropReason.SEATED)
        return TableCancelledContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            is_seated=is_seated,
            is_unfilled=source.facts is not None and source.facts.closing_act is not None,
        )


EMAIL = TableCancelled()
