"""A decider for tests, which needs no other process.

Its own module because the workers of several folders of tests use it.
"""

from collections.abc import Callable
from datetime import timedelta

from tasks.decider import Decision
from tests.support.bots import decide
from tests.support.fakes import FakeClock
from webapp.services.play.bot_turns import BotTurn


class InProcessDecider:
    """Decides at once, and lets a clock run for as long as ``takes`` says."""

    def __init__(
        self,
        pick: Callable[[int], int],
        *,
        clock: FakeClock | None = None,
        takes: Callable[[BotTurn], timedelta] = lambda _: timedelta(0),
    ) -> None:
        self.decided: list[BotTurn] = []
        self._pick = pick
        self._clock = clock
        self._takes = takes
        self._decision: Decision | None = None

    def begin(self, turn: BotTurn) -> None:
        self.decided.append(turn)
        self._decision = decide(turn, self._pick)
        if self._clock is not None:
            self._clock.now += self._takes(turn)

    def wait(self, seconds: float) -> Decision | None:  # noqa: ARG002 - it has decided
        return self._decision

    def stop(self) -> None:
        self._decision = None

    def stop_if_unused(self) -> None:
        """Do nothing: there is nothing to free."""
