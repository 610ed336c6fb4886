"""The time for which absences stop a clock is counted once, however turns are restarted, ended and taken back."""

from datetime import timedelta

import pytest

from tests.clock.test_returned_players import TODAY, go_away
from tests.clock.test_running_turns import deal, row_of
from tests.operations.test_maintenance import record_and_shift
from tests.play.test_turn_events import events_of, sweep_at
from tests.play.test_undelivered_turns import sweep_without_emails
from tests.support.acts import perform_act
from tests.support.factories import DAY, Guest, play_turn
from tests.support.transactions import NOON, transaction
from webapp.clock.absences import start_holiday
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.pace.pace import LateRules
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database

CAPPED_RULES = LateRules(absence="stop", absence_cap=3 * DAY)


def test_restarted_turn_waits_no_longer_for_an_absence_than_the_table_has_chosen(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests, CAPPED_RULES)
    go_away(database, guests[0])
    assert row_of(database, slug, guests).deadline_at == NOON + 4 * DAY
    sweep_without_emails(database, NOON + 4 * DAY)
    row = row_of(database, slug, guests)
    assert (row.awaiting, row.turn_started_at) == (0, NOON + 4 * DAY)
    assert row.deadline_at == NOON + 5 * DAY
    assert row.seats[0].absence_used == 3 * DAY


def test_rewind_takes_back_the_time_that_an_absence_has_used(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests, CAPPED_RULES)
    go_away(database, guests[0])
    sweep_at(database, NOON + 4 * DAY)
    assert row_of(database, slug, guests).seats[0].absence_used == 3 * DAY
    rewound_at = NOON + 5 * DAY
    perform_act(database, slug, GameRight.REWIND, turn=0, now=rewound_at)
    row = row_of(database, slug, guests)
    assert (row.awaiting, row.seats[0].absence_used) == (0, timedelta(0))
    assert row.deadline_at == rewound_at + 4 * DAY


def hours(count: int) -> timedelta:
    return timedelta(hours=count)


@pytest.mark.parametrize("days, hours_away, outage_began_at", [(10, 72, 76), (2, 57, 62)])
def test_outage_does_not_hide_for_how_long_an_absence_has_stopped_the_clock(
    database: Database, guests: list[Guest], days: int, hours_away: int, outage_began_at: int
) -> None:
    slug = deal(database, guests, CAPPED_RULES)
    with transaction(database) as tx:
        period = LocalPeriod(first_day=TODAY, last_day=TODAY + days * DAY)
        start_holiday(tx.at(NOON + hours(1)), guests[0].person, period)
    outage_at = NOON + hours(outage_began_at)
    record_and_shift(database, outage_at, outage_at + hours(2))
    deadline_at = NOON + hours(24 + hours_away + 2)
    assert row_of(database, slug, guests).deadline_at == deadline_at
    play_turn(database, slug, guests[0], now=deadline_at - hours(6))
    assert [event.kind for event in events_of(database, slug)][-2:] == ["played", "started"]
    assert row_of(database, slug, guests).seats[0].absence_used == hours(hours_away)
