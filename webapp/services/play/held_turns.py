"""The turn that a player holds, as stored in the game's row: when it enters, what it does to the clock, and when it is dropped.

Like plans it is in the game's row, so that every turn reads it without another statement and removes it in its own. It
counts only for the very position, seat and person that it was made for. Only that person ever learns that there is one.
"""

import logging
from collections.abc import Container
from datetime import datetime
from typing import Any, Final

import msgspec

from engine.actions import Action
from webapp.game_status import GameStatus
from webapp.pace.arithmetic import has_passed
from webapp.services.play.away_players import usual_wake_at
from webapp.store.play.rows import GameRow
from webapp.store.redacted import Redacted

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


def encode_held_turn(held_turn: HeldTurn) -> bytes:
    return _ENCODER.encode(held_turn)


def stored_held_turn(row: GameRow) -> HeldTurn | None:
    """Return what is stored, dropped or not. One of another release that cannot be read counts as none."""
    if row.held_turn is None:
        return None
    try:
        return _DECODER.decode(row.held_turn)
    except msgspec.DecodeError:
        _log.error("The held turn of a game cannot be read; it is not played.")
        return None


def held_turn_of(row: GameRow) -> HeldTurn | None:
    """Return the turn that is held for the position of the game."""
    held_turn = stored_held_turn(row)
    if held_turn is None or held_turn.action is None or row.status != GameStatus.RUNNING:
        return None
    if (held_turn.seat, held_turn.seq) != (row.awaiting, row.seq):
        return None
    is_owner = row.seats[held_turn.seat].account_id == held_turn.account_id
    return held_turn if is_owner else None


def is_held_turn_due(row: GameRow, *, now: datetime) -> bool:
    held_turn = held_turn_of(row)
    return held_turn is not None and has_passed(held_turn.due_at, now=now)


def held_turn_with(row: GameRow, seat: int, action: Action) -> HeldTurn | None:
    """Return the held turn if it is this one."""
    held_turn = held_turn_of(row)
    if held_turn is None or (held_turn.seat, held_turn.action) != (seat, action):
        return None
    return held_turn


def held_turn_after(row: GameRow, seats: Container[int | None]) -> bytes | None:
    """Return what is left of the held turn after other turns, if people played these seats: nothing for its own player."""
    held_turn = stored_held_turn(row)
    if held_turn is None or held_turn.seat in seats:
        return None
    return _encode_dropped_turn(held_turn)


def drop_held_turn(row: GameRow, *, now: datetime) -> dict[str, Any]:
    """Return the values of the game's row with which its held turn is dropped; none if there is no such turn."""
    # Also if its player has lost the seat: they may return to it.
    held_turn = stored_held_turn(row)
    if held_turn is None or held_turn.action is None:
        return {}
    return {
        "held_turn": _encode_dropped_turn(held_turn),
        "wake_at": wake_at_without_held_turn(row, now=now),
    }


def wake_at_with_held_turn(
    row: GameRow, wake_at: datetime | None, deadline_at: datetime | None
) -> datetime | None:
    """Return when a worker looks at a game with this deadline next, if that would be at ``wake_at`` without a held turn."""
    held_turn = held_turn_of(row)
    if held_turn is None:
        return wake_at
    return held_turn.due_at if deadline_at is None else min(held_turn.due_at, deadline_at)


def wake_at_without_held_turn(row: GameRow, *, now: datetime) -> datetime | None:
    """Return when a worker looks at the game next, once no turn is held there."""
    held_turn = held_turn_of(row)
    if held_turn is None:
        return row.wake_at
    if row.deadline_at is None or row.deadline_at == held_turn.deadline_at:
        return held_turn.wake_at
    return usual_wake_at(row, now=now)


def _encode_dropped_turn(held_turn: HeldTurn) -> bytes:
    return encode_held_turn(msgspec.structs.replace(held_turn, action=None))


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(HeldTurn)
