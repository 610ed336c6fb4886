"""The frozen record of a deal, which every player gets with the email about it, so that no one can change it afterwards."""

import hashlib

from webapp.services.play.access import LoadedGame
from webapp.store.redacted import Redacted

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


def deal_record_of(game: LoadedGame) -> DealRecord | None:
    """Return the record; None before the deal."""
    record = game.row.freeze_record
    return None if record is None else DealRecord(record=record)
