"""Faults that last for minutes of everyone's time, so that the clock matters: a turn waits for its player meanwhile.

They are the relay's refusals of everything, and a database that takes no changes.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from tests.chaos.attendance import Attendance
from tests.chaos.deployment import Deployment, wait_until
from tests.chaos.disk import fill_disk, is_full
from tests.chaos.health_probes import HealthProbes
from tests.chaos.passing_time import STEP_SECONDS, PassingTime
from tests.chaos.player_log import PlayerLog
from tests.chaos.waiting_turn import TIME_LEFT, WaitingTurn, let_turn_wait, restore_time, time_left
from tests.support.page_robot import RandomBelow

_STEPS_PAST_DEADLINE: Final = int(TIME_LEFT.total_seconds() / STEP_SECONDS) + 2
_STEPS_BEFORE_DEADLINE: Final = int(TIME_LEFT.total_seconds() / STEP_SECONDS) - 1
_STEPS_UNTIL_REPAIR_IS_NOTICED: Final = 12
"""An email that was refused often is tried again after minutes."""
_STEPS_AFTERWARDS: Final = 2
_MIN_TIME_LEFT: Final = TIME_LEFT - timedelta(minutes=1)
"""What the player must have left afterwards."""
_REFUSED_RECIPIENTS: Final = 2
"""To so many people the relay must have refused emails before it counts as refusing everyone."""


@dataclass
class LongFaults:
    """Injects these faults, and records what each did and what was wrong."""

    deployment: Deployment
    attendance: Attendance
    log: PlayerLog
    random_below: RandomBelow
    effects: dict[str, Counter[str]] = field(default_factory=dict)
    """What each fault did, by its name."""
    idle_faults: list[str] = field(default_factory=list)
    """Descriptions of faults that did not do what they are for."""
    lost_times: list[str] = field(default_factory=list)
    """Descriptions of turns that did not get their time back."""

    def __post_init__(self) -> None:
        self.time = PassingTime(self.deployment)
        self.probes = HealthProbes(self.deployment.addresses)

    def refuse_emails(self, name: str, step: str, answer: str) -> None:
        """Let the relay give this answer to everyone, until the deadline of a turn has passed."""
        with self._waiting_turn(name) as turn:
            relay = self.deployment.relay
            earlier_count = len(relay.refusals)
            relay.answers[step] = answer
            self._wait_for_refusals(name, earlier_count)
            for _ in range(_STEPS_PAST_DEADLINE):
                self.time.step()
            self._count_overdue_turn(name, turn)
            self.attendance.let_rest()
            refusals = relay.refusals[earlier_count:]
            relay.answers.pop(step)
            self._effects_of(name)["emails refused"] += len(refusals)
            self._effects_of(name)["people without emails"] += len({r.recipient for r in refusals})

    def make_database_read_only(self, name: str) -> None:
        """Make the database read-only as operators and providers do, and end all sessions; afterwards no session is ended."""
        with self._waiting_turn(name):
            self._set_read_only(_MAKE_READ_ONLY)
            self._let_no_one_change_anything(name, lambda: True)
            self.attendance.let_rest()
            self._set_read_only(_MAKE_WRITABLE)
            self.probes.expect_soon(200, name)

    def fill_disk(self, name: str) -> None:
        """Fill the disk of the database, which ends if it has no space for its log; then it is started again."""
        disk = self.deployment.disk
        assert disk is not None
        with self._waiting_turn(name):
            ballast_file = fill_disk(disk)
            self._let_no_one_change_anything(name, lambda: _is_kept_full(disk))
            self.attendance.let_rest()
            ballast_file.unlink()
            self._effects_of(name)["databases ended"] += not self.deployment.server.is_running()
            self.deployment.restart_postgres()
            self.probes.expect_soon(200, name)

    @contextmanager
    def _waiting_turn(self, name: str) -> Iterator[WaitingTurn]:
        """Let a turn wait; at the end, with all players resting, expect that its player gets the lost time back."""
        self.time.catch_up()
        turn = let_turn_wait(self.deployment, self.attendance)
        try:
            yield turn
            self._expect_time_back(name, turn)
            restore_time(self.deployment, turn)
        finally:
            self.attendance.resume()

    def _let_no_one_change_anything(self, name: str, is_broken: Callable[[], bool]) -> None:
        """Let time pass until shortly before the deadline of the turn, or past it, while players and monitors see 503."""
        earlier_count = self.log.responses["503"]
        earlier_answer_count = self.probes.unavailable_count
        self.probes.expect_soon(503, name)
        for _ in range((_STEPS_BEFORE_DEADLINE, _STEPS_PAST_DEADLINE)[self.random_below(2)]):
            self.time.step(is_writable=False)
            self.probes.check_unavailable(is_broken, name)
        # On a busy machine all this may take less time than a player's next page.
        with suppress(TimeoutError):
            wait_until(lambda: self.log.responses["503"] > earlier_count)
        refused_count = self.log.responses["503"] - earlier_count
        answer_count = self.probes.unavailable_count - earlier_answer_count
        self._effects_of(name)["pages with 503"] += refused_count
        self._effects_of(name)["health checks with 503"] += answer_count
        if not (refused_count and answer_count):
            self.idle_faults.append(f"no page or no health check said 503 during: {name}")

    def _wait_for_refusals(self, name: str, earlier_count: int) -> None:
        relay = self.deployment.relay

        def has_refused_several() -> bool:
            refusals = relay.refusals[earlier_count:]
            return len({refusal.recipient for refusal in refusals}) >= _REFUSED_RECIPIENTS

        try:
            wait_until(has_refused_several)
        except TimeoutError:
            self.idle_faults.append(f"the relay had no emails to refuse during: {name}")

    def _count_overdue_turn(self, name: str, turn: WaitingTurn) -> None:
        """Count the turn if its deadline has passed, which it must. A turn that was played is found in the log."""
        time = time_left(self.deployment, turn)
        if time is not None and time < timedelta(0):
            self._effects_of(name)["deadlines passed"] += 1
        elif time is not None:
            self.idle_faults.append(f"{turn.slug} {turn.seq} had {time} left during: {name}")

    def _expect_time_back(self, name: str, turn: WaitingTurn) -> None:
        """Let time pass until the player has the time that they had before the fault, and a little more without a default."""
        for _ in range(_STEPS_UNTIL_REPAIR_IS_NOTICED):
            self.time.step()
            time = time_left(self.deployment, turn)
            if time is None or time + timedelta(seconds=STEP_SECONDS) >= _MIN_TIME_LEFT:
                break
        if time is None or time + timedelta(seconds=STEP_SECONDS) < _MIN_TIME_LEFT:
            self.lost_times.append(f"{turn.slug} {turn.seq} had {time} left after: {name}")
        else:
            self._effects_of(name)["turns that got their time back"] += 1
        for _ in range(_STEPS_AFTERWARDS):
            self.time.step()

    def _effects_of(self, name: str) -> Counter[str]:
        return self.effects.setdefault(name, Counter())

    def _set_read_only(self, statements: tuple[str, ...]) -> None:
        for statement in statements:
            self.deployment.execute(statement)


def _is_kept_full(disk: Path) -> bool:
    """Fill the disk again, should something have been deleted, and return whether it is full."""
    fill_disk(disk)
    return is_full(disk)


_MAKE_READ_ONLY: Final = (
    "ALTER DATABASE lodepost SET default_transaction_read_only = on",
    """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
""",
)
_MAKE_WRITABLE: Final = ("ALTER DATABASE lodepost RESET default_transaction_read_only",)
