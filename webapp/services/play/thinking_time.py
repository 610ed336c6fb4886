"""How long a bot thinks: drawn by secret chance alone, so that it says nothing about a role, a hand or a decision.

An answer is given at the first instant of a schedule at which its decision is ready. The schedule is a row of thoughts, one
after another, each drawn from the same range. So that decisions are rarely late, the range leaves time for the slowest of the
last ones, no matter whose: a busy machine makes every bot think longer, and no bot longer than another.
"""

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

_MILLISECOND: Final = timedelta(milliseconds=1)


class ThinkingTime(NamedTuple):
    """The range from which the time of a thought is drawn, evenly."""

    shortest: timedelta
    longest: timedelta

    def draw(self, pick: Callable[[int], int]) -> timedelta:
        """Return the time of one thought, in whole milliseconds; ``pick(n)`` returns a random number below n."""
        spread = (self.longest - self.shortest) // _MILLISECOND
        return self.shortest + pick(spread + 1) * _MILLISECOND


USUAL_THINKING_TIME: Final = ThinkingTime(timedelta(seconds=0.8), timedelta(seconds=1.6))
"""Longer than decisions usually take, so that it hides how long this one took."""
LATE_CLAIM: Final = timedelta(milliseconds=250)
"""A turn that is claimed later than this after it began is thought about from its claim on."""
MAX_ALLOWANCE: Final = timedelta(seconds=2)
"""The slowest decision for which bots wait as a rule."""
_REMEMBERED_DECISIONS: Final = 30


class RecentDecisions:
    """How long the last decisions of a worker took."""

    def __init__(self, usual: ThinkingTime = USUAL_THINKING_TIME) -> None:
        self._usual = usual
        self._durations: deque[timedelta] = deque(maxlen=_REMEMBERED_DECISIONS)

    def note(self, duration: timedelta) -> None:
        """Remember how long a decision took, from its claim on."""
        self._durations.append(duration)

    def thinking_time(self) -> ThinkingTime:
        """Return the range for the next turn, which a decision as slow as the slowest of the last ones does not exceed."""
        slowest = min(max(self._durations, default=timedelta(0)), MAX_ALLOWANCE)
        lengthening = max(timedelta(0), slowest + LATE_CLAIM - self._usual.shortest)
        return ThinkingTime(self._usual.shortest + lengthening, self._usual.longest + lengthening)


def first_answer_time(
    thinking_time: ThinkingTime,
    pick: Callable[[int], int],
    *,
    began_at: datetime | None,
    now: datetime,
) -> datetime:
    """Return when the answer to a turn is due that began at one instant and is claimed now.

    A turn that has been waiting, for a worker or for the end of a pause, is thought about from now on.
    """
    if began_at is None or now - began_at >= LATE_CLAIM:
        began_at = now
    return began_at + thinking_time.draw(pick)


def answer_time(
    due_at: datetime,
    thinking_time: ThinkingTime,
    pick: Callable[[int], int],
    *,
    ready_at: datetime,
) -> datetime:
    """Return when an answer is given that was due at one instant and ready at another: a late one after another thought."""
    while due_at < ready_at:
        due_at += thinking_time.draw(pick)
    return due_at
