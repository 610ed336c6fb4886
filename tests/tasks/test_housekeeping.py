import logging
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tasks import housekeeping
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import DAY, Guest, open_table, seat_guest, sign_in_by_email
from tests.support.fakes import FakeClock, Outbox
from tests.support.transactions import transaction
from tests.support.volunteers import game_with_open_seat, sign_in_volunteer
from webapp.accounts.security_log import SecurityEventKind, record
from webapp.accounts.sessions import SESSION_LIFETIME
from webapp.kernel.tx import Database
from webapp.operations import maintenance


def test_nothing_is_logged_while_nothing_is_delayed(
    worker: WorkerContext, slug: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        housekeeping.report_delays(worker)
    assert caplog.text == ""


def test_delayed_emails_and_deadlines_are_logged(
    worker: WorkerContext, slug: str, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    clock.now += 2 * DAY
    housekeeping.report_delays(worker)
    assert "An email has been pending for 2 days" in caplog.text
    assert "A deadline passed 1 day" in caplog.text


def test_many_wrong_codes_on_the_whole_site_are_logged_once_an_hour(
    worker: WorkerContext, database: Database, outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    # Each has used one code with the right digits.
    for character in (ALICE, BOB, CAROL):
        sign_in_by_email(database, character)
    outbox.execute("UPDATE sign_in SET tries = 34")
    housekeeping.report_wrong_codes(worker)
    assert caplog.text == ""
    outbox.execute("UPDATE sign_in SET tries = tries + 1 WHERE address = :a", a=BOB.address)
    for _ in range(2):
        housekeeping.report_wrong_codes(worker)
    assert caplog.messages == ["100 wrong sign-in codes were typed within an hour."]


def test_old_sign_ins_and_expired_sessions_are_deleted(
    worker: WorkerContext, database: Database, outbox: Outbox, clock: FakeClock
) -> None:
    guests = [sign_in_by_email(database, character) for character in (ALICE, BOB, CAROL)]
    housekeeping.delete_expired(worker)
    assert outbox.count("sign_in") == outbox.count("session") == len(guests)
    clock.now += 3 * DAY
    housekeeping.delete_expired(worker)
    assert (outbox.count("sign_in"), outbox.count("session")) == (0, len(guests))
    clock.now += SESSION_LIFETIME
    housekeeping.delete_expired(worker)
    assert outbox.count("session") == 0


def test_old_events_of_the_security_log_are_deleted(
    worker: WorkerContext, database: Database, outbox: Outbox, clock: FakeClock
) -> None:
    with transaction(database, clock.now) as tx:
        record(tx, SecurityEventKind.SIGN_IN, account_id=None)
    earlier_count = outbox.count("security_event")
    clock.now += 364 * DAY
    housekeeping.delete_expired(worker)
    assert outbox.count("security_event") == earlier_count
    clock.now += 2 * DAY
    housekeeping.delete_expired(worker)
    assert outbox.count("security_event") == 0


def test_audit_checks_every_game_unless_the_worker_is_stopping(
    worker: WorkerContext, slug: str, outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    outbox.execute("UPDATE game SET state = 'x'")
    housekeeping.run_audit(replace(worker, is_stopping=lambda: True))
    assert caplog.text == ""
    housekeeping.run_audit(worker)
    assert slug in caplog.text
    assert outbox.count("audit") == 1


def test_audit_leaves_the_remaining_games_to_its_next_start(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    clock: FakeClock,
    outbox: Outbox,
) -> None:
    for _ in range(3):
        open_table(database, guests[0])

    def advance_seven_seconds() -> datetime:
        clock.now += timedelta(seconds=7)
        return clock.now

    hurried_worker = replace(worker, now=advance_seven_seconds)
    housekeeping.run_audit(hurried_worker, limit=1)
    assert outbox.count("audit WHERE completed_at IS NULL") == 1
    for _ in range(3):
        housekeeping.run_audit(hurried_worker, limit=1)
    assert outbox.count("audit WHERE completed_at > started_at") == 1


def test_volunteers_are_informed_of_open_seats_unless_the_worker_is_stopping(
    worker: WorkerContext, database: Database, guests: list[Guest], outbox: Outbox
) -> None:
    sign_in_volunteer(database, DAVE)
    for _ in range(2):
        game_with_open_seat(database, guests)
    housekeeping.inform_volunteers(replace(worker, is_stopping=lambda: True))
    assert outbox.rows("open-seats") == []
    housekeeping.inform_volunteers(worker)
    assert len(outbox.rows("open-seats")) == 1


def test_game_that_fails_does_not_keep_volunteers_from_hearing_of_others(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    outbox: Outbox,
    caplog: pytest.LogCaptureFixture,
) -> None:
    sign_in_volunteer(database, DAVE)
    broken_slug, sound_slug = (game_with_open_seat(database, guests) for _ in range(2))
    outbox.execute(
        "UPDATE game SET late_rules = late_rules || '{\"lowest_reliability\": 1e300}'"
        " WHERE slug = :slug",
        slug=broken_slug,
    )
    housekeeping.inform_volunteers(worker)
    assert len(outbox.rows("open-seats")) == 1
    assert "No one was informed of the open seat in game" in caplog.text
    sound_game = f"(SELECT id FROM game WHERE slug = '{sound_slug}')"
    assert outbox.count(f"seat WHERE informed_volunteers = 1 AND game_id = {sound_game}") == 1


def test_ready_checks_end_in_time_but_not_while_the_site_is_closed(
    worker: WorkerContext, database: Database, guests: list[Guest], clock: FakeClock, outbox: Outbox
) -> None:
    slug = open_table(database, guests[0])
    for guest in guests[1:]:
        seat_guest(database, slug, guest)
    clock.now += 2 * DAY
    housekeeping.end_ready_checks(worker)
    assert len(outbox.rows("ready-check")) == 6
    clock.now += 2 * DAY
    with transaction(database, clock.now) as tx:
        maintenance.begin(tx)
    housekeeping.end_ready_checks(worker)
    assert outbox.rows("ready-check-missed") == []
    outbox.execute("DELETE FROM maintenance")
    housekeeping.end_ready_checks(worker)
    assert len(outbox.rows("ready-check-missed")) == 3
