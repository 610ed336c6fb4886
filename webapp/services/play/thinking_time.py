"""How long a bot thinks: drawn by secret chance alone, so that it says nothing about a role, a hand or a decision.

An answer is given at the first instant of a schedule at which its decision is ready. The schedule is a row of thoughts, one
after another, each drawn from the same range. So that decisions are rarely late, the range leaves time for the slowest of the
last ones, no matter whose: a busy machine makes every bot think longer, and no bot longer than another.

Where one person plays with bots only, the range is short: no one else waits or watches. It leaves time for the slowest of the last
decisions of bots of the same level, because those of one level take much longer than those of another; everyone knows the level.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

_MILLISECOND: Final = timedelta(milliseconds=1)


class ThinkingTime(NamedTuple):
    """The range from which the time of a thought is drawn, evenly."""

    shortest: timedelta
    longest: timedelta

    def draw(self, random_below: Callable[[int], int]) -> timedelta:
        """Return the time of one thought, in whole milliseconds; ``random_below(n)`` returns a random number below n."""
        spread = (self.longest - self.shortest) // _MILLISECOND
        return self.shortest + random_below(spread + 1) * _MILLISECOND


USUAL_THINKING_TIME: Final = ThinkingTime(timedelta(seconds=0.8), timedelta(seconds=1.6))
"""Longer than decisions usually take, so that it hides how long this one took."""
THINKING_TIME_WITH_ONE_PERSON: Final = ThinkingTime(timedelta(seconds=0.3), timedelta(seconds=0.4))
"""Where one person plays with bots only."""
LATE_CLAIM_AFTER: Final = timedelta(milliseconds=250)
"""A turn that is claimed later than this after it began is thought about from its claim on."""
MAX_DECISION_TIME: Final = timedelta(seconds=2)
"""The slowest decision for which bots wait as a rule."""
_REMEMBERED_DECISIONS: Final = 30
_REMEMBERED_DECISIONS_OF_LEVEL: Final = 300
"""More, so that a round in which no saboteur is a bot does not make the answers of the next one late."""


class RecentDecisions:
    """How long the last decisions of a worker took."""

    def __init__(self, usual: ThinkingTime = USUAL_THINKING_TIME) -> None:
        self._usual_time = usual
        self._durations: deque[timedelta] = deque(maxlen=_REMEMBERED_DECISIONS)
        self._durations_by_level: defaultdict[str, deque[timedelta]] = defaultdict(
            partial(deque[timedelta], maxlen=_REMEMBERED_DECISIONS_OF_LEVEL)
        )

    def add_duration(self, duration: timedelta, *, level: str) -> None:
        """Remember how long a decision of a bot took, from its claim on."""
        self._durations.append(duration)
        self._durations_by_level[level].append(duration)

    def thinking_time(self, level: str, *, has_one_person: bool = False) -> ThinkingTime:
        """Return the range for the next turn of a bot, which decisions as slow as the slowest of the last ones do not exceed.

        As long as no decision of this level is known, bots take their usual time with one person too.
        """
        durations_of_level = self._durations_by_level.get(level)
        if has_one_person and durations_of_level:
            return _range_for(durations_of_level, THINKING_TIME_WITH_ONE_PERSON)
        return _range_for(self._durations, self._usual_time)


def _range_for(durations: Iterable[timedelta], shortest_range: ThinkingTime) -> ThinkingTime:
    """Return the range, later if the slowest of these decisions would not be in time for it."""
    slowest = min(max(durations, default=timedelta(0)), MAX_DECISION_TIME)
    added_time = max(timedelta(0), slowest + LATE_CLAIM_AFTER - shortest_range.shortest)
    return ThinkingTime(shortest_range.shortest + added_time, shortest_range.longest + added_time)


def first_answer_time(
    thinking_time: ThinkingTime,
    random_below: Callable[[int], int],
    *,
    began_at: datetime | None,
    now: datetime,
) -> datetime:
    """Return when the answer to a turn is due that began at one instant and is claimed now.

    A turn that has been waiting, for a worker or for the end of a pause, is thought about from now on.
    """
    if began_at is None or now - began_at >= LATE_CLAIM_AFTER:
        began_at = now
    return began_at + thinking_time.draw(random_below)


def answer_time(
    due_at: datetime,
    thinking_time: ThinkingTime,
    random_below: Callable[[int], int],
    *,
    ready_at: datetime,
) -> datetime:
    """Return when an answer is given that was due at one instant and ready at another: a late one after another thought."""
    while due_at < ready_at:
        due_at += thinking_time.draw(random_below)
    return due_at
