"""The faults that chaos runs inject. Each lasts a while and is repaired before the call returns."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import redis

from tests.chaos.deployment import Deployment, retry_until_success, wait_until
from tests.chaos.evidence import ExpiredTurn, FaultSpan
from tests.chaos.long_faults import LongFaults
from tests.chaos.managed_process import ManagedProcess
from tests.support.page_robot import RandomBelow
from tests.support.smtp_sink import DROP, HANG

InjectFault = Callable[["FaultInjector"], None]
MAX_EMAIL_DELAY_SECONDS: Final = 10.0
"""Seconds after Redis is started again."""
_CLOCK_ERROR_SECONDS: Final = 100 * 60.0
"""Seconds by which a clock is wrong: enough for reminders, and too little for a turn to run out."""
_FAST_CLOCK_SECONDS: Final = 3 * 24 * 3600.0
_LONG_OUTAGE_SECONDS: Final = 10 * 3600.0
"""Seconds that pass on all clocks while no worker runs: enough for every turn to run out."""


@dataclass
class FaultInjector:
    """Injects faults into a deployment and records what happened."""

    deployment: Deployment
    random_below: RandomBelow
    long_faults: LongFaults
    fault_seconds: float
    """Seconds that a temporary fault lasts."""
    outage_seconds: float
    """Seconds of the long outage of Redis."""
    max_email_delay_seconds: float = MAX_EMAIL_DELAY_SECONDS
    injected_counts: Counter[str] = field(default_factory=Counter)
    spans: list[FaultSpan] = field(default_factory=list)
    expired_turns: list[ExpiredTurn] = field(default_factory=list)
    delay_descriptions: list[str] = field(default_factory=list)
    unexpected_exits: list[str] = field(default_factory=list)
    """Processes that ended without being killed."""
    email_delays: list[float] = field(default_factory=list)
    """Seconds until waiting emails were sent after each start of Redis."""

    def inject(self, name: str) -> None:
        began_at = time.monotonic()
        FAULTS[name](self)
        self.spans.append(FaultSpan(name, began_at, time.monotonic()))
        self.injected_counts[name] += 1
        self.restart_ended_processes(name)

    def restart_ended_processes(self, fault_name: str) -> None:
        """Start processes that ended by themselves, as the units in `deploy/` do, and record them."""
        for process in (self.deployment.redis_server, *self.deployment.processes):
            if not process.is_running():
                self.unexpected_exits.append(f"{process.name} ended by itself after: {fault_name}")
                process.start()

    def count(self) -> int:
        return self.injected_counts.total()

    def names(self) -> list[str]:
        """Return the faults that this deployment allows."""
        return [name for name in FAULTS if name != "disk full" or self.deployment.disk is not None]

    def kill_web(self) -> None:
        self._kill(
            self.deployment.web_processes[self.random_below(len(self.deployment.web_processes))]
        )

    def kill_worker(self) -> None:
        self._kill(self.deployment.workers[self.random_below(len(self.deployment.workers))])

    def kill_mail_in(self) -> None:
        self._kill(self.deployment.mail_in)

    def freeze_mail_in(self) -> None:
        self._freeze(self.deployment.mail_in)

    def kill_beat(self) -> None:
        self._kill(self.deployment.beat)

    def freeze_worker(self) -> None:
        self._freeze(self.deployment.workers[self.random_below(len(self.deployment.workers))])

    def kill_redis(self) -> None:
        """Kill Redis and start it again, empty."""
        self.deployment.redis_server.kill()
        self.deployment.start_redis()

    def flush_redis(self) -> None:
        retry_until_success(self.deployment.redis_client().flushall, redis.RedisError)

    def freeze_redis(self) -> None:
        """Freeze Redis: it accepts connections and sends no response."""
        self._freeze(self.deployment.redis_server)

    def stop_redis(self) -> None:
        self.deployment.redis_server.kill()
        time.sleep(self.outage_seconds)
        self.deployment.start_redis()
        self._expect_emails_to_follow()

    def kill_postgres(self) -> None:
        self.deployment.kill_postgres()
        time.sleep(self.fault_seconds / 4)
        self.deployment.restart_postgres()

    def defer_emails(self) -> None:
        self._set_relay_response("DATA", "451 4.3.0 Not now")

    def drop_connection_after_emails(self) -> None:
        self._set_relay_response("AFTER", DROP)

    def hang_relay(self) -> None:
        self._set_relay_response("DATA", HANG)

    def expire_turn(self) -> None:
        """Expire one turn of one game; its player may still play before the clock does."""
        now = self.deployment.now_sql
        rows = self.deployment.execute(
            f"UPDATE game SET deadline_at = {now}, wake_at = {now} WHERE id = (SELECT id FROM game"
            " WHERE status = 'running' AND NOT awaiting_bot ORDER BY md5(slug || seq) LIMIT 1"
            " FOR UPDATE) RETURNING slug, seq"
        )
        self.expired_turns.extend(ExpiredTurn(*row) for row in rows)

    def move_all_clocks(self) -> None:
        """Move all clocks ahead by less than the time for a turn, and back."""
        usual_seconds_ahead = self.deployment.seconds_ahead
        self.deployment.set_all_clocks(usual_seconds_ahead + _CLOCK_ERROR_SECONDS)
        time.sleep(self.fault_seconds)
        self.deployment.set_all_clocks(usual_seconds_ahead)

    def move_one_clock(self) -> None:
        """Move one clock ahead or back while the others are right."""
        process = self.deployment.processes[self.random_below(len(self.deployment.processes))]
        self._set_clock(
            process, _CLOCK_ERROR_SECONDS if self.random_below(2) else -_CLOCK_ERROR_SECONDS
        )

    def speed_up_worker(self) -> None:
        """Move the clock of a worker ahead by days, until it says that it does nothing."""
        worker = self.deployment.workers[self.random_below(len(self.deployment.workers))]
        worker.set_clock(self.deployment.seconds_ahead + _FAST_CLOCK_SECONDS)
        try:
            wait_until(lambda: self.deployment.execute(_COUNT_WRONG_CLOCKS) != [(0,)])
        except TimeoutError:
            self.delay_descriptions.append(f"{worker.name} did not say that its clock is wrong")
        time.sleep(self.fault_seconds)
        worker.set_clock(self.deployment.seconds_ahead)

    def stop_all_workers(self) -> None:
        """Let all turns run out while no worker runs; the players continue. From then on all clocks are ahead by that time."""
        # Before the first sweep of all there is no time from which deadlines were watched, and so no outage.
        wait_until(lambda: self.deployment.execute(_COUNT_WATCHED_SWEEPS) == [(1,)])
        earlier_counts = self.deployment.execute(_COUNT_SHIFTED_OUTAGES)
        for worker in self.deployment.workers:
            worker.kill()
        self.deployment.set_all_clocks(self.deployment.seconds_ahead + _LONG_OUTAGE_SECONDS)
        time.sleep(self.fault_seconds)
        for worker in self.deployment.workers:
            worker.start()
        try:
            wait_until(lambda: self.deployment.execute(_COUNT_SHIFTED_OUTAGES) != earlier_counts)
        except TimeoutError:
            self.delay_descriptions.append("the deadlines were not moved after a long outage")

    def stop_relay(self) -> None:
        """Let the relay refuse all connections."""
        self.deployment.relay.stop()
        time.sleep(self.fault_seconds)
        self.deployment.relay.start()

    def _set_clock(self, process: ManagedProcess, seconds_ahead: float) -> None:
        process.set_clock(self.deployment.seconds_ahead + seconds_ahead)
        time.sleep(self.fault_seconds)
        process.set_clock(self.deployment.seconds_ahead)

    def _kill(self, process: ManagedProcess) -> None:
        process.kill()
        time.sleep(self.fault_seconds / 4)
        process.start()

    def _freeze(self, process: ManagedProcess) -> None:
        process.freeze()
        time.sleep(self.fault_seconds)
        process.thaw()

    def _set_relay_response(self, step: str, response: str) -> None:
        self.deployment.relay.answers[step] = response
        time.sleep(self.fault_seconds)
        self.deployment.relay.answers.pop(step)

    def _expect_emails_to_follow(self) -> None:
        """Record how long it takes until all waiting emails have been tried."""
        untried_emails = f"{_SELECT_UNTRIED_EMAILS} AND due_at <= {self.deployment.now_sql}"
        untried_ids = [row[0] for row in self.deployment.execute(untried_emails)]
        began_at = time.monotonic()
        try:
            wait_until(
                lambda: not self._still_untried(untried_ids), timeout=self.max_email_delay_seconds
            )
        except TimeoutError:
            count = len(self._still_untried(untried_ids))
            self.delay_descriptions.append(
                f"{count} emails were not sent within {self.max_email_delay_seconds:.0f} s after Redis was started"
            )
        self.email_delays.append(time.monotonic() - began_at)

    def _still_untried(self, untried_ids: list[int]) -> list[int]:
        return [
            row[0]
            for row in self.deployment.execute(
                f"{_SELECT_UNTRIED_EMAILS} AND id = ANY(%s)", untried_ids
            )
        ]


_SELECT_UNTRIED_EMAILS = "SELECT id FROM notification WHERE status = 'pending' AND attempts = 0"
_COUNT_WRONG_CLOCKS = "SELECT count(*) FROM heartbeat WHERE clock_ahead > interval '1 day'"
_COUNT_WATCHED_SWEEPS = "SELECT count(*) FROM heartbeat WHERE part = 'schedule'"
_COUNT_SHIFTED_OUTAGES = (
    "SELECT count(*) FROM maintenance WHERE ended_at - began_at > interval '5 hours'"
    " AND shifted_at IS NOT NULL"
)
FAULTS: Final[dict[str, InjectFault]] = {
    "web killed": FaultInjector.kill_web,
    "worker killed": FaultInjector.kill_worker,
    "beat killed": FaultInjector.kill_beat,
    "mail-in killed": FaultInjector.kill_mail_in,
    "mail-in frozen": FaultInjector.freeze_mail_in,
    "worker frozen": FaultInjector.freeze_worker,
    "Redis killed, back empty": FaultInjector.kill_redis,
    "Redis emptied": FaultInjector.flush_redis,
    "Redis hangs": FaultInjector.freeze_redis,
    "without Redis": FaultInjector.stop_redis,
    "Postgres killed": FaultInjector.kill_postgres,
    "relay answers 451": FaultInjector.defer_emails,
    "relay drops after DATA": FaultInjector.drop_connection_after_emails,
    "relay hangs": FaultInjector.hang_relay,
    "relay is dead": FaultInjector.stop_relay,
    "all clocks jump and return": FaultInjector.move_all_clocks,
    "one clock goes wrong": FaultInjector.move_one_clock,
    "worker's clock is fast by days": FaultInjector.speed_up_worker,
    "no worker for hours": FaultInjector.stop_all_workers,
    "time of a turn runs out": FaultInjector.expire_turn,
    "database read-only": lambda injector: injector.long_faults.make_database_read_only(
        "database read-only"
    ),
    "disk full": lambda injector: injector.long_faults.fill_disk("disk full"),
    "relay answers 554": lambda injector: injector.long_faults.refuse_emails(
        "relay answers 554", "RCPT", "554 5.7.1 Relay access denied"
    ),
    "relay's quota is used up": lambda injector: injector.long_faults.refuse_emails(
        "relay's quota is used up", "DATA", "550 5.4.5 Daily quota exceeded"
    ),
}
