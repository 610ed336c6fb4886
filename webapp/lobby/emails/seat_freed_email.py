"""What the emails about a seat that was lost before the deal have in common."""

from collections.abc import Mapping, Sequence

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.tx import Tx
from webapp.lobby.queries.email_facts import read_club_members
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.play.summaries import TableSummary, table_summary


class SeatFreedContext(EmailContext, frozen=True, kw_only=True):
    """The recipient has no seat at a table before the deal any more."""

    table: TableSummary
    may_see_table: bool
    can_return: bool
    """Whether the table is still before the deal, so that a seat can be taken again."""


class SeatFreedEmail(Email[bool, SeatFreedContext]):
    """An email to someone who has lost their seat before the deal."""

    def read_facts(self, tx: Tx, sources: Sequence[EmailSource[bool]]) -> Mapping[int, bool]:
        """Return whether the recipients are members of the table's club."""
        return read_club_members(tx, [source.notification.id for source in sources])

    def context(self, source: EmailSource[bool]) -> SeatFreedContext:
        """Return that the recipient has lost their seat. Raises Superseded if they have one again."""
        game, account_id = source.require_game(), source.notification.account_id
        row = game.row
        if row.seat_of(account_id) is not None:
            raise Superseded(DropReason.SEATED)
        return SeatFreedContext(
            envelope=self.envelope(source),
            table=table_summary(row),
            may_see_table=row.public or row.is_hosted_by(account_id) or bool(source.facts),
            can_return=game.status.is_before_deal,
        )
