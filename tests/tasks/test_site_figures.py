"""Figures that all processes count together: nothing is lost between them, and what waits is not counted twice."""

from dataclasses import replace

import pytest

from tasks.context import WorkerContext
from tasks.failed_deliveries import record_failed_composition, record_failure
from tasks.heartbeats import HEARTBEAT_INTERVAL, Heartbeats
from tests.support.outages import write_heartbeat
from tests.support.outbox_steps import mark_all_sent
from tests.support.transactions import NOON, read_only, transaction
from webapp.kernel.tx import Database, Tx
from webapp.mail.outbox import delivery
from webapp.mail.transport import (
    AmbiguousFailure,
    DeliveryFailure,
    PermanentFailure,
    SystemRefusal,
    TransientFailure,
    Unreachable,
)
from webapp.operations.site_figures import (
    ATTEMPT_OUTCOMES,
    SiteFigures,
    WorkReport,
    count_games,
    read_figures,
)


def figures(database: Database) -> SiteFigures:
    with read_only(database) as tx:
        return read_figures(tx)


def claim_one(tx: Tx) -> delivery.Claim:
    return delivery.claim(tx.at(NOON), limit=1)[0]


def test_every_figure_is_known_before_anything_happens(database: Database) -> None:
    found = figures(database)
    assert found.attempts == dict.fromkeys(ATTEMPT_OUTCOMES, 0)
    assert (found.work, found.games, found.turns) == (WorkReport(), None, None)


@pytest.mark.parametrize(
    "failure, outcome",
    [
        (TransientFailure("452 4.2.2 full"), "waits"),
        (SystemRefusal("554 5.7.1 denied"), "refused"),
        (Unreachable("refused"), "unreachable"),
        (AmbiguousFailure("lost"), "unreachable"),
        (PermanentFailure("550 5.1.1 unknown"), "dead"),
    ],
)
def test_failed_attempt_is_counted_by_its_outcome(
    database: Database, slug: str, failure: DeliveryFailure, outcome: str
) -> None:
    with transaction(database) as tx:
        record_failure(tx, claim_one(tx), failure)
    counted = {name: count for name, count in figures(database).attempts.items() if count}
    assert counted == {outcome: 1}


def test_accepted_and_unwritten_emails_are_counted(database: Database, slug: str) -> None:
    with transaction(database) as tx:
        record_failed_composition(tx, claim_one(tx))
        mark_all_sent(tx, delivery.claim(tx, limit=3))
    attempts = figures(database).attempts
    assert (attempts["not-composed"], attempts["accepted"]) == (1, 3)


def test_rolled_back_outcome_is_not_counted(database: Database, slug: str) -> None:
    with transaction(database) as tx:
        mark_all_sent(tx, delivery.claim(tx, limit=3))
        tx.connection.rollback()
    assert figures(database).attempts["accepted"] == 0


def test_work_of_all_workers_adds_up(worker: WorkerContext, database: Database) -> None:
    other = replace(worker, heartbeats=Heartbeats("elsewhere:7"))
    for each in (worker, other):
        with each.heartbeats.counted_sweep(worker.now):
            each.heartbeats.note_task(has_failed=False)
        each.heartbeats.note_task(has_failed=True)
        write_heartbeat(each)
    later = replace(worker, now=lambda: NOON + HEARTBEAT_INTERVAL)
    write_heartbeat(later)
    assert figures(database).work == WorkReport(sweeps=2, tasks_done=2, tasks_failed=2)


def test_counting_games_replaces_the_last_count(database: Database, slug: str) -> None:
    for _ in range(2):
        with transaction(database) as tx:
            count_games(tx)
    found = figures(database)
    assert found.games is not None
    assert {status: count for status, count in found.games.items() if count} == {"running": 1}
    assert found.turns == 1
