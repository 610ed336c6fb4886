"""A player who takes a turn while away is back in that game, and a pause uses up none of the time for which absences stop a clock."""

from datetime import timedelta

from sqlalchemy import select

from tests.clock.test_running_turns import deal, period_of_day, row_of
from tests.play.test_turn_events import events_of, sweep_at
from tests.support.acts import perform_act
from tests.support.factories import DAY, Guest, play_turn
from tests.support.transactions import NOON, transaction
from webapp.clock.absences import declare_future_absence, start_holiday
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.pace.pace import LateRules
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat

HOUR = timedelta(hours=1)
TODAY = NOON.date()


def go_away(database: Database, guest: Guest, days: int = 50) -> None:
    with transaction(database) as tx:
        period = LocalPeriod(first_day=TODAY, last_day=TODAY + days * DAY)
        start_holiday(tx, guest.person, period)


def test_turn_that_is_taken_while_away_ends_the_absence_in_that_game(
    database: Database, guests: list[Guest]
) -> None:
    slug, other_slug = deal(database, guests), deal(database, guests)
    go_away(database, guests[0])
    for number, guest in enumerate(guests):
        play_turn(database, slug, guest, now=NOON + number * HOUR)
    row = row_of(database, slug, guests)
    assert (row.awaiting, row.deadline_at) == (0, NOON + 2 * HOUR + DAY)
    assert row.seats[0].away is None
    assert row_of(database, other_slug, guests).seats[0].away is not None


def test_turn_that_is_missed_after_playing_while_away_counts(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests, LateRules(absence="neutral"))
    go_away(database, guests[0])
    for number, guest in enumerate(guests):
        play_turn(database, slug, guest, now=NOON + number * HOUR)
    sweep_at(database, NOON + 2 * HOUR + DAY)
    assert row_of(database, slug, guests).seats[0].strikes == 1
    missed_event = next(event for event in events_of(database, slug) if event.kind == "missed")
    assert missed_event.cause == ""


def test_absence_that_begins_after_the_turn_still_counts(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    go_away(database, guests[0], days=0)
    with transaction(database) as tx:
        declare_future_absence(tx, guests[0].person, period_of_day(TODAY + DAY))
    for number, guest in enumerate(guests):
        play_turn(database, slug, guest, now=NOON + number * HOUR)
    assert row_of(database, slug, guests).deadline_at == NOON + 2 * HOUR + 2 * DAY


def test_pause_uses_up_none_of_the_time_for_which_absences_stop_the_clock(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests, LateRules(absence="stop", absence_cap=2 * DAY))
    go_away(database, guests[0])
    assert row_of(database, slug, guests).deadline_at == NOON + 3 * DAY
    perform_act(database, slug, GameRight.PAUSE, now=NOON + DAY)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 11 * DAY)
    assert row_of(database, slug, guests).deadline_at == NOON + 13 * DAY
    sweep_at(database, NOON + 13 * DAY)
    with transaction(database) as tx:
        used_times = select(Seat.absence_used).where(Seat.number == 0)
        assert tx.execute(used_times).scalar_one() == 2 * DAY


def test_substitute_has_not_returned_from_anywhere(database: Database, guests: list[Guest]) -> None:
    slug = deal(database, guests)
    go_away(database, guests[0])
    play_turn(database, slug, guests[0], now=NOON + HOUR)
    assert row_of(database, slug, guests).seats[0].returned_at == NOON + HOUR
    perform_act(database, slug, GameRight.SEAT_BOT, seat=0, now=NOON + 2 * HOUR)
    assert row_of(database, slug, guests[1:]).seats[0].returned_at is None
