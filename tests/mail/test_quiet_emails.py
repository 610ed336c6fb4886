"""Emails wait for the end of their recipient's quiet hours, unless that is too late."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from tests.support.acts import site_moderator
from tests.support.calls import forget_emails_about_deals
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    play_turn,
    request_sign_in_email,
    sign_in_guest,
)
from tests.support.outbox_steps import collect_emails, dropped_reasons
from tests.support.statements import recorded_statements, without_begin_and_commit
from tests.support.transactions import NOON, transaction
from webapp.clock.email_times import TypedQuietHours, change_quiet_hours
from webapp.clock.pace.calendar import PlayingTime
from webapp.clock.pace.reminders import ReminderPreferences, quiet_until
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import claim, postpone
from webapp.mail.preparation import MAX_QUIET_WAIT, prepare_emails
from webapp.mail.schema import Notification
from webapp.moderation.causes import WaitCause
from webapp.moderation.dashboard import DashboardQuery, dashboard
from webapp.operations import health
from webapp.operations.queries import outages

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
ALL_DAYS = tuple(range(7))
NIGHT = NOON + 10 * HOUR
"""An instant of the night in Kyiv, where Bob lives: midnight, two hours later than in UTC."""
MORNING = NOON + 17 * HOUR
"""Seven o'clock in Kyiv."""


def set_quiet_hours(
    database: Database, guest: Guest, *times: tuple[int, int], weekdays: tuple[int, ...] = ALL_DAYS
) -> None:
    quiet = [
        TypedQuietHours(
            number=number, weekdays=weekdays, from_time=time(begins), until_time=time(ends)
        )
        for number, (begins, ends) in enumerate(times, 1)
    ]
    with transaction(database) as tx:
        change_quiet_hours(tx, guest.person, quiet)


@pytest.fixture
def bob(database: Database, guests: list[Guest]) -> Guest:
    """Bob, who wants no emails between ten in the evening and seven in the morning."""
    set_quiet_hours(database, guests[1], (22, 7))
    return guests[1]


def start_turn_of_bob(database: Database, guests: list[Guest], now: datetime = NIGHT) -> str:
    slug = deal_game(database, guests)
    collect_emails(database, now=NOON, kind="none")
    forget_emails_about_deals(database)
    play_turn(database, slug, guests[0], now=now)
    return slug


def row_of_turn_email(database: Database) -> Notification:
    with transaction(database) as tx:
        query = select(Notification.__table__).where(Notification.kind == "your-turn")
        rows = tx.execute(query.order_by(Notification.id.desc()))
        return rows.first()  # type: ignore[return-value] # its columns have the same names


def test_turn_email_waits_for_the_end_of_quiet_hours(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    start_turn_of_bob(database, guests)
    for now in (NIGHT, NIGHT + HOUR, MORNING - MINUTE):
        assert collect_emails(database, now=now) == []
    row = row_of_turn_email(database)
    assert (row.status, row.attempts, row.lease_until, row.reason) == ("pending", 0, None, None)
    assert (row.first_due_at, row.due_at, row.quiet_until) == (NIGHT, MORNING, MORNING)
    [email] = collect_emails(database, now=MORNING)
    assert (email.claim.kind, email.address) == ("your-turn", bob.person.address)


def test_email_outside_of_quiet_hours_and_of_people_without_any_goes_out_at_once(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    slug = start_turn_of_bob(database, guests, now=NOON)
    assert len(collect_emails(database, now=NOON, kind="your-turn")) == 1
    play_turn(database, slug, bob, now=NIGHT)
    [email] = collect_emails(database, now=NIGHT, kind="your-turn")
    assert email.address == guests[2].person.address


def test_turn_email_is_not_postponed_beyond_the_deadline(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    slug = start_turn_of_bob(database, guests)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql(
            "UPDATE game SET deadline_at = %s WHERE slug = %s", (MORNING, slug)
        )
    assert len(collect_emails(database, now=NIGHT, kind="your-turn")) == 1


def test_postponed_email_that_is_superseded_is_dropped(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    slug = start_turn_of_bob(database, guests)
    assert collect_emails(database, now=NIGHT) == []
    play_turn(database, slug, bob, now=NIGHT + HOUR)
    assert collect_emails(database, now=MORNING, kind="none") == []
    assert dropped_reasons(database, "your-turn") == ["moved-on"]


def test_account_emails_are_sent_in_quiet_hours(database: Database, bob: Guest) -> None:
    with transaction(database) as tx:
        request_sign_in_email(tx, BOB, now=NIGHT)
    [email] = collect_emails(database, now=NIGHT)
    assert (email.claim.kind, email.address) == ("sign-in", bob.person.address)


def test_dealt_email_waits_and_quiet_hours_that_never_end_only_delay_it(
    database: Database, guests: list[Guest]
) -> None:
    set_quiet_hours(database, guests[1], (0, 14), (12, 2))
    deal_game(database, guests)
    assert guests[1].person.address not in {
        email.address for email in collect_emails(database, now=NOON)
    }
    received_emails = [
        email.claim.kind
        for hours in range(1, MAX_QUIET_WAIT // HOUR + 1)
        for email in collect_emails(database, now=NOON + hours * HOUR)
        if email.address == guests[1].person.address
    ]
    assert "dealt" in received_emails


def test_email_that_was_refused_for_days_waits_for_the_end_of_a_night(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    deal_game(database, guests)
    for email in collect_emails(database, now=NOON):
        if email.address == bob.person.address:
            with transaction(database) as tx:
                postpone(tx, email.claim, code="452")
    received_emails = [
        (hours, email.claim.kind)
        for hours in (0, 7)
        for email in collect_emails(database, now=NIGHT + timedelta(days=5, hours=hours))
        if email.address == bob.person.address
    ]
    assert received_emails == [(7, "dealt")]


def test_refused_email_is_not_tried_again_in_quiet_hours(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    begins = NIGHT - 2 * HOUR - MINUTE
    start_turn_of_bob(database, guests, now=begins)
    [email] = collect_emails(database, now=begins, kind="your-turn")
    with transaction(database, begins) as tx:
        postpone(tx, email.claim, code="451")
    assert collect_emails(database, now=NIGHT) == []
    row = row_of_turn_email(database)
    assert (row.attempts, row.reason, row.first_due_at) == (1, "451", begins)
    assert [
        found_emails.claim.attempts for found_emails in collect_emails(database, now=MORNING)
    ] == [2]


def test_postponed_email_is_not_late_and_no_outage(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    start_turn_of_bob(database, guests)
    assert unsent_age(database, NIGHT + 2 * HOUR) == 2 * HOUR
    assert collect_emails(database, now=NIGHT) == []
    for now, age in [(NIGHT + 2 * HOUR, 0 * HOUR), (MORNING, 0 * HOUR), (MORNING + HOUR, HOUR)]:
        assert unsent_age(database, now) == age
        assert mail_stuck_since(database, now) == (MORNING if age else None)


def unsent_age(database: Database, now: datetime) -> timedelta:
    """Return the age of the oldest email as both the health page and the health strip show it."""
    with transaction(database, now) as tx:
        oldest_email_seconds = health.site_health(tx).oldest_email.now
        age = health.backlog(tx).oldest_unsent_email
    assert oldest_email_seconds == (age or 0 * HOUR).total_seconds()
    return age or 0 * HOUR


def mail_stuck_since(database: Database, now: datetime) -> datetime | None:
    with transaction(database) as tx:
        return outages.mail_stuck_since(tx.at(now), max_delay=HOUR)


def test_game_whose_email_waits_for_quiet_hours_is_not_stuck(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    start_turn_of_bob(database, guests)
    assert dashboard_causes(database, NIGHT + HOUR) == [(WaitCause.EMAIL_NOT_SENT, True)]
    assert collect_emails(database, now=NIGHT) == []
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE notification SET reason = '451'")
    assert dashboard_causes(database, NIGHT + HOUR) == [(WaitCause.EMAIL_QUEUED, False)]
    assert dashboard_causes(database, MORNING + HOUR) == [(WaitCause.EMAIL_DELAYED, True)]


def dashboard_causes(database: Database, now: datetime) -> list[tuple[WaitCause, bool]]:
    mo = site_moderator(database)
    with transaction(database, now) as tx:
        lines = dashboard(tx, mo.person, DashboardQuery()).lines
    return [(line.cause, line.is_stuck) for line in lines]


def test_postponing_takes_one_statement_for_all_emails(
    database: Database, guests: list[Guest], bob: Guest
) -> None:
    statement_counts = []
    for game_count in (1, 3):
        for _ in range(game_count):
            start_turn_of_bob(database, guests)
        with recorded_statements(database) as statements, transaction(database, NIGHT) as tx:
            outgoing = prepare_emails(tx, claim(tx))
        assert outgoing == ()
        statement_counts.append(len(without_begin_and_commit(statements)))
    # Claim, read, games, recent turns, table talk, what readers have seen, opt-outs and the postponement; no unsubscribe tokens.
    assert statement_counts == [8, 8]


@pytest.mark.parametrize(
    "evening, begins, ends, end",
    [
        # 29 March 2026: at three the clocks go forward to four.
        (datetime(2026, 3, 28, 22, tzinfo=UTC), time(22), time(7), time(4)),
        (datetime(2026, 3, 28, 22, tzinfo=UTC), time(22), time(3, 30), time(1)),
        # 25 October 2026: at four they go back to three; what comes twice ends with the second time.
        (datetime(2026, 10, 24, 22, tzinfo=UTC), time(22), time(7), time(5)),
        (datetime(2026, 10, 24, 22, tzinfo=UTC), time(22), time(3, 30), time(1, 30)),
    ],
)
def test_quiet_hours_end_by_the_clock_on_the_wall_when_it_changes(
    evening: datetime, begins: time, ends: time, end: time
) -> None:
    night = PlayingTime(zone="Europe/Kyiv", opens=begins, closes=ends)
    expected = datetime.combine(evening.date() + DAY, end, UTC)
    wishes = ReminderPreferences(quiet=(night,))
    assert quiet_until(evening, wishes) == expected
    assert quiet_until(expected - MINUTE, wishes) == expected
    assert quiet_until(expected, wishes) is None


@pytest.mark.parametrize(
    "night", [datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC)]
)
def test_no_email_is_sent_in_the_quiet_hours_of_a_night_with_a_changing_clock(
    database: Database, night: datetime
) -> None:
    guests = [sign_in_guest(database, character, now=night) for character in (ALICE, BOB, CAROL)]
    set_quiet_hours(database, guests[1], (22, 7))
    slug = deal_game(database, guests, now=night)
    collect_emails(database, now=night, kind="none")
    play_turn(database, slug, guests[0], now=night + 20 * HOUR)
    for quarter_hours in range(24 * 4):
        now = night + 20 * HOUR + quarter_hours * HOUR / 4
        if found_emails := collect_emails(database, now=now, kind="your-turn"):
            break
    assert [email.address for email in found_emails] == [guests[1].person.address]
    assert now.astimezone(ZoneInfo("Europe/Kyiv")).time() == time(7)
