"""The cards are dealt. The player who begins gets all of it with the email about their turn instead."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.play.access import LoadedGame
from webapp.play.queries.email_facts import TurnEmailFacts, read_first_turn_emails
from webapp.play.summaries import TableSummary, table_summary

_WAIT_FOR_TURN_EMAIL: Final = timedelta(minutes=1)
_HEX_DIGITS_PER_LINE = 64


class DealRecord(Redacted, frozen=True, kw_only=True):
    """What the shuffles depend on besides the secrets: the agreements of the table, and the commitments to the secrets."""

    record: bytes

    @property
    def digest(self) -> str:
        """The SHA-256 of the record, as hexadecimal digits."""
        return hashlib.sha256(self.record).hexdigest()

    @property
    def file_text(self) -> str:
        """The record as hexadecimal digits in lines."""
        digits = self.record.hex()
        starts = range(0, len(digits), _HEX_DIGITS_PER_LINE)
        return "".join(f"{digits[start : start + _HEX_DIGITS_PER_LINE]}\n" for start in starts)


class DealtContext(EmailContext, frozen=True, kw_only=True):
    """A game that has begun."""

    table: TableSummary
    deal: DealRecord


class Dealt(Email[TurnEmailFacts, DealtContext]):
    kind = "dealt"
    label = N_("Cards dealt")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[TurnEmailFacts]]
    ) -> Mapping[int, TurnEmailFacts]:
        """Return the email about the first turn to the same person, if it is theirs."""
        return read_first_turn_emails(tx, [source.notification.id for source in sources])

    def waits_until(
        self, source: EmailSource[TurnEmailFacts], email_wait: timedelta
    ) -> datetime | None:
        """Return until when it waits, because the email about the recipient's turn will say the same."""
        del email_wait
        turn_email = source.facts
        if turn_email is None or turn_email.status != "pending":
            return None
        return max(turn_email.due_at, source.now) + _WAIT_FOR_TURN_EMAIL

    def context(self, source: EmailSource[TurnEmailFacts]) -> DealtContext:
        game, _ = source.require_seated()
        source.require_news()
        if source.facts is not None and source.facts.status == "sent":
            raise Superseded(DropReason.TURN_EMAIL_SENT)
        deal = deal_record_of(game)
        if deal is None:
            raise Superseded(DropReason.MOVED_ON)
        return DealtContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            deal=deal,
        )


def deal_record_of(game: LoadedGame) -> DealRecord | None:
    """Return the record; None before the deal."""
    record = game.row.freeze_record
    return None if record is None else DealRecord(record=record)


EMAIL = Dealt()
