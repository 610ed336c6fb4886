"""The time bank of a seat: what a turn uses beyond its time comes out of it, and every turn taken puts some back."""

from datetime import timedelta

from webapp.pace.pace import Pace

_NO_TIME = timedelta(0)


def bank_of(bank: timedelta | None, pace: Pace) -> timedelta:
    """Return the time in a seat's bank; None as stored is a full one, and more than a full one does not count."""
    return pace.bank if bank is None else min(max(bank, _NO_TIME), pace.bank)


def time_for_turn(bank: timedelta | None, pace: Pace) -> timedelta:
    """Return all the playing time that a turn has: the time per turn, and what is in the bank."""
    return pace.time_per_turn + bank_of(bank, pace)


def bank_after(
    bank: timedelta | None, used_time: timedelta, pace: Pace, *, is_taken: bool = True
) -> timedelta | None:
    """Return what is stored for a seat after a turn that used this much playing time; None for a full bank.

    A turn that the clock played, which is not ``is_taken``, puts nothing back.
    """
    overtime = max(used_time - pace.time_per_turn, _NO_TIME)
    left = max(bank_of(bank, pace) - overtime, _NO_TIME)
    refilled = left + pace.refill if is_taken else left
    return None if refilled >= pace.bank else refilled
