"""How long a bot thinks: drawn by secret chance alone, so that it says nothing about a role, a hand or a decision.

An answer is given at the first instant of a schedule at which its decision is ready. The schedule is a row of thoughts, one
after another, each drawn from the same range. An answer that is late says that its decision was slow, and slow ones are a little
more often those of saboteurs. So next to none may be late: the range leaves time for decisions slower than the slowest of the
last ones, no matter whose, and of the last ones of the same level, which quick ones of other levels do not push out. It moves in
few steps, because a range that followed every decision would tell how long the slowest took.

Where one person plays with bots only, the range is short: no one else waits or watches. It leaves time for the last decisions
of bots of the same level only, because those of one level take much longer than those of another; everyone knows the level.
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
"""The range where one person plays with bots only."""
LATE_CLAIM_AFTER: Final = timedelta(milliseconds=250)
"""A turn that is claimed later than this after it began is thought about from its claim on."""
MAX_DECISION_TIME: Final = timedelta(seconds=5)
"""The slowest decision for which bots wait as a rule: none that is played takes longer."""
_SHORTEST_DECISION_TIME: Final = timedelta(milliseconds=50)
"""The first of the steps, of which each is twice as long as the one before."""
_MARGIN: Final = 1.25
"""How many times as long as the slowest of the last decisions the next one may take without being late."""
_REMEMBERED_DECISIONS: Final = 30
_REMEMBERED_DECISIONS_OF_LEVEL: Final = 100
"""More, so that a round in which no saboteur is a bot does not make the answers of the next one late."""
_REMEMBERED_DECISIONS_WITH_ONE_PERSON: Final = 300
"""Still more: their range is so short that few decisions fit into it with time to spare."""


class RecentDecisions:
    """How long the last decisions of a worker took."""

    def __init__(self, usual: ThinkingTime = USUAL_THINKING_TIME) -> None:
        self._usual_time = usual
        self._durations: deque[timedelta] = deque(maxlen=_REMEMBERED_DECISIONS)
        self._durations_by_level: defaultdict[str, deque[timedelta]] = defaultdict(
            partial(deque[timedelta], maxlen=_REMEMBERED_DECISIONS_WITH_ONE_PERSON)
        )

    def add_duration(self, duration: timedelta, *, level: str) -> None:
        """Remember how long a decision of a bot took, from its claim on."""
        self._durations.append(duration)
        self._durations_by_level[level].append(duration)

    def thinking_time(self, level: str, *, has_one_person: bool = False) -> ThinkingTime:
        """Return the range for the next turn of a bot, for which decisions a little slower than the slowest of the last ones are in time.

        As long as no decision of this level is known, bots take their usual time with one person too.
        """
        durations_of_level = tuple(self._durations_by_level.get(level, ()))
        if has_one_person and durations_of_level:
            return _range_for(durations_of_level, THINKING_TIME_WITH_ONE_PERSON)
        last_durations = durations_of_level[-_REMEMBERED_DECISIONS_OF_LEVEL:]
        return _range_for((*self._durations, *last_durations), self._usual_time)


def _range_for(durations: Iterable[timedelta], shortest_range: ThinkingTime) -> ThinkingTime:
    """Return the range, later if a decision a little slower than all of these would be late."""
    decision_time = _step_above(_MARGIN * max(durations, default=timedelta(0)))
    added_time = max(timedelta(0), decision_time + LATE_CLAIM_AFTER - shortest_range.shortest)
    return ThinkingTime(shortest_range.shortest + added_time, shortest_range.longest + added_time)


def _step_above(duration: timedelta) -> timedelta:
    """Return the first step that is not shorter than a duration, but at most the longest time for which bots wait."""
    step = _SHORTEST_DECISION_TIME
    while step < min(duration, MAX_DECISION_TIME):
        step *= 2
    return min(step, MAX_DECISION_TIME)


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
