"""The cards are dealt. The email contains the frozen record, which every player gets so that no one can change it afterwards."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

from webapp.i18n import N_
from webapp.mail.blocks import Code
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.services.email_outcomes import DropReason
from webapp.services.play.summaries import (
    Commitment,
    SeatSummary,
    TableSummary,
    commitments_of,
    seat_summaries,
    table_summary,
)

_HEX_DIGITS_PER_LINE: Final = 64


class DealtContext(EmailContext, frozen=True, kw_only=True):
    """A game that has begun."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    commitments: tuple[Commitment, ...]
    record: bytes
    record_digest: str


class Dealt(Email[None, DealtContext]):
    kind = "dealt"
    label = N_("Cards dealt")

    def context(self, source: EmailSource[None]) -> DealtContext:
        game, seat = source.require_seated()
        source.require_news()
        record = game.row.freeze_record
        if record is None:
            raise Superseded(DropReason.MOVED_ON)
        return DealtContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=seat, now=source.now),
            commitments=commitments_of(game.row),
            record=record,
            record_digest=hashlib.sha256(record).hexdigest(),
        )

    def variables(self, context: DealtContext, locale: EmailLocale) -> Mapping[str, object]:
        del locale
        return {"record_lines": Code(tuple(_hex_lines(context.record)))}


def _hex_lines(record: bytes) -> Iterator[str]:
    digits = record.hex()
    for start in range(0, len(digits), _HEX_DIGITS_PER_LINE):
        yield digits[start : start + _HEX_DIGITS_PER_LINE]


EMAIL = Dealt()
