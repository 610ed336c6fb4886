"""The time bank of a seat: what a turn uses beyond its time comes out of it, and every turn taken puts some back."""

from datetime import timedelta
from typing import Final

from webapp.clock.pace.pace import Pace

_NO_TIME: Final = timedelta(0)


def bank_of(bank: timedelta | None, pace: Pace) -> timedelta:
    """Return the time in a seat's bank; None as stored is a full one, and more than a full one does not count."""
    return pace.bank if bank is None else min(max(bank, _NO_TIME), pace.bank)


def time_for_turn(bank: timedelta | None, pace: Pace) -> timedelta:
    """Return all the playing time that a turn has: the time per turn, and what is in the bank."""
    return pace.time_per_turn + bank_of(bank, pace)


def bank_after(
    bank: timedelta | None, time_left: timedelta, pace: Pace, *, is_turn_taken: bool = True
) -> timedelta | None:
    """Return what is stored for a seat after a turn that ended with this much playing time left; None for a full bank.

    The bank is what is used last, so it keeps the time left, as far as that came from it: an extension spares it. A turn
    that the player did not take puts nothing back.
    """
    kept_time = min(bank_of(bank, pace), max(time_left, _NO_TIME))
    new_bank = kept_time + pace.refill if is_turn_taken else kept_time
    return None if new_bank >= pace.bank else new_bank
