"""One chaos run: a deployment, simulated players, one fault after another, a quiet end, and the checks."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.chaos.deployment import Deployment, running_deployment, wait_until
from tests.chaos.disk import small_disk
from tests.chaos.evidence import Evidence, read_stored_data
from tests.chaos.faults import EMAILS_FOLLOW_WITHIN, FaultInjector
from tests.chaos.history import Loss, losses
from tests.chaos.http_browser import HttpBrowser
from tests.chaos.inbox import Inbox, count_message_ids
from tests.chaos.player_log import PlayerLog
from tests.chaos.players import Player, create_players
from tests.support.page_robot import Pick, chance
from webapp.clock import utc_now
from webapp.embedded.binaries import PostgresPrograms

_LONGEST_OUTAGE = 60.0
_TABLES = 3


class Plan(NamedTuple):
    """How long faults are injected, with which random seed, and how long each lasts."""

    seconds: float
    seed: str
    duration: float = 3.0
    outage: float = _LONGEST_OUTAGE
    tables: int = _TABLES
    only: tuple[str, ...] = ()
    """The faults to inject; if empty, all that the deployment allows."""
    least_faults: int = 0
    """How many faults are injected even if that takes longer."""
    emails_follow_within: float = EMAILS_FOLLOW_WITHIN


class Outcome(NamedTuple):
    """The result of a run."""

    evidence: Evidence
    log: PlayerLog
    injector: FaultInjector
    tracebacks: int
    """The number of tracebacks in the logs of all processes."""
    lost: list[Loss]


def run(
    plan: Plan, folder: Path, programs: PostgresPrograms, *, report: Callable[[str], None]
) -> Outcome:
    """Run in an empty folder; ``report`` is called with a line for each fault."""
    log = PlayerLog()
    with (
        small_disk(folder / "disk") as disk,
        running_deployment(folder, programs, disk=disk) as deployment,
    ):
        injector = FaultInjector(
            deployment,
            chance(f"faults {plan.seed}"),
            duration=plan.duration,
            outage=plan.outage,
            emails_follow_within=plan.emails_follow_within,
        )
        with playing_people(deployment, plan, log):
            wait_until(lambda: deployment.execute(_RUNNING) == [(plan.tables,)])
            inject_at_random(injector, plan, log, report=report)
        report("quiet: emails and bots finish")
        injector.restart_ended_processes("the last fault")
        settle(deployment)
        evidence = collect_evidence(deployment, injector)
        if disk is not None:
            shutil.copy(disk / "postgres.log", folder)
    return Outcome(evidence, log, injector, _tracebacks(folder), losses(evidence, log))


@contextmanager
def playing_people(deployment: Deployment, plan: Plan, log: PlayerLog) -> Iterator[list[Player]]:
    """Yield the players, signed in and playing; at the end they finish their present step."""
    stopped = threading.Event()
    players = create_players(
        lambda: HttpBrowser(deployment.addresses, log),
        log,
        tables=plan.tables,
        chance=lambda address: chance(f"{address} {plan.seed}"),
        stopped=stopped,
    )
    inbox = Inbox(deployment.relay)
    for player in players:
        player.sign_in(inbox)
    for player in players:
        player.start()
    try:
        yield players
    finally:
        stopped.set()
        for player in players:
            player.join(60)


def inject_at_random(
    injector: FaultInjector, plan: Plan, log: PlayerLog, *, report: Callable[[str], None]
) -> None:
    """Inject every fault once in random order, and again until the time is over; after each, wait for an acknowledged turn."""
    began = time.monotonic()
    names: list[str] = []
    while (at := time.monotonic() - began) < plan.seconds or injector.count() < plan.least_faults:
        names = names or _shuffled(list(plan.only) or injector.names(), injector.pick)
        name = names.pop()
        report(f"{at:4.0f} s  {name}")
        injector.inject(name)
        _wait_for_acknowledged_turn(injector, log, name)
        time.sleep(injector.pick(10) / 10)


def _wait_for_acknowledged_turn(injector: FaultInjector, log: PlayerLog, name: str) -> None:
    before = len(log.acknowledged)
    try:
        wait_until(lambda: len(log.acknowledged) > before)
    except TimeoutError:
        injector.late.append(f"no player could continue after: {name}")


def settle(deployment: Deployment) -> None:
    """Let all pending emails and bots finish, without waiting for leases of dead workers and for delayed retries."""
    for worker in deployment.workers:
        worker.stop()
    # The workers that held these leases have ended.
    deployment.execute(
        "UPDATE notification SET due_at = now(), lease_until = NULL WHERE status = 'pending'"
    )
    for worker in deployment.workers:
        worker.start()
    try:
        wait_until(lambda: deployment.execute(_UNFINISHED) == [(0,)])
    except TimeoutError:
        return
    finally:
        for process in (*deployment.workers, deployment.beat):
            process.stop()


def collect_evidence(deployment: Deployment, injector: FaultInjector) -> Evidence:
    return Evidence(
        stored=read_stored_data(deployment.url, now=utc_now()),
        accepted=count_message_ids(list(deployment.relay.taken)),
        expired=injector.expired,
        late=injector.late,
        ended=injector.ended,
    )


_RUNNING = "SELECT count(*) FROM game WHERE status = 'running'"
_UNFINISHED = """
SELECT (SELECT count(*) FROM notification WHERE status = 'pending')
     + (SELECT count(*) FROM game WHERE status = 'running' AND wake_at <= now())
"""


def _shuffled(names: list[str], pick: Pick) -> list[str]:
    return [names.pop(pick(len(names))) for _ in range(len(names))]


def _tracebacks(folder: Path) -> int:
    return sum(log.read_bytes().count(b"Traceback") for log in folder.glob("*.log"))
