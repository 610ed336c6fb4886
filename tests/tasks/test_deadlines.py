from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import text

from tasks import bot_turns, deadlines, delivery
from tasks.context import WorkerContext
from tests.support.calls import mark_calls_sent
from tests.support.cast import ALICE, BOB
from tests.support.factories import DAY, Guest, deal_game, stored_game, table_settings
from tests.support.fakes import FakeClock, Outbox, RecordingTransport
from tests.support.statements import recorded_statements
from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.operations import maintenance


class RecordedNudges:
    """Keeps the nudges that a job sends."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def __call__(self, nudges: Collection[str]) -> None:
        self.sent += nudges


def test_late_player_is_played_for_and_the_next_one_is_emailed(
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    nudges = RecordedNudges()
    mark_calls_sent(database)
    clock.now += DAY + timedelta(seconds=1)
    deadlines.sweep_deadlines(replace(worker, nudge=nudges))
    assert stored_game(database, slug, guests[0]).row.awaiting == 1
    assert nudges.sent == ["emails"]
    delivery.deliver(worker)
    assert ("your-turn", BOB.address) in recording_transport.sent()
    assert ("your-turn", ALICE.address) not in recording_transport.sent()


def test_reminder_is_sent_once_after_four_fifths_of_the_time(
    worker: WorkerContext,
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
    outbox: Outbox,
) -> None:
    delivery.deliver(worker)
    clock.now += DAY * 0.8 - timedelta(seconds=1)
    deadlines.sweep_deadlines(worker)
    assert outbox.rows("reminder") == []
    clock.now += timedelta(seconds=1)
    for _ in range(3):
        deadlines.sweep_deadlines(worker)
        delivery.deliver(worker)
    assert [sent for sent in recording_transport.sent() if sent[0] == "reminder"] == [
        ("reminder", ALICE.address)
    ]


def test_sweep_with_nothing_due_is_one_statement_without_a_transaction(
    worker: WorkerContext, slug: str
) -> None:
    # The first sweep of a process also asks when a worker swept last.
    deadlines.sweep_deadlines(worker)
    with recorded_statements(worker.database) as statements:
        deadlines.sweep_deadlines(worker)
    assert len(statements) == 1
    assert "BEGIN" not in statements


def test_stopping_worker_sweeps_nothing(worker: WorkerContext, slug: str, clock: FakeClock) -> None:
    clock.now += 2 * DAY
    nudges = RecordedNudges()
    deadlines.sweep_deadlines(replace(worker, is_stopping=lambda: True, nudge=nudges))
    assert nudges.sent == []


def test_bots_play_until_a_person_is_on_turn(
    worker: WorkerContext, database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:1], table_settings(seats=5, starter=1))
    assert stored_game(database, slug, guests[0]).row.awaiting == 1
    nudges = RecordedNudges()
    bot_turns.play_bots(replace(worker, nudge=nudges))
    game = stored_game(database, slug, guests[0])
    assert game.row.awaiting == 0
    assert game.seq == 4
    assert "emails" in nudges.sent


def test_nothing_happens_during_maintenance_and_deadlines_move_afterwards(
    worker: WorkerContext, slug: str, clock: FakeClock
) -> None:
    outage_start, length = clock.now, 3 * DAY
    with transaction(worker.database, outage_start) as tx:
        maintenance.begin(tx)
    clock.now += length
    deadlines.sweep_deadlines(worker)
    bot_turns.play_bots(worker)
    with transaction(worker.database, clock.now) as tx:
        assert maintenance.are_clocks_stopped(tx)
        maintenance.end(tx)
    deadlines.sweep_deadlines(worker)
    with transaction(worker.database) as tx:
        assert not maintenance.are_clocks_stopped(tx)
        row = tx.execute(text("SELECT seq, deadline_at FROM game")).one()
    assert tuple(row) == (0, outage_start + length + DAY)
