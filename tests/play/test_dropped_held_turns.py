"""Held turns when something else happens: pauses, moved deadlines, other seats, moderators and votes."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from tests.support.acts import perform_act
from tests.support.factories import DAY, Guest, stored_game
from tests.support.held_turns import (
    card_of,
    deadline_events,
    enable_held_turns,
    held_turn_shown_to,
    hold_turn,
    play_held_turn_now,
    run_sweep,
    stored_turn,
    withdraw_held_turn,
)
from tests.support.transactions import NOON, transaction
from webapp.clock.absences import start_holiday
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.pace.pace import LateRules, late_rules_json
from webapp.kernel.refusals import NotAllowed, StaleTurn
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.operations import maintenance
from webapp.play.schema import Game
from webapp.privacy.deletion import delete_account

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
DUE_AT = NOON + 10 * MINUTE
REMINDER_SHARE = NOON + DAY * 0.8


@pytest.fixture
def alice(database: Database, guests: list[Guest], slug: str) -> Guest:
    """Alice, who is on turn and has her turns held for ten minutes."""
    return enable_held_turns(database, guests[0])


def stop_clock_for_absences(database: Database) -> None:
    rules = LateRules(absence="stop", absence_cap=14 * DAY)
    with transaction(database) as tx:
        tx.execute(update(Game).values(late_rules=late_rules_json(rules)))


def declare_holiday_tomorrow(database: Database, guest: Guest) -> None:
    """Declare a holiday that begins after now and ends before the deadline has passed with it."""
    tomorrow = (NOON + DAY).date()
    with transaction(database, NOON + MINUTE) as tx:
        period = LocalPeriod(first_day=tomorrow, last_day=tomorrow)
        start_holiday(tx, guest.person, period)


def shift_after_outage(database: Database, *, since: datetime, until: datetime) -> None:
    with transaction(database, since) as tx:
        maintenance.begin(tx)
    with transaction(database, until) as tx:
        maintenance.end(tx)
    with transaction(database, until) as tx:
        maintenance.shift_next_games(tx)


def assert_held_turn_was_dropped(database: Database, slug: str, alice: Guest) -> None:
    held_turn = held_turn_shown_to(database, slug, alice)
    assert held_turn is not None
    assert held_turn.action is None


def test_pause_drops_the_held_turn_for_good(database: Database, slug: str, alice: Guest) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.PAUSE, now=NOON + MINUTE)
    assert_held_turn_was_dropped(database, slug, alice)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 3 * MINUTE)
    assert_held_turn_was_dropped(database, slug, alice)
    assert run_sweep(database, DUE_AT + 2 * MINUTE).expired_count == 0
    assert stored_game(database, slug, alice).row.wake_at == REMINDER_SHARE + 2 * MINUTE


def test_neutral_action_of_a_moderator_drops_the_held_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.PLAY_NEUTRAL, now=NOON + MINUTE)
    assert_held_turn_was_dropped(database, slug, alice)
    assert run_sweep(database, DUE_AT + MINUTE).expired_count == 0
    with pytest.raises(StaleTurn):
        play_held_turn_now(database, slug, alice, now=DUE_AT)


def test_rewind_drops_the_held_turn(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    play_held_turn_now(database, slug, alice, now=NOON)
    bob = enable_held_turns(database, guests[1])
    card = stored_game(database, slug, alice).state.hands[1][0]
    hold_turn(database, slug, bob, type(card_of(database, slug, alice))(card))
    perform_act(database, slug, GameRight.REWIND, turn=0, now=NOON + MINUTE)
    assert_held_turn_was_dropped(database, slug, bob)
    assert held_turn_shown_to(database, slug, alice) is None
    assert run_sweep(database, DUE_AT + MINUTE).expired_count == 0


def test_held_turn_of_a_player_who_loses_the_seat_is_never_played(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=0, now=NOON + MINUTE)
    assert run_sweep(database, DUE_AT).expired_count == 0


def test_open_seat_of_another_player_leaves_the_held_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=1, now=NOON + MINUTE)
    assert run_sweep(database, DUE_AT).expired_count == 1


def test_bot_for_another_player_drops_the_held_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.SEAT_BOT, seat=1, now=NOON + MINUTE)
    assert_held_turn_was_dropped(database, slug, alice)
    row = stored_game(database, slug, alice).row
    assert (row.awaiting, row.wake_at) == (0, REMINDER_SHARE)


def test_extended_deadline_does_not_move_the_held_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.EXTEND, extra=DAY, now=NOON + MINUTE)
    assert stored_game(database, slug, alice).row.wake_at == DUE_AT
    assert run_sweep(database, DUE_AT).expired_count == 1
    assert stored_turn(database)[1] == "player"


def test_absence_moves_the_deadline_but_not_the_held_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    stop_clock_for_absences(database)
    hold_turn(database, slug, alice)
    declare_holiday_tomorrow(database, alice)
    row = stored_game(database, slug, alice).row
    assert (row.deadline_at, row.wake_at, row.player_changes) == (NOON + 2 * DAY, DUE_AT, 1)
    assert run_sweep(database, DUE_AT).expired_count == 1
    assert ("played", DUE_AT) in deadline_events(database)


def test_turn_withdrawn_after_an_absence_waits_for_the_moved_reminder(
    database: Database, slug: str, alice: Guest
) -> None:
    stop_clock_for_absences(database)
    hold_turn(database, slug, alice)
    declare_holiday_tomorrow(database, alice)
    withdraw_held_turn(database, slug, alice, now=NOON + 2 * MINUTE)
    row = stored_game(database, slug, alice).row
    assert row.remind_at is not None
    assert row.remind_at > REMINDER_SHARE
    assert (row.held_turn, row.wake_at) == (None, row.remind_at)


def test_absence_of_the_next_player_counts_when_a_held_turn_enters(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    stop_clock_for_absences(database)
    hold_turn(database, slug, alice)
    declare_holiday_tomorrow(database, guests[1])
    run_sweep(database, DUE_AT)
    row = stored_game(database, slug, alice).row
    assert (row.awaiting, row.deadline_at) == (1, DUE_AT + 2 * DAY)


def test_turn_held_over_an_outage_enters_after_it_and_is_on_time(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    shift_after_outage(database, since=NOON + 5 * MINUTE, until=NOON + 3 * HOUR)
    row = stored_game(database, slug, alice).row
    assert (row.deadline_at, row.wake_at) == (NOON + DAY + 3 * HOUR - 5 * MINUTE, DUE_AT)
    assert run_sweep(database, NOON + 3 * HOUR).expired_count == 1
    assert stored_turn(database)[1] == "player"
    # By the clock of everyone else: nothing shows that the turn was held, and when it was due.
    assert deadline_events(database)[-3:] == [
        (kind, NOON + 3 * HOUR) for kind in ("shifted", "played", "started")
    ]
    with transaction(database) as tx:
        seat = select(Seat.bank, Seat.strikes, Seat.absence_used).where(Seat.number == 0)
        assert tuple(tx.execute(seat).one()) == (None, 0, None)


def test_deleted_account_leaves_no_held_turn(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    with transaction(database, NOON + MINUTE) as tx:
        delete_account(tx, alice.person, typed_address=alice.person.address)
    row = stored_game(database, slug, guests[1]).row
    assert (row.held_turn, row.seats[0].is_free, row.wake_at) == (None, True, NOON + DAY)
    assert run_sweep(database, DUE_AT).expired_count == 0


def test_account_that_is_deleted_after_its_seat_was_opened_leaves_no_held_turn(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.OPEN_SEAT, seat=0, now=NOON + MINUTE)
    with transaction(database, NOON + MINUTE) as tx:
        delete_account(tx, alice.person, typed_address=alice.person.address)
    assert stored_game(database, slug, guests[1]).row.held_turn is None


def test_cancelled_game_keeps_no_held_turn(database: Database, slug: str, alice: Guest) -> None:
    hold_turn(database, slug, alice)
    perform_act(database, slug, GameRight.CANCEL_GAME, now=NOON + MINUTE)
    assert stored_game(database, slug, alice).row.held_turn is None
    assert held_turn_shown_to(database, slug, alice) is None


def test_paused_game_takes_no_turn_to_hold(database: Database, slug: str, alice: Guest) -> None:
    perform_act(database, slug, GameRight.PAUSE)
    with pytest.raises(NotAllowed):
        hold_turn(database, slug, alice)
