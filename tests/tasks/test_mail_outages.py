"""While workers can't reach the relay no deadline runs out; afterwards all of them move once by as much."""

from datetime import timedelta

import pytest

from tasks import deadlines, delivery
from tasks.context import WorkerContext
from tests.support.calls import mark_calls_sent
from tests.support.factories import DAY, Guest, play_turn, stored_game
from tests.support.fakes import FakeClock, RecordingTransport
from tests.support.held_turns import enable_held_turns, hold_turn
from tests.support.outages import write_heartbeat
from tests.support.transactions import NOON
from webapp.kernel.tx import Database
from webapp.mail.transport import RenderedEmail, Unreachable

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def refuse_connection(_: RenderedEmail) -> None:
    raise Unreachable("connection refused")


def work_for(worker: WorkerContext, clock: FakeClock, time: timedelta) -> None:
    """Let a worker deliver emails and sweep deadlines every five minutes."""
    for _ in range(time // (5 * MINUTE)):
        clock.now += 5 * MINUTE
        delivery.deliver(worker)
        deadlines.sweep_deadlines(worker)
        write_heartbeat(worker)


@pytest.mark.no_cover
def test_no_player_is_late_because_of_an_outage_of_email(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    recording_transport.before_sending = refuse_connection
    work_for(worker, clock, DAY + 3 * HOUR)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + DAY
    recording_transport.before_sending = lambda _: None
    work_for(worker, clock, 2 * HOUR)
    row = stored_game(database, slug, guests[0]).row
    assert (row.seq, row.seats[0].strikes) == (0, 0)
    assert row.deadline_at is not None
    assert NOON + 2 * DAY + 3 * HOUR <= row.deadline_at <= NOON + 2 * DAY + 5 * HOUR
    assert "your-turn" in [kind for kind, _ in recording_transport.sent()]


def test_held_turn_enters_during_an_outage_of_email(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    recording_transport.before_sending = refuse_connection
    alice = enable_held_turns(database, guests[0])
    hold_turn(database, slug, alice)
    work_for(worker, clock, 20 * MINUTE)
    assert stored_game(database, slug, guests[0]).row.awaiting == 1


def test_player_who_was_called_before_an_outage_of_email_gets_its_time_too(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    play_turn(database, slug, guests[0], now=NOON)
    mark_calls_sent(database)
    play_turn(database, slug, guests[1], now=NOON)
    recording_transport.before_sending = refuse_connection
    work_for(worker, clock, 6 * HOUR)
    recording_transport.before_sending = lambda _: None
    work_for(worker, clock, 2 * HOUR)
    deadline_at = stored_game(database, slug, guests[2]).row.deadline_at
    assert deadline_at is not None
    assert deadline_at >= NOON + DAY + 5 * HOUR
