"""One chaos run: a deployment, simulated players, one fault after another, a quiet end, and the checks."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from tests.chaos.attendance import Attendance
from tests.chaos.deployment import Deployment, running_deployment, wait_until
from tests.chaos.disk import small_disk
from tests.chaos.evidence import Evidence, read_stored_data
from tests.chaos.faults import FAULTS, MAX_EMAIL_DELAY_SECONDS, FaultInjector
from tests.chaos.history import RuleViolation, find_rule_violations
from tests.chaos.http_browser import HttpBrowser
from tests.chaos.inbox import RelayInbox, acceptances_of
from tests.chaos.long_faults import LongFaults
from tests.chaos.mail_program import MailProgram
from tests.chaos.player_log import PlayerLog
from tests.chaos.players import Player, create_players
from tests.support.page_robot import RandomBelow, seeded_random_below
from webapp.embedded.programs import PostgresPrograms
from webapp.kernel.system_time import utc_now

_LONGEST_OUTAGE_SECONDS = 60.0
_TABLE_COUNT = 3


class RunPlan(NamedTuple):
    """How long faults are injected, with which random seed, and how long each lasts."""

    seconds: float
    seed: str
    fault_seconds: float = 3.0
    outage_seconds: float = _LONGEST_OUTAGE_SECONDS
    tables: int = _TABLE_COUNT
    fault_names: tuple[str, ...] = ()
    """The faults to inject; if empty, all that the deployment allows."""
    min_faults: int = 0
    """How many faults are injected even if that takes longer."""
    max_email_delay_seconds: float = MAX_EMAIL_DELAY_SECONDS


class RunOutcome(NamedTuple):
    """The result of a run."""

    evidence: Evidence
    log: PlayerLog
    injector: FaultInjector
    traceback_count: int
    """The number of tracebacks in the logs of all processes."""
    found_violations: list[RuleViolation]


def run(
    plan: RunPlan, folder: Path, programs: PostgresPrograms, *, report: Callable[[str], None]
) -> RunOutcome:
    """Run in an empty folder; ``report`` is called with a line for each fault."""
    log = PlayerLog()
    with (
        small_disk(folder / "disk") as disk,
        running_deployment(folder, programs, disk=disk) as deployment,
    ):
        attendance, random_below = Attendance(), seeded_random_below(f"faults {plan.seed}")
        injector = FaultInjector(
            deployment,
            random_below,
            LongFaults(deployment, attendance, log, random_below),
            fault_seconds=plan.fault_seconds,
            outage_seconds=plan.outage_seconds,
            max_email_delay_seconds=plan.max_email_delay_seconds,
        )
        with playing_people(deployment, plan, log, attendance):
            _wait_for_games(deployment, plan, log)
            inject_faults_at_random(injector, plan, log, report=report)
        report("quiet: emails and bots finish")
        injector.restart_ended_processes("the last fault")
        wait_until_settled(deployment)
        evidence = collect_evidence(deployment, injector)
        if disk is not None:
            shutil.copy(disk / "postgres.log", folder)
    return RunOutcome(
        evidence, log, injector, _count_tracebacks(folder), find_rule_violations(evidence, log)
    )


def _wait_for_games(deployment: Deployment, plan: RunPlan, log: PlayerLog) -> None:
    """Wait until every table plays. Raises AssertionError with what the players met and the state of the games."""
    try:
        wait_until(lambda: deployment.execute(_COUNT_RUNNING_GAMES) == [(plan.tables,)])
    except TimeoutError as error:
        games = deployment.execute(_SELECT_GAMES)
        raise AssertionError(f"no game begins: {games}, {log.responses}, {log.faults}") from error


@contextmanager
def playing_people(
    deployment: Deployment, plan: RunPlan, log: PlayerLog, attendance: Attendance
) -> Iterator[list[Player]]:
    """Yield the players, signed in and playing; at the end they finish their present step."""
    inbox = RelayInbox(deployment.relay)
    players = create_players(
        lambda: HttpBrowser(deployment.addresses, log),
        log,
        tables=plan.tables,
        random_below_for=lambda address: seeded_random_below(f"{address} {plan.seed}"),
        attendance=attendance,
        mail_program=MailProgram(deployment.mail_port, inbox),
    )
    for player in players:
        player.sign_in(inbox)
    for player in players:
        player.start()
    try:
        yield players
    finally:
        attendance.stop()
        for player in players:
            player.join()


def inject_faults_at_random(
    injector: FaultInjector, plan: RunPlan, log: PlayerLog, *, report: Callable[[str], None]
) -> None:
    """Inject every fault once in random order, and again until the time is over; after each, wait for an acknowledged turn."""
    began_at = time.monotonic()
    names: list[str] = []
    while (
        elapsed_seconds := time.monotonic() - began_at
    ) < plan.seconds or injector.count() < plan.min_faults:
        names = names or _shuffled(_names_to_inject(injector, plan), injector.random_below)
        name = names.pop()
        report(f"{elapsed_seconds:4.0f} s  {name}")
        injector.inject(name)
        _wait_for_acknowledged_turn(injector, log, name)
        time.sleep(injector.random_below(10) / 10)


def _names_to_inject(injector: FaultInjector, plan: RunPlan) -> list[str]:
    return [name for name in injector.names() if name in (plan.fault_names or FAULTS)]


def _wait_for_acknowledged_turn(injector: FaultInjector, log: PlayerLog, name: str) -> None:
    earlier_turn_count = len(log.acknowledged_turns)
    try:
        wait_until(lambda: len(log.acknowledged_turns) > earlier_turn_count)
    except TimeoutError:
        injector.delay_descriptions.append(f"no player could continue after: {name}")


def wait_until_settled(deployment: Deployment) -> None:
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
        wait_until(lambda: deployment.execute(_count_unfinished_work(deployment)) == [(0,)])
    except TimeoutError:
        return
    finally:
        for process in (*deployment.workers, deployment.beat):
            process.stop()


def collect_evidence(deployment: Deployment, injector: FaultInjector) -> Evidence:
    return Evidence(
        stored_data=read_stored_data(
            deployment.url, now=utc_now() + timedelta(seconds=deployment.seconds_ahead)
        ),
        acceptances=acceptances_of(list(deployment.relay.accepted_messages)),
        fault_spans=injector.spans,
        idle_faults=injector.long_faults.idle_faults,
        lost_times=injector.long_faults.lost_times,
        wrong_health_checks=injector.long_faults.probes.wrong_answers,
        expired_turns=injector.expired_turns,
        delay_descriptions=injector.delay_descriptions,
        unexpected_exits=injector.unexpected_exits,
    )


_SELECT_GAMES = """
SELECT status, seq, (SELECT count(*) FROM seat WHERE game_id = game.id AND account_id IS NOT NULL) FROM game
"""
_COUNT_RUNNING_GAMES = "SELECT count(*) FROM game WHERE status = 'running'"


def _count_unfinished_work(deployment: Deployment) -> str:
    return f"""
SELECT (SELECT count(*) FROM notification WHERE status = 'pending')
     + (SELECT count(*) FROM inbound_email WHERE settled_at IS NULL)
     + (SELECT count(*) FROM game
        WHERE status = 'running' AND (awaiting_bot OR wake_at <= {deployment.now_sql}))
"""


def _shuffled(names: list[str], random_below: RandomBelow) -> list[str]:
    return [names.pop(random_below(len(names))) for _ in range(len(names))]


def _count_tracebacks(folder: Path) -> int:
    return sum(log.read_bytes().count(b"Traceback") for log in folder.glob("*.log"))
