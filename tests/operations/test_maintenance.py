from collections.abc import Callable
from datetime import datetime, time, timedelta

import pytest
from sqlalchemy import text

from tests.support.acts import perform_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import DAY, deal_game, play_turn, sign_in_guests, table_settings
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.pace.pace import Pace
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database, Tx
from webapp.operations import maintenance
from webapp.operations.mail_outages import clock_work
from webapp.operations.maintenance import OutageCause

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
GameTimes = dict[str, tuple[datetime, datetime, datetime]]


def game_times(database: Database) -> GameTimes:
    with transaction(database) as tx:
        rows = tx.execute(text("SELECT slug, turn_started_at, remind_at, deadline_at FROM game"))
        return {row[0]: (row[1], row[2], row[3]) for row in rows}


def shifted_times(earlier_times: tuple[datetime, ...], shift: timedelta) -> tuple[datetime, ...]:
    return tuple(instant + shift for instant in earlier_times)


def in_transaction(database: Database, act: Callable[[Tx], object]) -> None:
    with transaction(database) as tx:
        act(tx)


def shift_all(database: Database, *, limit: int = 200) -> int:
    """Shift batch after batch; return how many there were."""
    batch_count = 1
    while True:
        with transaction(database, NOON + 5 * HOUR) as tx:
            if not maintenance.shift_next_games(tx, limit=limit):
                return batch_count
        batch_count += 1


@pytest.fixture
def slugs(database: Database) -> list[str]:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    return [deal_game(database, guests) for _ in range(3)]


def test_end_of_maintenance_moves_every_deadline_once_by_its_length(
    database: Database, slugs: list[str]
) -> None:
    earlier_times = game_times(database)
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON + HOUR)))
    in_transaction(database, lambda tx: maintenance.end(tx.at(NOON + 3 * HOUR)))
    assert shift_all(database, limit=1) == 4
    assert shift_all(database) == 1
    assert game_times(database) == {
        slug: shifted_times(earlier_times[slug], 2 * HOUR) for slug in slugs
    }


def test_batch_that_is_rolled_back_is_done_again(database: Database, slugs: list[str]) -> None:
    earlier_times = game_times(database)
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON)))
    in_transaction(database, lambda tx: maintenance.end(tx.at(NOON + HOUR)))
    with pytest.raises(ZeroDivisionError):
        in_transaction(
            database,
            lambda tx: (maintenance.shift_next_games(tx.at(NOON), limit=2), 1 // 0),
        )
    shift_all(database)
    assert game_times(database) == {
        slug: shifted_times(earlier_times[slug], HOUR) for slug in slugs
    }


def test_turn_begun_during_maintenance_gets_only_the_time_it_lost(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    running_slug, untouched_slug = deal_game(database, guests), deal_game(database, guests)
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON)))
    play_turn(database, running_slug, guests[0], now=NOON + HOUR)
    in_transaction(database, lambda tx: maintenance.end(tx.at(NOON + 3 * HOUR)))
    play_turn(database, untouched_slug, guests[0], now=NOON + 4 * HOUR)
    earlier_times = game_times(database)
    shift_all(database)
    moved_times = game_times(database)
    assert moved_times[running_slug] == shifted_times(earlier_times[running_slug], 2 * HOUR)
    assert moved_times[untouched_slug] == earlier_times[untouched_slug]


def test_every_maintenance_moves_the_deadlines_by_its_length(
    database: Database, slugs: list[str]
) -> None:
    earlier_times = game_times(database)
    for start in (0, 2):
        in_transaction(database, lambda tx, at=NOON + start * HOUR: maintenance.begin(tx.at(at)))
        in_transaction(
            database, lambda tx, at=NOON + (start + 1) * HOUR: maintenance.end(tx.at(at))
        )
        shift_all(database)
    assert game_times(database) == {
        slug: shifted_times(earlier_times[slug], 2 * HOUR) for slug in slugs
    }


def test_next_maintenance_waits_until_all_deadlines_are_moved(
    database: Database, slugs: list[str]
) -> None:
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON)))
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON + HOUR)))
    in_transaction(database, lambda tx: maintenance.end(tx.at(NOON + 2 * HOUR)))
    with pytest.raises(FieldErrors, match="clocks-shifting"):
        in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON + 3 * HOUR)))
    assert slugs


def test_deadline_that_passed_during_maintenance_does_not_run_out(
    database: Database, slugs: list[str]
) -> None:
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON + 23 * HOUR)))
    in_transaction(database, lambda tx: maintenance.end(tx.at(NOON + 30 * HOUR)))
    shift_all(database)
    with transaction(database) as tx:
        result = sweep_with_calls_sent(tx, now=NOON + 30 * HOUR, random_below=pick_first)
    assert (result.expired_count, result.reminded_count) == (0, len(slugs))
    with transaction(database, NOON + 30 * HOUR) as tx:
        assert not clock_work(tx).is_any_game_due


def test_pause_and_maintenance_at_the_same_time_count_once(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    paused_slug, resumed_slug, twice_paused_slug, late_slug = (
        deal_game(database, guests) for _ in range(4)
    )
    earlier_times = game_times(database)
    for slug in (resumed_slug, late_slug):
        perform_act(database, slug, GameRight.PAUSE, now=NOON + HOUR)
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON + 2 * HOUR)))
    for slug in (paused_slug, twice_paused_slug):
        perform_act(database, slug, GameRight.PAUSE, now=NOON + 3 * HOUR)
    for slug in (resumed_slug, twice_paused_slug):
        perform_act(database, slug, GameRight.RESUME, now=NOON + 4 * HOUR)
    in_transaction(database, lambda tx: maintenance.end(tx.at(NOON + 5 * HOUR)))
    perform_act(database, late_slug, GameRight.RESUME, now=NOON + 6 * HOUR)
    shift_all(database)
    perform_act(database, paused_slug, GameRight.RESUME, now=NOON + 7 * HOUR)
    stopped_times = {
        paused_slug: 5 * HOUR,
        resumed_slug: 4 * HOUR,
        twice_paused_slug: 3 * HOUR,
        late_slug: 5 * HOUR,
    }
    later_times = game_times(database)
    assert {
        slug: later_times[slug][2] - earlier_times[slug][2] for slug in stopped_times
    } == stopped_times


def record_and_shift(
    database: Database, began_at: datetime, ended_at: datetime, cause: OutageCause = "server"
) -> None:
    with transaction(database) as tx:
        assert maintenance.record_outage(tx, cause=cause, began_at=began_at, ended_at=ended_at)
    shift_all(database)


def test_email_outage_around_an_outage_of_the_server_gives_no_time_back_twice(
    database: Database,
) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    old_slug, interrupted_slug, new_slug = (deal_game(database, guests) for _ in range(3))
    play_turn(database, interrupted_slug, guests[0], now=NOON + 4 * HOUR + HOUR / 2)
    earlier_times = game_times(database)
    record_and_shift(database, NOON + 4 * HOUR, NOON + 6 * HOUR)
    play_turn(database, new_slug, guests[0], now=NOON + 7 * HOUR)
    earlier_times[new_slug] = game_times(database)[new_slug]
    record_and_shift(database, NOON + HOUR, NOON + 9 * HOUR, "email")
    later_times = game_times(database)
    assert {slug: later_times[slug][2] - earlier_times[slug][2] for slug in later_times} == {
        old_slug: 8 * HOUR,
        interrupted_slug: 4.5 * HOUR,
        new_slug: 2 * HOUR,
    }


def test_pause_within_an_outage_that_is_known_later_counts_once(database: Database) -> None:
    slug = deal_game(database, sign_in_guests(database, ALICE, BOB, CAROL))
    earlier_deadline = game_times(database)[slug][2]
    perform_act(database, slug, GameRight.PAUSE, now=NOON + 2 * HOUR)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 3 * HOUR)
    record_and_shift(database, NOON + HOUR, NOON + 5 * HOUR, "email")
    assert game_times(database)[slug][2] - earlier_deadline == 4 * HOUR


def test_outage_that_was_given_back_already_is_not_stored(
    database: Database, slugs: list[str]
) -> None:
    record_and_shift(database, NOON, NOON + 3 * HOUR)
    earlier_times = game_times(database)
    record_and_shift(database, NOON + HOUR, NOON + 3 * HOUR + 4 * MINUTE, "email")
    assert game_times(database) == earlier_times
    assert slugs


def test_outage_is_recorded_later_while_clocks_are_shifted(
    database: Database, slugs: list[str]
) -> None:
    earlier_times = game_times(database)
    in_transaction(
        database,
        lambda tx: maintenance.record_outage(
            tx, cause="server", began_at=NOON, ended_at=NOON + HOUR
        ),
    )
    in_transaction(database, lambda tx: maintenance.shift_next_games(tx.at(NOON + HOUR), limit=1))
    with transaction(database) as tx:
        assert not maintenance.record_outage(
            tx, cause="email", began_at=NOON, ended_at=NOON + 2 * HOUR
        )
    shift_all(database)
    record_and_shift(database, NOON, NOON + 2 * HOUR, "email")
    assert game_times(database) == {
        slug: shifted_times(earlier_times[slug], 2 * HOUR) for slug in slugs
    }


def test_outage_before_a_maintenance_that_lasts_is_recorded_later(database: Database) -> None:
    in_transaction(database, lambda tx: maintenance.begin(tx.at(NOON + 2 * HOUR)))
    with transaction(database) as tx:
        assert not maintenance.record_outage(tx, cause="email", began_at=NOON, ended_at=NOON + HOUR)


def test_outage_at_night_moves_only_playing_time(database: Database) -> None:
    slug = deal_game(
        database,
        sign_in_guests(database, ALICE, BOB, CAROL),
        table_settings(pace=Pace(time_per_turn=DAY, opens=time(8), closes=time(20))),
    )
    earlier_deadline = game_times(database)[slug][2]
    record_and_shift(database, NOON + 7 * HOUR, NOON + 21 * HOUR)
    assert game_times(database)[slug][2] - earlier_deadline == 2 * HOUR
