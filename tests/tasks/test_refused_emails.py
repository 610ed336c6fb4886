"""Refusals that are about the server and not about the recipient: emails wait, deadlines too, and the log says why."""

import logging
from datetime import timedelta

import pytest

from tasks import deadlines, delivery
from tasks.context import WorkerContext
from tests.support.factories import DAY, Guest, play_turn, stored_game
from tests.support.failing_delivery import EMAILS_OF_A_DEAL, refuse_emails_with
from tests.support.fakes import FakeClock, Outbox, RecordingTransport
from tests.support.outages import write_heartbeat
from tests.support.transactions import NOON
from webapp.kernel.tx import Database
from webapp.mail.transport import (
    DeliveryFailure,
    PermanentFailure,
    RenderedEmail,
    SystemRefusal,
    TransientFailure,
)

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
RELAYING_DENIED = SystemRefusal("554 5.7.1 Relay access denied")
POLICY_REFUSAL = PermanentFailure("554 Transaction failed (12ab)")


def refuse_all(failure: DeliveryFailure, transport: RecordingTransport) -> None:
    def refuse(_: RenderedEmail) -> None:
        raise failure

    transport.before_sending = refuse


def work_for(worker: WorkerContext, clock: FakeClock, time: timedelta) -> None:
    """Let a worker deliver emails and look at deadlines every ten minutes."""
    for _ in range(time // (10 * MINUTE)):
        clock.now += 10 * MINUTE
        delivery.deliver(worker)
        deadlines.sweep_deadlines(worker)
        write_heartbeat(worker)


@pytest.mark.parametrize("failure", [RELAYING_DENIED, POLICY_REFUSAL])
def test_emails_survive_a_relay_that_refuses_everyone_and_no_deadline_runs_out(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    failure: DeliveryFailure,
) -> None:
    refuse_all(failure, recording_transport)
    work_for(worker, clock, DAY + 3 * HOUR)
    calls = outbox.rows("dealt") + outbox.rows("your-turn")
    assert {row.status for row in calls} == {"pending"}
    recording_transport.before_sending = lambda _: None
    work_for(worker, clock, 2 * HOUR)
    calls = outbox.rows("dealt") + outbox.rows("your-turn")
    assert {row.status for row in calls} == {"sent"}
    row = stored_game(database, slug, guests[0]).row
    assert (row.seq, row.seats[0].strikes) == (0, 0)
    assert row.deadline_at is not None
    assert row.deadline_at >= NOON + 2 * DAY + 2 * HOUR


def test_one_account_that_is_refused_stops_no_clock_and_is_logged_once_an_hour(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    caplog: pytest.LogCaptureFixture,
) -> None:
    delivery.deliver(worker)
    play_turn(database, slug, guests[0], now=NOON)
    recording_transport.before_sending = refuse_emails_with(RELAYING_DENIED, kind="your-turn")
    with caplog.at_level(logging.ERROR, logger="tasks.failed_deliveries"):
        for _ in range(8):
            clock.now += 30 * MINUTE
            delivery.deliver(worker)
    assert outbox.count("outage") == 0
    assert [row.status for row in outbox.rows("your-turn")] == ["sent", "pending"]
    # Once an hour for its cause, in four hours.
    assert len(caplog.messages) == 4
    assert "Relay access denied" in caplog.text


def test_refusal_counts_after_its_email_was_superseded(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
    outbox: Outbox,
) -> None:
    delivery.deliver(worker)
    refuse_all(RELAYING_DENIED, recording_transport)
    for seat, outage_count in ((0, 0), (1, 1)):
        play_turn(database, slug, guests[seat], now=clock.now)
        clock.move(MINUTE)
        delivery.deliver(worker)
        assert outbox.count("outage") == outage_count
    assert [row.status for row in outbox.rows("your-turn")] == ["sent", "dropped", "pending"]


def test_two_people_with_addresses_that_do_not_exist_are_no_outage(
    worker: WorkerContext,
    slug: str,
    clock: FakeClock,
    recording_transport: RecordingTransport,
    outbox: Outbox,
) -> None:
    unknown = [guest for _, guest in EMAILS_OF_A_DEAL[:2]]

    def refuse_unknown(email: RenderedEmail) -> None:
        if email.recipient in unknown:
            raise PermanentFailure("550 5.1.1 no such user")

    recording_transport.before_sending = refuse_unknown
    delivery.deliver(worker)
    assert sorted(row.status for row in outbox.rows()) == ["failed", "failed", "failed", "sent"]
    assert outbox.count("outage") == 0


def test_dead_email_is_logged_with_its_cause(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    caplog: pytest.LogCaptureFixture,
) -> None:
    recording_transport.before_sending = refuse_emails_with(
        PermanentFailure("550 5.1.1 <alice@example.test>: no such user"), kind="your-turn"
    )
    with caplog.at_level(logging.ERROR, logger="tasks.failed_deliveries"):
        delivery.deliver(worker)
    row = outbox.only_row("your-turn")
    assert caplog.messages == [
        f"Email {row.id} (your-turn) is given up: 550 5.1.1 <(address)>: no such user"
    ]


def test_email_that_is_given_up_after_many_attempts_is_logged(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    outbox.execute("UPDATE notification SET attempts = 130 WHERE kind = 'your-turn'")
    recording_transport.before_sending = refuse_emails_with(
        TransientFailure("452 4.2.2 mailbox full"), kind="your-turn"
    )
    with caplog.at_level(logging.ERROR, logger="tasks.failed_deliveries"):
        delivery.deliver(worker)
    assert outbox.only_row("your-turn").status == "failed"
    assert "is given up: 452 4.2.2 mailbox full" in caplog.text


def test_cause_of_delays_is_logged_once_an_hour(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    refuse_all(TransientFailure("452 4.2.2 mailbox full"), recording_transport)
    with caplog.at_level(logging.WARNING, logger="tasks.failed_deliveries"):
        for _ in range(6):
            delivery.deliver(worker)
            clock.now += 9 * MINUTE
        assert len(caplog.messages) == 1
        clock.now += 9 * MINUTE
        delivery.deliver(worker)
    assert len(caplog.messages) == 2
    assert "Emails are delayed (recipient)" in caplog.text
