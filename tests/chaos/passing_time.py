"""Lets minutes pass on all clocks in steps, while workers look for deadlines at every step.

A single large step would look like an outage of all workers, which gives the time back for another reason.
"""

import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from kombu.exceptions import OperationalError

from tasks.nudging import nudge_sender, sender_app
from tests.chaos.deployment import Deployment
from webapp.kernel.config import settings_from
from webapp.kernel.system_time import utc_now
from webapp.operations.queries.heartbeats import SCHEDULE_PART

STEP_SECONDS: Final = 100.0
"""What workers write down about their sweeps is up to two steps old; without anything for five minutes there is an outage."""
_MAX_REAL_SECONDS: Final = 120.0
"""Real seconds that one step may take until a worker has looked for deadlines."""
_POLL_SECONDS: Final = 0.25
_UNWATCHED_POLLS: Final = 4
_TASKS: Final = (
    "tasks.deadlines.sweep_deadlines",
    "tasks.delivery.deliver",
    "tasks.deadlines.sweep_deadlines",
)


class PassingTime:
    """Moves all clocks of a deployment ahead, for good."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._settings = settings_from(deployment.workers[0].environ)
        self._previous_step_at = self.now()

    def now(self) -> datetime:
        """Return the time of the deployment."""
        return utc_now() + timedelta(seconds=self._deployment.seconds_ahead)

    def catch_up(self) -> None:
        """Move all clocks to where they have been before they were set back, and wait until workers watch the deadlines.

        Time that seemed to pass then has been given back to the players already, and emails that were accepted then count as newer.
        Before the first sweep of all there is no time from which deadlines were watched, and so no outage.
        """
        most_seconds_ahead = self._deployment.most_seconds_ahead
        if self._deployment.seconds_ahead < most_seconds_ahead:
            self._deployment.set_all_clocks(most_seconds_ahead)
        self._wait_for_sweeps(self.now() - timedelta(seconds=STEP_SECONDS))

    def step(self, *, is_writable: bool = True) -> None:
        """Move all clocks, and let workers do their jobs; wait until they have, if the database can say so."""
        earlier_step_at, self._previous_step_at = self._previous_step_at, self.now()
        self._deployment.set_all_clocks(self._deployment.seconds_ahead + STEP_SECONDS)
        if is_writable:
            self._wait_for_sweeps(earlier_step_at)
        else:
            for _ in range(_UNWATCHED_POLLS):
                self.start_jobs()

    def start_jobs(self) -> None:
        """Let workers deliver emails and look for deadlines now; give them a moment."""
        # A connection of its own: an emptied Redis has forgotten which queues the last one declared.
        with sender_app(self._settings) as celery, suppress(OperationalError):
            for task in _TASKS:
                nudge_sender(celery)(task)
        time.sleep(_POLL_SECONDS)

    def _wait_for_sweeps(self, since: datetime) -> None:
        """Wait until a worker has written down that it swept since then; that says a heartbeat after the sweep."""
        deadline = time.monotonic() + _MAX_REAL_SECONDS
        self.start_jobs()
        while time.monotonic() < deadline and self._deployment.execute(_LAST_SWEEP, since) != [
            (True,)
        ]:
            self.start_jobs()
        self.start_jobs()


_LAST_SWEEP: Final = f"SELECT at >= %s FROM heartbeat WHERE part = '{SCHEDULE_PART}'"
