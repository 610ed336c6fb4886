"""Deciders for tests, which need no other process."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tasks.decider import Decision
from tests.support.bots import decide
from tests.support.fakes import FakeClock
from webapp.play.bots.bot_turns import BotTurn
from webapp.play.bots.thinking_time import USUAL_THINKING_TIME, RecentDecisions, ThinkingTime


class InProcessDecider:
    """Decides in this process; the decision is ready after the time that ``decision_time_of`` says, or at once without a clock.

    ``pause`` is called while the decision is waited for.
    """

    def __init__(
        self,
        random_below: Callable[[int], int],
        *,
        clock: FakeClock | None = None,
        pause: Callable[[float], None] | None = None,
        decision_time_of: Callable[[BotTurn], timedelta] = lambda _: timedelta(0),
    ) -> None:
        self.decided_turns: list[BotTurn] = []
        self._pick = random_below
        self._clock = clock
        self._pause = pause or (clock.pause if clock else None)
        self._decision_time_of = decision_time_of
        self._decision: Decision | None = None
        self._ready_at: datetime | None = None

    def begin(self, turn: BotTurn) -> None:
        self.decided_turns.append(turn)
        self._decision = decide(turn, self._pick)
        if self._clock is not None:
            self._ready_at = self._clock.now + self._decision_time_of(turn)

    def wait(self, seconds: float) -> Decision | None:
        if self._clock is not None and self._ready_at is not None and self._pause is not None:
            seconds_left = (self._ready_at - self._clock.now).total_seconds()
            if seconds_left > seconds:
                self._pause(seconds)
                return None
            if seconds_left > 0:
                self._pause(seconds_left)
        return self._decision

    def stop(self) -> None:
        self._decision = None

    def stop_if_unused(self) -> None:
        """Do nothing: there is nothing to free."""


class DecisionsWithUsualThinkingTime(RecentDecisions):
    """Leaves no time for slow decisions: tests must find that they show the role."""

    def thinking_time(self, _level: str, *, has_one_person: bool = False) -> ThinkingTime:  # noqa: ARG002 - always the same
        return USUAL_THINKING_TIME


def longer_decisions_of_saboteurs(decision_time: timedelta) -> Callable[[BotTurn], timedelta]:
    """Return how long decisions take where saboteurs take so long and gold-diggers no time."""
    return lambda turn: decision_time if turn.view.role == "saboteur" else timedelta(0)
