"""A turn that its player holds: it enters the game some minutes later, and can be changed or withdrawn until then.

Like plans it is in the game's row, so that every turn reads it without another statement and removes it in its own. It
counts only for the very position, seat and person that it was made for. Only that person ever learns that there is one.
"""

import logging
from datetime import datetime
from typing import Final

import msgspec

from engine.actions import Action
from webapp.kernel.redacted import Redacted

_log = logging.getLogger(__name__)


class HeldTurn(Redacted, frozen=True, kw_only=True, omit_defaults=True):
    """A turn that enters the game at ``due_at``, unless its player changes or withdraws it before."""

    seat: int
    account_id: int
    seq: int
    """The position for which it was made."""
    held_at: datetime
    """When its player chose it."""
    due_at: datetime
    """Never after the deadline that the turn had when it was held."""
    deadline_at: datetime
    wake_at: datetime | None
    """When a worker would have looked at the game next, if ``deadline_at`` has not moved since."""
    action: Action | None = None
    """None once it was dropped, because something else happened: what was held is deleted at once."""

    def dropped(self) -> "HeldTurn":
        """Return what is left of it once it was dropped: its player is shown that it was."""
        return msgspec.structs.replace(self, action=None)


def encode_held_turn(held_turn: HeldTurn | None) -> bytes | None:
    return None if held_turn is None else _ENCODER.encode(held_turn)


def decode_held_turn(stored_bytes: bytes | None) -> HeldTurn | None:
    """Return what is stored, dropped or not. One of another release that cannot be read counts as none."""
    if stored_bytes is None:
        return None
    try:
        return _DECODER.decode(stored_bytes)
    except msgspec.DecodeError:
        _log.error("The held turn of a game cannot be read; it is not played.")
        return None


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(HeldTurn)
