"""A player whom no email about the turn has reached gets the whole time again, and no strike."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import insert, select, text, update

from tests.support.acts import ledger_acts, recipients
from tests.support.calls import mark_calls_sent
from tests.support.factories import DAY, Guest, deal_game, play_turn, stored_game
from tests.support.late_games import emails_of_kinds, set_late_rules
from tests.support.statements import recorded_statements
from tests.support.transactions import NOON, transaction
from webapp.clock.schema import DeadlineEvent
from webapp.clock.sweep import SweepResult, sweep
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.mail.outbox.delivery import claim
from webapp.mail.schema import Notification, StoredMessage
from webapp.play.queries.rows import SeatRow


def sweep_without_emails(database: Database, now: datetime) -> SweepResult:
    with transaction(database, now) as tx:
        return sweep(tx)


def settle_calls(database: Database, status: str, *, reason: str | None = None) -> None:
    """Let every waiting email about a turn end this way."""
    with transaction(database) as tx:
        tx.execute(
            update(Notification)
            .where(Notification.kind.in_(("dealt", "your-turn")), Notification.status == "pending")
            .values(status=status, reason=reason, settled_at=Notification.first_due_at)
        )


def events_of_kinds(database: Database, *kinds: str) -> list[tuple[str, str, datetime | None]]:
    query = (
        select(DeadlineEvent.kind, DeadlineEvent.cause, DeadlineEvent.deadline_at)
        .where(DeadlineEvent.kind.in_(kinds))
        .order_by(DeadlineEvent.id)
    )
    with transaction(database) as tx:
        return [(row[0], row[1], row[2]) for row in tx.execute(query)]


def first_seat(database: Database, slug: str, guests: list[Guest]) -> SeatRow:
    return stored_game(database, slug, guests[1]).row.seats[0]


def test_player_whose_call_waits_at_the_deadline_gets_the_whole_time_again(
    database: Database, guests: list[Guest], slug: str
) -> None:
    result = sweep_without_emails(database, NOON + DAY)
    row = stored_game(database, slug, guests[0]).row
    assert (result.expired_count, row.seq, row.seats[0].strikes) == (0, row.turn_seq, 0)
    assert (row.turn_started_at, row.deadline_at) == (NOON + DAY, NOON + 2 * DAY)
    assert row.remind_at == NOON + DAY + DAY * 0.8 == row.wake_at
    events = events_of_kinds(database, "undelivered", "missed")
    assert events == [("undelivered", "pending", NOON + 2 * DAY)]


def test_second_sweep_gives_no_more_time(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for _ in range(2):
        sweep_without_emails(database, NOON + DAY)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + 2 * DAY
    assert len(events_of_kinds(database, "undelivered")) == 1


def test_waiting_email_is_composed_again_for_the_new_deadline(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        ids = list(tx.execute(select(Notification.id)).scalars())
        rows = [{"notification_id": each, "message": b"with the old deadline"} for each in ids]
        tx.execute(insert(StoredMessage), rows)
    sweep_without_emails(database, NOON + DAY)
    with transaction(database) as tx:
        query = select(Notification.kind).join(StoredMessage)
        assert "your-turn" not in tx.execute(query).scalars().all()


def test_no_email_is_sent_with_the_old_deadline_while_the_new_one_is_written(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database, NOON + DAY) as tx:
        sweep(tx)
        with transaction(database, NOON + DAY) as other_tx:
            claims = claim(other_tx)
    assert "your-turn" not in {each.kind for each in claims}
    with transaction(database, NOON + DAY) as tx:
        assert "your-turn" in {each.kind for each in claim(tx)}


def test_fourth_deadline_in_a_row_is_played_without_a_strike_and_the_others_get_an_email(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    with transaction(database) as tx:
        tx.execute(update(Seat).values(bank=timedelta(hours=5)))
    for days in (1, 2, 3):
        assert sweep_without_emails(database, NOON + days * DAY).expired_count == 0
    assert sweep_without_emails(database, NOON + 4 * DAY).expired_count == 1
    seat = first_seat(database, slug, guests)
    alice, bob, carol = (guest.person.id for guest in guests)
    assert (seat.strikes, seat.account_id, seat.bank) == (0, alice, timedelta(hours=5))
    assert events_of_kinds(database, "missed") == [("missed", "undelivered", NOON + 4 * DAY)]
    assert emails_of_kinds(database, "turn-missed") == [("turn-missed", alice, 0)]
    assert ledger_acts(database) == ["play-neutral"]
    assert sorted(filter(None, recipients(database))) == [bob, carol]


def test_turn_that_the_player_takes_ends_the_row_of_uncalled_deadlines(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for days in (1, 2, 3):
        sweep_without_emails(database, NOON + days * DAY)
    for guest in guests:
        play_turn(database, slug, guest, now=NOON + 3 * DAY)
    assert sweep_without_emails(database, NOON + 4 * DAY).expired_count == 0
    assert events_of_kinds(database, "missed") == []


def test_player_whose_call_was_refused_gets_the_time_again_and_another_email(
    database: Database, guests: list[Guest], slug: str
) -> None:
    settle_calls(database, "failed")
    sweep_without_emails(database, NOON + DAY)
    assert stored_game(database, slug, guests[0]).row.deadline_at == NOON + 2 * DAY
    assert events_of_kinds(database, "undelivered") == [("undelivered", "failed", NOON + 2 * DAY)]
    calls = [email for email in emails_of_kinds(database, "your-turn") if email[2] != 0]
    assert calls == [("your-turn", guests[0].person.id, int((NOON + DAY).timestamp()))]


def test_seat_opens_without_a_strike_when_the_second_call_is_refused_too(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug, limit=3)
    for days in (1, 2):
        settle_calls(database, "failed")
        sweep_without_emails(database, NOON + days * DAY)
    seat = first_seat(database, slug, guests)
    assert (seat.is_free, seat.strikes) == (True, 0)
    assert [event[:2] for event in events_of_kinds(database, "opened", "missed")] == [
        ("opened", "undelivered")
    ]
    assert ledger_acts(database) == ["open-seat"]
    assert emails_of_kinds(database, "seat-opened") == [("seat-opened", guests[0].person.id, 0)]
    assert sweep_without_emails(database, NOON + 2 * DAY).expired_count == 1


def test_turn_is_played_without_a_strike_at_a_table_whose_seats_never_open(
    database: Database, guests: list[Guest], slug: str
) -> None:
    for days in (1, 2):
        settle_calls(database, "failed")
        sweep_without_emails(database, NOON + days * DAY)
    assert first_seat(database, slug, guests).account_id == guests[0].person.id
    assert first_seat(database, slug, guests).strikes == 0
    assert [event[1] for event in events_of_kinds(database, "missed")] == ["undelivered"]


def test_call_that_waits_after_one_that_was_refused_gives_time_as_a_waiting_one(
    database: Database, guests: list[Guest], slug: str
) -> None:
    set_late_rules(database, slug)
    settle_calls(database, "failed")
    for days in (1, 2):
        sweep_without_emails(database, NOON + days * DAY)
    causes = [event[1] for event in events_of_kinds(database, "undelivered")]
    assert causes == ["failed", "pending"]


@pytest.mark.parametrize(
    "status,reason", [("sent", None), ("dropped", "unsubscribed"), ("dropped", "moved-on")]
)
def test_email_that_was_sent_or_is_not_wanted_counts_as_delivered(
    database: Database, guests: list[Guest], slug: str, status: str, reason: str | None
) -> None:
    settle_calls(database, status, reason=reason)
    assert sweep_without_emails(database, NOON + DAY).expired_count == 1
    assert first_seat(database, slug, guests).strikes == 1
    assert events_of_kinds(database, "undelivered") == []


def test_reminder_that_was_sent_counts_as_a_call(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert sweep_without_emails(database, NOON + DAY * 0.8).reminded_count == 1
    with transaction(database) as tx:
        tx.execute(text("UPDATE notification SET status = 'sent' WHERE kind = 'reminder'"))
    sweep_without_emails(database, NOON + DAY)
    assert first_seat(database, slug, guests).strikes == 1


def test_emails_of_the_other_players_do_not_matter(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        tx.execute(
            update(Notification)
            .where(Notification.account_id == guests[0].person.id)
            .values(status="sent")
        )
    sweep_without_emails(database, NOON + DAY)
    assert first_seat(database, slug, guests).strikes == 1


def test_open_seat_needs_no_call(database: Database, guests: list[Guest], slug: str) -> None:
    with transaction(database) as tx:
        tx.execute(update(Seat).where(Seat.number == 0).values(account_id=None))
    assert sweep_without_emails(database, NOON + DAY).expired_count == 1


def test_one_statement_reads_the_calls_of_all_games(
    database: Database, guests: list[Guest], slug: str
) -> None:
    deal_game(database, guests)
    mark_calls_sent(database)
    with recorded_statements(database) as statements:
        assert sweep_without_emails(database, NOON + DAY).expired_count == 2
    assert len([statement for statement in statements if "LATERAL" in statement]) == 1
