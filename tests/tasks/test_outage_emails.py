"""After an outage, each person whose turn it is gets one email with the new deadlines of all games that wait for them."""

from datetime import timedelta

import pytest

from tasks import deadlines, delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE
from tests.support.factories import Guest, deal_game, play_turn
from tests.support.fakes import FakeClock, RecordingTransport, parse_message, text_of
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.mail.queries import opt_outs
from webapp.mail.queries.opt_outs import TokenRow
from webapp.operations import maintenance, processes
from webapp.operations.maintenance import OutageCause

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def slugs(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    recording_transport: RecordingTransport,
) -> list[str]:
    """Two games that wait for Alice, who has got the emails about them."""
    slugs = [deal_game(database, guests) for _ in range(2)]
    delivery.deliver(worker)
    assert ("your-turn", ALICE.address) in recording_transport.sent()
    recording_transport.emails.clear()
    return slugs


def end_outage(worker: WorkerContext, clock: FakeClock, *, cause: OutageCause = "server") -> None:
    """Let an outage end after three hours, and let workers move all deadlines and send what is due."""
    began_at = clock()
    clock.move(3 * HOUR)
    with transaction(worker.database) as tx:
        assert maintenance.record_outage(tx, cause=cause, began_at=began_at, ended_at=clock())
        processes.record_sweep(tx, swept_at=clock())
    worker.heartbeats.note_sweep(clock())
    deadlines.sweep_deadlines(worker)
    clock.move(MINUTE)


def sent_emails(worker: WorkerContext, transport: RecordingTransport) -> list[str]:
    """Return the texts of the emails about moved deadlines that are sent now, with their recipients' addresses in front."""
    delivery.deliver(worker)
    return [
        f"{parse_message(email.message)['To']} {text_of(parse_message(email.message))}"
        for email in transport.emails
        if b"Feedback-ID: deadlines-moved" in email.message
    ]


def test_one_email_lists_all_games_that_wait_for_a_person(
    worker: WorkerContext,
    slugs: list[str],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    end_outage(worker, clock)
    [email] = sent_emails(worker, recording_transport)
    assert ALICE.address in email.partition("\n")[0]
    assert "Our server was down from" in email
    assert all(f"[{slug}]" in email for slug in slugs)
    assert sent_emails(worker, recording_transport) == [email]


def test_email_outage_is_named(
    worker: WorkerContext,
    slugs: list[str],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    end_outage(worker, clock, cause="email")
    [email] = sent_emails(worker, recording_transport)
    assert "send any email from" in email
    assert slugs


def test_game_in_which_the_turn_was_taken_meanwhile_is_not_listed(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slugs: list[str],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    end_outage(worker, clock)
    play_turn(database, slugs[0], guests[0], now=clock())
    [email] = sent_emails(worker, recording_transport)
    assert f"[{slugs[0]}]" not in email
    assert f"[{slugs[1]}]" in email


def test_no_email_is_sent_if_no_game_waits_any_more(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    slugs: list[str],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    end_outage(worker, clock)
    for slug in slugs:
        play_turn(database, slug, guests[0], now=clock())
    assert sent_emails(worker, recording_transport) == []


def test_game_whose_email_is_still_to_be_sent_is_not_listed(
    worker: WorkerContext,
    database: Database,
    guests: list[Guest],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    deal_game(database, guests)
    end_outage(worker, clock)
    assert sent_emails(worker, recording_transport) == []


def test_game_whose_emails_a_person_has_stopped_is_not_listed(
    worker: WorkerContext,
    database: Database,
    slugs: list[str],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    with transaction(database) as tx:
        game_id = tx.connection.exec_driver_sql(
            "SELECT id FROM game WHERE slug = %s", (slugs[0],)
        ).scalar_one()
        opt_outs.opt_out(tx.at(NOON), TokenRow(b"hash", ALICE.address.lower(), "game", game_id))
    end_outage(worker, clock)
    [email] = sent_emails(worker, recording_transport)
    assert f"[{slugs[0]}]" not in email


def test_second_outage_gets_its_own_email(
    worker: WorkerContext,
    slugs: list[str],
    clock: FakeClock,
    recording_transport: RecordingTransport,
) -> None:
    for _ in range(2):
        end_outage(worker, clock)
    assert len(sent_emails(worker, recording_transport)) == 2
    assert slugs
