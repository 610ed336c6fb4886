"""The time for which absences stop a clock is counted once, however turns are restarted, ended and taken back."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.services.clock.test_returned_players import TODAY, go_away
from tests.services.clock.test_running_turns import deal, row_of
from tests.services.operations.test_maintenance import record_and_shift
from tests.services.play.test_turn_events import events_of, sweep_at
from tests.services.play.test_undelivered_turns import sweep_without_emails
from tests.support.acts import perform_act
from tests.support.factories import DAY, Guest, play_turn
from tests.support.transactions import NOON, transaction
from webapp.pace.calendar import Interval
from webapp.pace.late_rules import LateRules, late_rules_json
from webapp.rights import GameRight
from webapp.services.clock.absences import start_holiday
from webapp.services.clock.local_times import LocalPeriod
from webapp.services.play.clock_reading import row_with_absence_time
from webapp.services.play.turn_clock import TurnClock
from webapp.services.play.turn_events import TakenTurn, clocks_after, turn_start_event
from webapp.services.play.undone_turns import row_without_turns
from webapp.services.tx import Database
from webapp.store.clock.undone_turns import TurnStartOrEndRow
from webapp.store.play.rows import GameRow, SeatRow

ALICE_ID = 7
CAPPED_RULES = LateRules(absence="stop", absence_cap=3 * DAY)


def hours(count: int) -> timedelta:
    return timedelta(hours=count)


def game_with_absences(hours_away: set[int], cap: timedelta) -> GameRow:
    """Return a game that waits for Alice since noon, who is away in these hours after it."""
    away = tuple(Interval(NOON + hours(hour), NOON + hours(hour + 1)) for hour in hours_away)
    fields: dict[str, Any] = dict.fromkeys(SeatRow.__struct_fields__)
    alice = SeatRow(**fields | {"number": 0, "account_id": ALICE_ID, "strikes": 0, "away": away})
    fields = dict.fromkeys(GameRow.__struct_fields__)
    rules = late_rules_json(LateRules(absence="stop", absence_cap=cap))
    fields |= {"awaiting": 0, "seats": (alice,), "allowance": DAY, "late_rule_fields": rules}
    return GameRow(**fields | {"turn_seq": 0, "turn_started_at": NOON, "deadline_at": NOON})


def start_of_turn(row: GameRow) -> TurnStartOrEndRow:
    """Return the beginning of Alice's turn, as a rewind reads it."""
    clock = TurnClock(turn_seq=row.turn_seq, started_at=NOON, deadline_at=NOON)
    event = turn_start_event(row, clock, 0, "player", cause="", now=NOON)
    assert event is not None
    return TurnStartOrEndRow(
        **{name: getattr(event, name) for name in TurnStartOrEndRow.__struct_fields__}
    )


@given(
    st.sets(st.integers(0, 40), max_size=25),
    st.integers(0, 30),
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=8),
    st.integers(0, 8),
)
def test_used_time_is_what_absences_have_stopped(
    hours_away: set[int], cap: int, turns: list[tuple[int, bool]], rewound_turn: int
) -> None:
    row, hour, used_before = game_with_absences(hours_away, hours(cap)), 0, [hours(0)]
    starts = [start_of_turn(row)]
    for length, is_restarted in turns:
        hour += length
        end = NOON + hours(hour)
        if is_restarted:
            row = row_with_absence_time(row, 0, until=end)
        else:
            row = clocks_after(row, [TakenTurn(0, "clock", row.turn_seq)], now=end).row
        row = replace(row, turn_started_at=end, turn_seq=row.turn_seq + 1)
        used_hours = len([hour_away for hour_away in hours_away if hour_away < hour])
        assert row.seats[0].absence_used == hours(min(used_hours, cap))
        starts.append(start_of_turn(row))
        used_before.append(row.seats[0].absence_used)
    rewound_turn = min(rewound_turn, len(turns))
    rewound_row = row_without_turns(row, starts[rewound_turn:])
    assert rewound_row.seats[0].absence_used == used_before[rewound_turn]


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
