"""All seats are taken: the recipient is asked to confirm that they are ready."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.lobby.queries.email_facts import read_newer_ready_checks
from webapp.lobby.waiting_tables import answer_time
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.play.summaries import (
    Commitment,
    SeatSummary,
    TableSummary,
    commitments_of,
    seat_summaries,
    table_summary,
)


class ReadyCheckContext(EmailContext, frozen=True, kw_only=True):
    """A full table."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    commitments: tuple[Commitment, ...]
    answer_by: datetime
    """When the ready-check ends, and those who have not confirmed lose their seats."""


class ReadyCheck(Email[bool, ReadyCheckContext]):
    kind = "ready-check"
    label = N_("Ready check")

    def read_facts(self, tx: Tx, sources: Sequence[EmailSource[bool]]) -> Mapping[int, bool]:
        """Return whether everyone is asked again in a newer email."""
        return read_newer_ready_checks(tx, [each.notification.id for each in sources])

    def context(self, source: EmailSource[bool]) -> ReadyCheckContext:
        """Return what the recipient is asked to confirm. Raises Superseded once they have, or it is asked again."""
        game, seat = source.require_seated()
        if game.status != GameStatus.READY_CHECK or source.facts:
            raise Superseded(DropReason.MOVED_ON)
        if game.row.seats[seat].is_ready:
            raise Superseded(DropReason.READY)
        answer_by = answer_time(game.row)
        assert answer_by is not None
        return ReadyCheckContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=seat, now=source.now),
            commitments=commitments_of(game.row),
            answer_by=answer_by,
        )


EMAIL = ReadyCheck()
