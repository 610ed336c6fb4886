"""What may go wrong. Each trouble strikes, lasts a while, and is mended before the call returns."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import redis

from tests.chaos import disk
from tests.chaos.evidence import Expiry
from tests.chaos.installation import Installation, patiently, until_true
from tests.chaos.part import Part
from tests.support.page_robot import Pick
from tests.support.smtp_sink import DROP, HANG

Strike = Callable[["Troubles"], None]
LETTERS_FOLLOW_WITHIN: Final = 10.0
"""Seconds from the return of Redis."""
_JUMP: Final = 100 * 60.0
"""Seconds by which a clock goes wrong: late enough for reminders, and too early for the clock to play for anybody."""


@dataclass
class Troubles:
    """Strikes one installation, and remembers what it did."""

    here: Installation
    pick: Pick
    spell: float
    """Seconds that a passing trouble lasts."""
    outage: float
    """Seconds of the long absence of Redis."""
    patience: float = LETTERS_FOLLOW_WITHIN
    struck: Counter[str] = field(default_factory=Counter)
    expired: list[Expiry] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    """Processes that ended although nobody killed them."""
    followed: list[float] = field(default_factory=list)
    """Seconds that letters took to follow after each return of Redis."""

    def strike(self, name: str) -> None:
        TROUBLES[name](self)
        self.struck[name] += 1
        self.look_after_parts(name)

    def look_after_parts(self, after: str) -> None:
        """Start what has ended by itself, as the units in `deploy/` do; that it ended is told."""
        for part in (self.here.broker, *self.here.parts):
            if not part.runs():
                self.ended.append(f"{part.name} ended by itself, after this: {after}")
                part.start()

    def count(self) -> int:
        return self.struck.total()

    def names(self) -> list[str]:
        """What can be tried here."""
        return [name for name in TROUBLES if name != "disk full" or self.here.disk is not None]

    def kill_a_web(self) -> None:
        self._kill(self.here.webs[self.pick(len(self.here.webs))])

    def kill_a_worker(self) -> None:
        self._kill(self.here.workers[self.pick(len(self.here.workers))])

    def kill_the_beat(self) -> None:
        self._kill(self.here.beat)

    def freeze_a_worker(self) -> None:
        self._freeze(self.here.workers[self.pick(len(self.here.workers))])

    def kill_redis(self) -> None:
        """It comes back empty."""
        self.here.broker.kill()
        self.here.bring_redis_back()

    def flush_redis(self) -> None:
        patiently(self.here.queue().flushall, redis.RedisError)

    def freeze_redis(self) -> None:
        """It takes connections and answers nobody."""
        self._freeze(self.here.broker)

    def go_without_redis(self) -> None:
        self.here.broker.kill()
        time.sleep(self.outage)
        self.here.bring_redis_back()
        self._see_letters_follow()

    def kill_postgres(self) -> None:
        self.here.kill_postgres()
        time.sleep(self.spell / 4)
        self.here.bring_postgres_back()

    def make_the_database_read_only(self) -> None:
        self._set_read_only("on")
        time.sleep(self.spell)
        self._set_read_only("off")

    def fill_the_disk(self) -> None:
        assert self.here.disk is not None
        ballast = disk.fill(self.here.disk)
        time.sleep(self.spell)
        ballast.unlink()
        # Without room for its log it gives up, and is started again.
        self.here.bring_postgres_back()

    def defer_letters(self) -> None:
        self._relay("DATA", "451 4.3.0 Not now")

    def drop_the_line_after_letters(self) -> None:
        self._relay("AFTER", DROP)

    def let_the_relay_hang(self) -> None:
        self._relay("DATA", HANG)

    def let_time_run_out(self) -> None:
        """Of one turn of one game; its player may still be faster than the clock."""
        rows = self.here.ask(
            "UPDATE game SET deadline_at = now(), wake_at = now() WHERE id = (SELECT id FROM game"
            " WHERE status = 'running' AND NOT awaiting_bot ORDER BY md5(slug || seq) LIMIT 1"
            " FOR UPDATE) RETURNING slug, seq"
        )
        self.expired.extend(Expiry(*row) for row in rows)

    def let_all_clocks_jump(self) -> None:
        """Ahead by less than anybody's time for a turn, and back."""
        self._set_clocks(self.here.parts, _JUMP)

    def let_one_clock_go_wrong(self) -> None:
        """Ahead or behind, while the others are right."""
        part = self.here.parts[self.pick(len(self.here.parts))]
        self._set_clocks([part], _JUMP if self.pick(2) else -_JUMP)

    def _set_clocks(self, parts: Sequence[Part], ahead: float) -> None:
        for part in parts:
            part.set_clock(ahead)
        time.sleep(self.spell)
        for part in parts:
            part.set_clock(0)

    def _kill(self, part: Part) -> None:
        part.kill()
        time.sleep(self.spell / 4)
        part.start()

    def _freeze(self, part: Part) -> None:
        part.freeze()
        time.sleep(self.spell)
        part.thaw()

    def _relay(self, step: str, answer: str) -> None:
        self.here.relay.answers[step] = answer
        time.sleep(self.spell)
        self.here.relay.answers.pop(step)

    def _set_read_only(self, state: str) -> None:
        self.here.ask(f"ALTER SYSTEM SET default_transaction_read_only = {state}")
        self.here.ask("SELECT pg_reload_conf()")

    def _see_letters_follow(self) -> None:
        """Whatever waited untried for the return of Redis must be taken up at once."""
        waiting = [row[0] for row in self.here.ask(_UNTRIED)]
        began = time.monotonic()
        try:
            until_true(lambda: not self._untried(waiting), within=self.patience)
        except TimeoutError:
            count = len(self._untried(waiting))
            self.late.append(
                f"{count} letters did not follow within {self.patience:.0f} s of the return of Redis"
            )
        self.followed.append(time.monotonic() - began)

    def _untried(self, waiting: list[int]) -> list[int]:
        return [row[0] for row in self.here.ask(f"{_UNTRIED} AND id = ANY(%s)", waiting)]


_UNTRIED = "SELECT id FROM notification WHERE status = 'owed' AND attempts = 0 AND due_at <= now()"
TROUBLES: Final[dict[str, Strike]] = {
    "web killed": Troubles.kill_a_web,
    "worker killed": Troubles.kill_a_worker,
    "beat killed": Troubles.kill_the_beat,
    "worker frozen": Troubles.freeze_a_worker,
    "Redis killed, back empty": Troubles.kill_redis,
    "Redis emptied": Troubles.flush_redis,
    "Redis hangs": Troubles.freeze_redis,
    "without Redis": Troubles.go_without_redis,
    "Postgres killed": Troubles.kill_postgres,
    "database read-only": Troubles.make_the_database_read_only,
    "disk full": Troubles.fill_the_disk,
    "relay answers 451": Troubles.defer_letters,
    "relay drops after DATA": Troubles.drop_the_line_after_letters,
    "relay hangs": Troubles.let_the_relay_hang,
    "all clocks jump and return": Troubles.let_all_clocks_jump,
    "one clock goes wrong": Troubles.let_one_clock_go_wrong,
    "time of a turn runs out": Troubles.let_time_run_out,
}
