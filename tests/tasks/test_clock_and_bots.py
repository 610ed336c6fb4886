import logging
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tasks import audit, bots, deadlines, delivery, housekeeping
from tasks.context import WorkerContext, transport_for, worker_context_for
from tests.support.cast import ALICE, BOB
from tests.support.factories import DAY, Guest, deal_game, open_table, stored_game, table_settings
from tests.support.fakes import Outbox, Passing, Recording
from tests.support.statements import recorded_statements
from webapp.config import settings_from
from webapp.mail.maildir import MaildirTransport
from webapp.mail.smtp import SmtpTransport
from webapp.services.accounts.sessions import SESSION_LIFETIME
from webapp.services.tx import Database


class Nudges:
    def __init__(self) -> None:
        self.heard: list[str] = []

    def __call__(self, nudges: Collection[str]) -> None:
        self.heard += nudges


def test_who_is_late_is_played_for_and_the_next_is_told(
    context: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    clock: Passing,
    recording: Recording,
) -> None:
    nudges = Nudges()
    clock.now += DAY + timedelta(seconds=1)
    deadlines.sweep(replace(context, nudge=nudges))
    assert stored_game(database, slug, guests[0]).row.awaiting == 1
    assert nudges.heard == ["emails"]
    delivery.deliver(context)
    assert ("your-turn", BOB.address) in recording.sent()
    assert ("your-turn", ALICE.address) not in recording.sent()


def test_a_reminder_comes_once_at_four_fifths_of_the_time(
    context: WorkerContext, slug: str, clock: Passing, recording: Recording, outbox: Outbox
) -> None:
    delivery.deliver(context)
    clock.now += DAY * 0.8 - timedelta(seconds=1)
    deadlines.sweep(context)
    assert outbox.rows("reminder") == []
    clock.now += timedelta(seconds=1)
    for _ in range(3):
        deadlines.sweep(context)
        delivery.deliver(context)
    assert [sent for sent in recording.sent() if sent[0] == "reminder"] == [
        ("reminder", ALICE.address)
    ]


def test_where_nothing_is_due_the_clock_asks_once_and_opens_no_transaction(
    context: WorkerContext, slug: str
) -> None:
    with recorded_statements(context.database) as said:
        deadlines.sweep(context)
    assert len(said) == 1
    assert "BEGIN" not in said


def test_a_sweep_stops_when_it_is_told_to(
    context: WorkerContext, slug: str, clock: Passing
) -> None:
    clock.now += 2 * DAY
    nudges = Nudges()
    deadlines.sweep(replace(context, is_stopping=lambda: True, nudge=nudges))
    assert nudges.heard == []


def test_bots_play_until_a_person_is_on_turn(
    context: WorkerContext, database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:1], table_settings(seats=5, starter=1))
    assert stored_game(database, slug, guests[0]).row.awaiting == 1
    nudges = Nudges()
    bots.play(replace(context, nudge=nudges))
    game = stored_game(database, slug, guests[0])
    assert game.row.awaiting == 0
    assert game.seq == 4
    assert "emails" in nudges.heard


def test_no_warning_while_all_is_well(
    context: WorkerContext, slug: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        housekeeping.report_delays(context)
    assert caplog.text == ""


def test_what_waits_too_long_stands_in_the_log(
    context: WorkerContext, slug: str, clock: Passing, caplog: pytest.LogCaptureFixture
) -> None:
    clock.now += 2 * DAY
    housekeeping.report_delays(context)
    assert "A letter has been owed for 2 days" in caplog.text
    assert "A deadline passed 1 day" in caplog.text


def test_who_asked_to_sign_in_long_ago_is_forgotten(
    context: WorkerContext, outbox: Outbox, guests: list[Guest], clock: Passing
) -> None:
    housekeeping.delete_expired(context)
    assert outbox.count("sign_in") == outbox.count("session") == len(guests)
    clock.now += 3 * DAY
    housekeeping.delete_expired(context)
    assert (outbox.count("sign_in"), outbox.count("session")) == (0, len(guests))
    clock.now += SESSION_LIFETIME
    housekeeping.delete_expired(context)
    assert outbox.count("session") == 0


@pytest.mark.parametrize(
    "smtp_url, kind", [("", MaildirTransport), ("smtp://127.0.0.1:9", SmtpTransport)]
)
def test_the_settings_choose_how_letters_leave(
    smtp_url: str, kind: type[object], tmp_path: Path
) -> None:
    settings = settings_from({"SMTP_URL": smtp_url, "DATA_DIR": str(tmp_path)})
    assert isinstance(transport_for(settings), kind)


def test_a_real_workshop_is_put_together_and_closed(database_url: str, tmp_path: Path) -> None:
    settings = settings_from(
        {"DATABASE_URL": database_url, "SECRET_KEY": "k" * 32, "DATA_DIR": str(tmp_path)}
    )
    context = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
    delivery.deliver(context)
    deadlines.sweep(context)
    bots.play(context)
    housekeeping.report_delays(context)
    assert 0 <= context.pick(6) < 6
    context.close()


def test_the_audit_looks_at_every_game_and_stops_when_it_is_told_to(
    context: WorkerContext, slug: str, outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    outbox.say("UPDATE game SET state = 'x'")
    audit.run(replace(context, is_stopping=lambda: True))
    assert caplog.text == ""
    audit.run(context)
    assert f"The snapshot of game {slug}" in caplog.text
    assert outbox.count("audit") == 1


def test_the_audit_leaves_the_rest_of_the_games_for_later(
    context: WorkerContext, database: Database, guests: list[Guest], clock: Passing, outbox: Outbox
) -> None:
    for _ in range(3):
        open_table(database, guests[0])

    def passing() -> datetime:
        clock.now += timedelta(seconds=7)
        return clock.now

    audit.run(replace(context, now=passing), limit=1)
    assert outbox.count("audit WHERE ended_at IS NULL") == 1
    for _ in range(3):
        audit.run(replace(context, now=passing), limit=1)
    assert outbox.count("audit WHERE ended_at > begun_at") == 1
