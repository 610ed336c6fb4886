"""The email to volunteers about open seats: it lists what its recipient may take when it is sent, or is dropped."""

from datetime import UTC, datetime, time, timedelta

import pytest

from tests.support.cast import DAVE, ERIN
from tests.support.factories import Guest, open_table, sign_in_guest, stored_game
from tests.support.late_games import take_seat
from tests.support.outbox_steps import collect_email, collect_emails, dropped_reasons
from tests.support.transactions import NOON, transaction
from tests.support.turn_ends import store_turn_ends
from tests.support.volunteers import (
    game_with_open_seat,
    inform_all_volunteers,
    sign_in_volunteer,
    want_open_seats,
)
from webapp.clock.email_times import TypedQuietHours, change_quiet_hours
from webapp.kernel.tx import Database
from webapp.lobby.emails.open_seats import OpenSeatsContext
from webapp.lobby.volunteers import is_volunteer
from webapp.mail.outbox.delivery import claim
from webapp.mail.outbox.unsubscribe import resubscribe, unsubscribe, unsubscribe_page
from webapp.mail.preparation import OutgoingEmail, prepare_emails

HOUR = timedelta(hours=1)


@pytest.fixture
def dave(database: Database) -> Guest:
    return sign_in_volunteer(database, DAVE)


def announced_seat(database: Database, guests: list[Guest]) -> str:
    """Let a seat open, and queue the emails about it."""
    slug = game_with_open_seat(database, guests)
    inform_all_volunteers(database)
    return slug


def context_of(email: OutgoingEmail) -> OpenSeatsContext:
    assert isinstance(email.context, OpenSeatsContext)
    return email.context


def assert_dropped(database: Database, reason: str) -> None:
    assert collect_emails(database, kind="open-seats") == []
    assert dropped_reasons(database, "open-seats") == [reason]


def test_email_lists_all_seats_that_are_open_when_it_is_sent(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    first_slug = announced_seat(database, guests)
    later_slug = game_with_open_seat(database, guests, now=NOON + HOUR)
    email = collect_email(database, "open-seats", now=NOON + HOUR)
    context = context_of(email)
    assert email.address == DAVE.address
    assert [seat.slug for seat in context.seats] == [first_slug, later_slug]
    assert context.envelope.list_id is None
    assert context.envelope.root_id is None


def test_email_says_nothing_of_who_left_and_of_no_card(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    slug = announced_seat(database, guests)
    [seat] = context_of(collect_email(database, "open-seats")).seats
    row = stored_game(database, slug, guests[1]).row
    assert {field: getattr(seat, field) for field in seat.__struct_fields__} == {
        "game_id": row.id,
        "slug": slug,
        "host_name": guests[0].person.name,
        "table_name": "",
        "rulebook": row.rulebook,
        "seat_count": 3,
        "round": 1,
        "opened_at": NOON,
        "lowest_reliability": 0,
    }


def test_email_is_dropped_if_the_seat_was_taken_meanwhile(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    slug = announced_seat(database, guests)
    take_seat(database, slug, sign_in_guest(database, ERIN))
    assert_dropped(database, "moved-on")


def test_seat_that_was_taken_meanwhile_is_not_listed(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    taken_slug = announced_seat(database, guests)
    open_slug = game_with_open_seat(database, guests, now=NOON + HOUR)
    take_seat(database, taken_slug, guests[0])
    context = context_of(collect_email(database, "open-seats", now=NOON + HOUR))
    assert [seat.slug for seat in context.seats] == [open_slug]


def test_email_is_dropped_if_its_recipient_has_enough_games_by_then(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    announced_seat(database, guests)
    for _ in range(3):
        open_table(database, dave)
    assert_dropped(database, "moved-on")


def test_seats_for_which_the_recipient_is_not_reliable_enough_are_not_listed(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    slug = announced_seat(database, guests)
    game_with_open_seat(database, guests, lowest_reliability=80)
    store_turn_ends(database, DAVE, ["played"] * 10 + ["missed"] * 10)
    [seat] = context_of(collect_email(database, "open-seats")).seats
    assert seat.slug == slug


def test_email_is_dropped_if_its_recipient_wants_none_any_more(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    announced_seat(database, guests)
    want_open_seats(database, dave, wants_open_seats=False)
    assert_dropped(database, "unsubscribed")


def test_one_click_turns_the_setting_off_and_another_on_again(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    announced_seat(database, guests)
    token = context_of(collect_email(database, "open-seats")).envelope.unsubscribe.seats
    assert token is not None
    with transaction(database) as tx:
        assert unsubscribe_page(tx, token).scope == "seats"
        assert not unsubscribe_page(tx, token).is_unsubscribed
        assert unsubscribe(tx, token).is_unsubscribed
        assert unsubscribe(tx, token).is_unsubscribed
        assert not is_volunteer(tx, dave.person)
        assert not resubscribe(tx, token).is_unsubscribed
        assert is_volunteer(tx, dave.person)


def test_address_that_has_stopped_all_email_gets_none(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    announced_seat(database, guests)
    with transaction(database) as tx:
        claims = claim(tx, limit=1000)
        outgoing = prepare_emails(tx, claims)
        [email] = [email for email in outgoing if email.claim.kind == "open-seats"]
        token = context_of(email).envelope.unsubscribe.everything
        assert token is not None
        unsubscribe(tx, token)
    later = NOON + HOUR
    assert collect_emails(database, now=later, kind="open-seats") == []
    assert dropped_reasons(database, "open-seats") == ["unsubscribed"]


def test_email_waits_for_the_end_of_quiet_hours(
    database: Database, guests: list[Guest], dave: Guest
) -> None:
    every_day = tuple(range(7))
    quiet = TypedQuietHours(number=1, weekdays=every_day, from_time=time(20), until_time=time(9))
    with transaction(database) as tx:
        change_quiet_hours(tx, dave.person, [quiet])
    announced_seat(database, guests)
    # It is nine in the evening in Tokyo.
    assert collect_emails(database, kind="open-seats") == []
    midnight = datetime.combine(NOON.date() + timedelta(days=1), time(), tzinfo=UTC)
    assert len(collect_emails(database, kind="open-seats", now=midnight)) == 1
