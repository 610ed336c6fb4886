"""An email about a turn waits while its reader is on the site, and is dropped if they have played."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.calls import forget_emails_about_deals
from tests.support.cast import ALICE, BOB
from tests.support.factories import (
    Guest,
    deal_game,
    play_bots,
    play_turn,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.held_turns import enable_held_turns, hold_turn
from tests.support.outbox_steps import REMINDER_TIME, collect_emails, dropped_reasons, mark_all_sent
from tests.support.plans import change_state
from tests.support.transactions import NOON, transaction
from webapp.accounts.profile import EmailPreferences, change_email_preferences
from webapp.accounts.sessions import record_session_use, sign_out
from webapp.clock.pace.pace import Pace
from webapp.clock.sweep import sweep
from webapp.kernel.tx import Database
from webapp.mail.outbox.delivery import claim
from webapp.mail.preparation import DEFAULT_EMAIL_WAIT, OutgoingEmail
from webapp.mail.queries.pending_emails import oldest_pending_since
from webapp.mail.schema import Notification
from webapp.play.emails.your_turn import MAX_EMAIL_WAIT, SOLO_EMAIL_WAIT

MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
_LAST_EMAIL = ["game-over"]


def open_page(database: Database, guest: Guest, now: datetime) -> None:
    """Let the guest open any page, as the web application records it."""
    with transaction(database, now) as tx:
        record_session_use(tx, guest.cookie)


def turn_emails(database: Database, now: datetime) -> list[OutgoingEmail]:
    """Send all that is due and does not wait, and return the emails about turns."""
    emails = collect_emails(database, now=now, kind="your-turn")
    with transaction(database, now) as tx:
        mark_all_sent(tx, [email.claim for email in emails])
    return emails


def due_times(database: Database) -> list[tuple[datetime, int, datetime | None]]:
    query = select(Notification.due_at, Notification.attempts, Notification.lease_until)
    with transaction(database) as tx:
        rows = tx.execute(query.where(Notification.status == "pending"))
        return [(row[0], row[1], row[2]) for row in rows]


@pytest.fixture
def bob(database: Database, guests: list[Guest], slug: str) -> Guest:
    """Bob, on the site as the turn begins."""
    collect_emails(database, kind="none")
    forget_emails_about_deals(database)
    open_page(database, guests[1], NOON)
    play_turn(database, slug, guests[0])
    return guests[1]


def test_turn_email_waits_until_its_reader_has_been_away_for_five_minutes(
    database: Database, bob: Guest
) -> None:
    assert turn_emails(database, NOON) == []
    assert due_times(database) == [(NOON + DEFAULT_EMAIL_WAIT, 0, None)]
    assert turn_emails(database, NOON + DEFAULT_EMAIL_WAIT - SECOND) == []
    [email] = turn_emails(database, NOON + DEFAULT_EMAIL_WAIT)
    assert email.address == bob.person.address
    assert turn_emails(database, NOON + MAX_EMAIL_WAIT) == []


def test_turn_email_waits_longer_for_a_reader_who_stays_but_at_most_ten_minutes(
    database: Database, bob: Guest
) -> None:
    sent_after = []
    for minutes in range(12):
        open_page(database, bob, NOON + minutes * MINUTE)
        sent_after += [minutes for _ in turn_emails(database, NOON + minutes * MINUTE)]
    assert sent_after == [10]


def test_reader_who_wants_every_email_gets_it_at_once(database: Database, bob: Guest) -> None:
    want_every_email(database, bob)
    assert len(turn_emails(database, NOON)) == 1


def want_every_email(database: Database, guest: Guest) -> None:
    preferences = EmailPreferences(
        wants_link_only=False, wants_every_email=True, moves_need_sign_in=False
    )
    with transaction(database) as tx:
        change_email_preferences(tx, guest.person, preferences)


def test_turn_email_is_dropped_when_its_reader_has_played(
    database: Database, guests: list[Guest], slug: str, bob: Guest
) -> None:
    assert turn_emails(database, NOON) == []
    play_turn(database, slug, bob, now=NOON + MINUTE)
    emails = turn_emails(database, NOON + MAX_EMAIL_WAIT)
    assert [email.address for email in emails] == [guests[2].person.address]
    assert dropped_reasons(database, "your-turn") == ["moved-on"]


def test_turn_email_of_a_reader_who_is_away_or_has_signed_out_goes_out_at_once(
    database: Database, guests: list[Guest], slug: str, bob: Guest
) -> None:
    with transaction(database) as tx:
        sign_out(tx, bob.cookie)
    assert len(turn_emails(database, NOON)) == 1
    open_page(database, guests[2], NOON - DEFAULT_EMAIL_WAIT)
    play_turn(database, slug, sign_in_guest(database, BOB))
    assert len(turn_emails(database, NOON)) == 1


def test_turn_email_that_was_due_long_ago_does_not_wait(database: Database, bob: Guest) -> None:
    open_page(database, bob, NOON + MAX_EMAIL_WAIT)
    assert len(turn_emails(database, NOON + MAX_EMAIL_WAIT)) == 1


def test_other_emails_do_not_wait(database: Database, guests: list[Guest]) -> None:
    for guest in guests:
        open_page(database, guest, NOON)
    deal_game(database, guests)
    kinds = [email.claim.kind for email in collect_emails(database)]
    # The player who begins gets the deal with the email about their turn.
    assert kinds.count("dealt") == 2


def test_email_about_a_short_turn_waits_for_a_tenth_of_its_time(
    database: Database, guests: list[Guest]
) -> None:
    pace = Pace(time_per_turn=timedelta(minutes=15))
    open_page(database, guests[0], NOON)
    deal_game(database, guests, table_settings(pace=pace))
    forget_emails_about_deals(database)
    assert turn_emails(database, NOON) == []
    assert due_times(database) == [(NOON + 1.5 * MINUTE, 0, None)]


def test_waiting_email_is_not_late_and_does_not_move_the_reminder(
    database: Database, slug: str, guests: list[Guest], bob: Guest
) -> None:
    collect_emails(database)
    with transaction(database) as tx:
        assert oldest_pending_since(tx) == NOON + DEFAULT_EMAIL_WAIT
    row = stored_game(database, slug, bob).row
    assert (row.deadline_at, row.remind_at) == (NOON + timedelta(days=1), REMINDER_TIME)


def test_reader_whose_email_waited_is_not_excused_at_the_deadline(
    database: Database, slug: str, bob: Guest
) -> None:
    assert turn_emails(database, NOON) == []
    assert len(turn_emails(database, NOON + DEFAULT_EMAIL_WAIT)) == 1
    with transaction(database, NOON + timedelta(days=1)) as tx:
        sweep(tx)
    assert stored_game(database, slug, bob).row.seats[1].strikes == 1


def test_worker_that_dies_before_it_postpones_an_email_loses_none(
    database: Database, bob: Guest
) -> None:
    with transaction(database) as tx:
        assert len(claim(tx, lease_duration=MINUTE)) == 1
    assert turn_emails(database, NOON + MINUTE - SECOND) == []
    assert turn_emails(database, NOON + MINUTE) == []
    assert len(turn_emails(database, NOON + DEFAULT_EMAIL_WAIT)) == 1


def test_email_waits_for_a_turn_that_its_reader_holds(
    database: Database, guests: list[Guest], slug: str
) -> None:
    enable_held_turns(database, guests[0])
    hold_turn(database, slug, guests[0], now=NOON + 2 * MINUTE)
    assert turn_emails(database, NOON + 2 * MINUTE) == []
    due_at = NOON + 13 * MINUTE
    assert (due_at, 0, None) in due_times(database)
    assert len(turn_emails(database, due_at)) == 1, "unless it was dropped meanwhile"


def test_wait_does_not_depend_on_roles_and_hands(database: Database, slug: str, bob: Guest) -> None:
    waits = []
    for role, card in (("digger", "path-rl"), ("saboteur", "map")):
        change_state(
            database, slug, bob, roles=(role,) * 3, hands=(("map",), (card, card), ("map",))
        )
        turn_emails(database, NOON)
        waits.append(due_times(database))
    assert waits[0] == waits[1]


@pytest.mark.parametrize(
    "time_per_turn, wait",
    [
        (timedelta(days=3), SOLO_EMAIL_WAIT),
        (timedelta(days=1), timedelta(hours=12)),
    ],
)
def test_email_to_a_player_with_bots_only_waits_for_a_day_away_or_half_of_the_turn(
    database: Database, time_per_turn: timedelta, wait: timedelta
) -> None:
    alice = deal_solo_game(database, Pace(time_per_turn=time_per_turn))
    open_page(database, alice, NOON)
    assert turn_emails(database, NOON) == []
    assert turn_emails(database, NOON + wait - SECOND) == []
    assert [email.address for email in turn_emails(database, NOON + wait)] == [alice.person.address]


def deal_solo_game(database: Database, pace: Pace) -> Guest:
    """Deal a game in which Alice begins and bots have the other seats."""
    alice = sign_in_guest(database, ALICE)
    deal_game(database, [alice], table_settings(seats=3, pace=pace, starter=0))
    return alice


def test_email_to_a_player_with_bots_only_waits_longer_if_they_return(database: Database) -> None:
    alice = deal_solo_game(database, Pace(time_per_turn=timedelta(days=3)))
    assert turn_emails(database, NOON) == [], "also of a player who is signed out by now"
    back_at = NOON + SOLO_EMAIL_WAIT - MINUTE
    open_page(database, alice, back_at)
    assert turn_emails(database, NOON + SOLO_EMAIL_WAIT) == []
    assert len(turn_emails(database, NOON + timedelta(days=1.5))) == 1, "half of the turn is over"


def test_player_with_bots_only_who_wants_every_email_gets_it_at_once(database: Database) -> None:
    alice = deal_solo_game(database, Pace(time_per_turn=timedelta(days=3)))
    want_every_email(database, alice)
    assert len(turn_emails(database, NOON)) == 1


@pytest.mark.parametrize("email_wait", [timedelta(), DEFAULT_EMAIL_WAIT])
def test_quick_game_with_bots_sends_no_email_about_turns_unless_none_waits(
    database: Database, email_wait: timedelta
) -> None:
    """The person opens a page and plays twice a minute, and a worker delivers all the time."""
    alice = sign_in_guest(database, ALICE)
    open_page(database, alice, NOON)
    slug = deal_game(database, [alice], table_settings(seats=3))
    now = NOON
    while True:
        play_bots(database, now=now)
        collect_emails(database, now=now, kind="none", email_wait=email_wait)
        if stored_game(database, slug, alice).row.awaiting is None:
            break
        now += 30 * SECOND
        open_page(database, alice, now)
        play_turn(database, slug, alice, now=now)
    collect_emails(database, now=now + MAX_EMAIL_WAIT, kind="none", email_wait=email_wait)
    query = select(Notification.kind).where(Notification.status == "sent")
    with transaction(database) as tx:
        sent_kinds = list(tx.connection.scalars(query))
    assert (len(sent_kinds) > 20) == (not email_wait)
    assert email_wait == timedelta() or sent_kinds == _LAST_EMAIL
