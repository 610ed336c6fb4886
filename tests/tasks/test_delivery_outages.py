"""Deliveries while relay, database or worker fail: nothing is lost, and almost nothing is sent twice."""

import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tasks import delivery
from tasks.context import WorkerContext
from tests.support.cast import BOB
from tests.support.factories import Guest, play_turn
from tests.support.failing_delivery import (
    DEALT_EMAILS,
    EMAILS_OF_A_DEAL,
    SlowComposer,
    refuse_emails_with,
)
from tests.support.fakes import FakeClock, Outbox, RecordingTransport
from tests.support.transactions import NOON
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import LEASE_DURATION
from webapp.mail.relay import ANSWER_TIMEOUT_SECONDS
from webapp.mail.smtp import ANSWER_COUNT_AFTER_MAIL_FROM
from webapp.mail.transport import AmbiguousFailure, RenderedEmail, TransientFailure, Unreachable

ROOT = Path(__file__).parents[2]


@pytest.mark.no_cover
def test_email_that_is_refused_for_five_days_fails(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    full_mailbox = TransientFailure("452 4.2.2 full")
    recording_transport.before_sending = refuse_emails_with(full_mailbox, kind="dealt")
    attempt_count = 0
    while "pending" in outbox.statuses():
        delivery.deliver(worker)
        clock.now += timedelta(hours=1)
        attempt_count += 1
    assert {row.status for row in outbox.rows("dealt")} == {"failed"}
    assert 120 <= attempt_count <= 130


@pytest.mark.no_cover
def test_email_that_may_have_arrived_each_time_is_not_retried_for_ever(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    timeout = AmbiguousFailure("timed out")
    recording_transport.before_sending = refuse_emails_with(timeout, kind="dealt")
    last_attempt_at = clock.now + timedelta(days=7)
    while clock.now < last_attempt_at:
        delivery.deliver(worker)
        clock.now += timedelta(minutes=10)
    assert {row.status for row in outbox.rows("dealt")} == {"failed"}


def test_old_email_survives_a_relay_that_is_away_and_then_busy(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    outbox.execute("UPDATE notification SET first_due_at = first_due_at - interval '9 days'")
    away, busy = Unreachable("ConnectionRefusedError: refused"), TransientFailure("450 greylisted")
    for failure in (away, busy):
        recording_transport.before_sending = refuse_emails_with(failure, kind="dealt")
        delivery.deliver(worker)
        clock.now += timedelta(minutes=2)
    recording_transport.before_sending = lambda _: None
    delivery.deliver(worker)
    assert recording_transport.sent() == EMAILS_OF_A_DEAL


def test_unreachable_relay_is_tried_once_and_costs_one_attempt(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    refused_emails: list[RenderedEmail] = []

    def raise_unreachable(email: RenderedEmail) -> None:
        refused_emails.append(email)
        raise Unreachable("ConnectionRefusedError: refused")

    recording_transport.before_sending = raise_unreachable
    delivery.deliver(worker)
    assert len(refused_emails) == 1
    assert sorted(row.attempts for row in outbox.rows()) == [0, 0, 0, 1]
    assert {row.lease_until for row in outbox.rows()} == {None}

    recording_transport.before_sending = lambda _: None
    clock.now += timedelta(seconds=30)
    delivery.deliver(worker)
    assert recording_transport.sent() == EMAILS_OF_A_DEAL


def test_message_is_not_sent_when_its_lease_could_expire_meanwhile(
    worker: WorkerContext, slug: str, recording_transport: RecordingTransport, clock: FakeClock
) -> None:
    is_in_time_by_elapsed_time: dict[timedelta, bool] = {}

    def ask_whether_in_time(email: RenderedEmail) -> None:
        latest_start = LEASE_DURATION - delivery.MIN_LEASE_TO_SEND
        for wait in (timedelta(), latest_start, timedelta(seconds=1)):
            clock.now += wait
            is_in_time_by_elapsed_time[clock.now - NOON] = email.is_within_lease()
        raise Unreachable("only asked")

    recording_transport.before_sending = ask_whether_in_time
    delivery.deliver(worker)
    longest_sending = timedelta(seconds=ANSWER_TIMEOUT_SECONDS * ANSWER_COUNT_AFTER_MAIL_FROM)
    assert longest_sending <= delivery.MIN_LEASE_TO_SEND
    assert list(is_in_time_by_elapsed_time.values()) == [True, True, False]


def test_email_is_not_begun_when_its_lease_could_expire_meanwhile(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    remaining_leases: list[timedelta] = []

    def record_leases(_: RenderedEmail) -> None:
        remaining_leases.extend(
            row.lease_until - clock.now for row in outbox.rows() if row.lease_until
        )

    recording_transport.before_sending = record_leases
    delivery.deliver(replace(worker, composer=SlowComposer(worker.composer, clock)))
    assert recording_transport.sent() == EMAILS_OF_A_DEAL
    assert min(remaining_leases) >= delivery.MIN_LEASE_TO_BEGIN
    assert outbox.statuses() == {"sent"}


def test_emails_behind_a_slow_one_are_prepared_again(
    worker: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    def take_six_seconds(_: RenderedEmail) -> None:
        clock.now += timedelta(seconds=6)
        if len(recording_transport.emails) == 1:
            play_turn(database, slug, guests[0], now=clock.now)

    recording_transport.after_sending = take_six_seconds
    delivery.deliver(worker)
    assert recording_transport.sent() == [*DEALT_EMAILS, ("your-turn", BOB.address)]
    assert outbox.statuses() == {"sent", "dropped"}


def test_emails_to_a_fast_relay_are_prepared_once(
    worker: WorkerContext,
    slug: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
) -> None:
    def take_one_second(_: RenderedEmail) -> None:
        clock.now += timedelta(seconds=1)

    leases: set[datetime | None] = set()
    recording_transport.before_sending = lambda _: leases.update(
        row.lease_until for row in outbox.rows()
    )
    recording_transport.after_sending = take_one_second
    delivery.deliver(worker)
    assert recording_transport.sent() == EMAILS_OF_A_DEAL
    assert leases == {NOON + LEASE_DURATION}


@pytest.mark.usefixtures("slug")
@pytest.mark.parametrize("step", ["claimed", "prepared", "stored", "sent"])
def test_worker_killed_between_two_steps_loses_no_email(
    step: str,
    worker: WorkerContext,
    database_url: str,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    clock: FakeClock,
    tmp_path: Path,
) -> None:
    sent_file = tmp_path / "sent"
    killed_process = subprocess.run(
        [sys.executable, "-m", "tests.tasks.dying_worker", database_url, step, str(sent_file)],
        cwd=ROOT,
        check=False,
    )
    assert killed_process.returncode == 9
    assert outbox.statuses() == {"pending"}
    delivery.deliver(worker)
    assert recording_transport.emails == [], "the lease has not expired"

    clock.now += LEASE_DURATION + timedelta(seconds=1)
    delivery.deliver(worker)
    assert recording_transport.sent() == EMAILS_OF_A_DEAL
    assert outbox.statuses() == {"sent"}
    sent_messages = set(sent_file.read_bytes().split(b"\0")[:-1]) if sent_file.exists() else set()
    assert len(sent_messages) == (step == "sent")
    assert sent_messages <= {email.message for email in recording_transport.emails}
