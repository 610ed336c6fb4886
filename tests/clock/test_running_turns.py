"""Absences stop the clock of turns, and move the deadlines of turns during which they are declared, changed or ended."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import select, update

from engine.view import neutral_action, view_for
from tests.support.acts import perform_act
from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.factories import DAY, Guest, deal_game, play_turn, stored_game, table_settings
from tests.support.transactions import NOON, pick_first, transaction
from webapp.clock.absences import (
    change_absence,
    declare_future_absence,
    end_absence,
    own_absences,
    start_holiday,
)
from webapp.clock.local_periods import LocalPeriod
from webapp.clock.pace.pace import LateRules, late_rules_json
from webapp.clock.schema import DeadlineEvent
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.play import access
from webapp.play.queries.rows import GameRow
from webapp.play.schema import Game
from webapp.play.turns.turns import take_turn

HOUR = timedelta(hours=1)
TODAY = NOON.date()
MIDNIGHT = NOON + 12 * HOUR
"""In UTC; that of Alice, in Riga, is two hours earlier."""
DEADLINE = NOON + DAY
RACE_GAME_COUNT = 4
STOPPING_RULES = LateRules(absence="stop", absence_cap=14 * DAY)


def deal(database: Database, guests: list[Guest], rules: LateRules = STOPPING_RULES) -> str:
    slug = deal_game(database, guests, table_settings())
    with transaction(database) as tx:
        game = update(Game).where(Game.slug == slug)
        tx.execute(game.values(late_rules=late_rules_json(rules)))
    return slug


def row_of(database: Database, slug: str, guests: list[Guest]) -> GameRow:
    return stored_game(database, slug, guests[0]).row


def period_of_day(day: date) -> LocalPeriod:
    return LocalPeriod(first_day=day, last_day=day)


def plan_absence_tomorrow(database: Database, guest: Guest, now: datetime = NOON) -> None:
    with transaction(database, now) as tx:
        declare_future_absence(tx, guest.person, period_of_day(TODAY + DAY))


def absence_events(database: Database) -> list[Any]:
    with transaction(database) as tx:
        columns = (DeadlineEvent.seat, DeadlineEvent.by, DeadlineEvent.deadline_at)
        query = select(*columns).where(DeadlineEvent.kind == "absence").order_by(DeadlineEvent.id)
        return [tuple(row) for row in tx.execute(query)]


def deadline_of_second_turn(database: Database, slug: str, guests: list[Guest]) -> datetime | None:
    row = row_of(database, slug, guests)
    assert row.awaiting == 1
    return row.deadline_at


def test_absence_declared_before_a_turn_stops_its_clock(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    plan_absence_tomorrow(database, guests[1])
    play_turn(database, slug, guests[0], now=NOON)
    row = row_of(database, slug, guests)
    assert (row.awaiting, row.deadline_at) == (1, DEADLINE + DAY)
    assert row.remind_at == MIDNIGHT + DAY + 0.8 * DAY - 12 * HOUR
    assert absence_events(database) == []


def test_time_that_absences_took_counts_against_the_cap(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests, LateRules(absence="stop", absence_cap=30 * HOUR))
    plan_absence_tomorrow(database, guests[1])
    play_turn(database, slug, guests[0], now=NOON)
    play_turn(database, slug, guests[1], now=MIDNIGHT + DAY + HOUR)
    with transaction(database, NOON + 2 * DAY) as tx:
        query = select(Seat.absence_used).where(Seat.number == 1)
        assert tx.execute(query).scalar_one() == DAY
        declare_future_absence(tx, guests[1].person, period_of_day(TODAY + 3 * DAY))
    start = MIDNIGHT + 2 * DAY - HOUR
    play_turn(database, slug, guests[2], now=start)
    play_turn(database, slug, guests[0], now=start)
    assert row_of(database, slug, guests).deadline_at == start + DAY + 6 * HOUR


@pytest.mark.parametrize("policy", ["neutral", "bot"])
def test_absence_stops_no_clock_where_the_table_has_chosen_otherwise(
    database: Database, guests: list[Guest], policy: Any
) -> None:
    slug = deal(database, guests, LateRules(absence=policy, absence_cap=14 * DAY))
    plan_absence_tomorrow(database, guests[0])
    assert row_of(database, slug, guests).deadline_at == DEADLINE
    assert absence_events(database) == []


def test_absence_declared_during_a_turn_moves_its_deadline_and_reminder(
    database: Database, guests: list[Guest]
) -> None:
    slugs = [deal(database, guests) for _ in range(2)]
    plan_absence_tomorrow(database, guests[0], now=NOON + HOUR)
    for slug in slugs:
        row = row_of(database, slug, guests)
        assert row.deadline_at == DEADLINE + DAY
        assert row.remind_at == row.wake_at == NOON + 0.8 * DAY + DAY
    assert absence_events(database) == [(0, "player", DEADLINE + DAY)] * 2


def test_declaring_twice_and_an_absence_after_the_deadline_move_nothing(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    for _ in range(2):
        plan_absence_tomorrow(database, guests[0])
    with transaction(database) as tx:
        declare_future_absence(tx, guests[0].person, period_of_day(TODAY + 9 * DAY))
        declare_future_absence(tx, guests[1].person, period_of_day(TODAY + DAY))
    assert row_of(database, slug, guests).deadline_at == DEADLINE + DAY
    assert len(absence_events(database)) == 1


def test_ended_and_changed_absence_moves_the_deadline_again(
    database: Database, guests: list[Guest]
) -> None:
    slug, alice = deal(database, guests), guests[0].person
    with transaction(database, NOON + HOUR) as tx:
        holiday = LocalPeriod(first_day=TODAY, last_day=TODAY + 4 * DAY)
        start_holiday(tx, alice, holiday)
    assert row_of(database, slug, guests).deadline_at == MIDNIGHT + 4 * DAY + 21 * HOUR
    with transaction(database, NOON + DAY) as tx:
        [absence] = own_absences(tx, alice)
        change_absence(tx, alice, absence.id, period_of_day(TODAY + DAY))
    assert row_of(database, slug, guests).deadline_at == MIDNIGHT + DAY + 21 * HOUR
    with transaction(database, NOON + DAY + HOUR) as tx:
        end_absence(tx, alice, absence.id)
    assert row_of(database, slug, guests).deadline_at == NOON + 2 * DAY
    assert len(absence_events(database)) == 3


def test_player_who_was_reminded_is_not_reminded_again_after_going_away(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    plan_absence_tomorrow(database, guests[0], now=NOON + 0.9 * DAY - 0.05 * DAY)
    row = row_of(database, slug, guests)
    assert row.remind_at == NOON + 0.8 * DAY
    assert row.wake_at == row.deadline_at
    assert row.deadline_at > DEADLINE


def test_absence_declared_while_the_turn_before_is_computed_moves_the_deadline(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    with transaction(database) as tx:
        loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
        action = neutral_action(view_for(loaded_game.game.state, 0), pick_first)
        plan_absence_tomorrow(database, guests[1])
        take_turn(tx, loaded_game, action, seq=0, by="player")
    assert deadline_of_second_turn(database, slug, guests) == DEADLINE + DAY


def test_absence_declared_while_the_turn_before_is_being_committed_moves_the_deadline(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    with ThreadPoolExecutor(1) as pool:
        with transaction(database) as tx:
            loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
            action = neutral_action(view_for(loaded_game.game.state, 0), pick_first)
            take_turn(tx, loaded_game, action, seq=0, by="player")
            declaration = pool.submit(plan_absence_tomorrow, database, guests[1])
            wait_until_blocked_or_done(database, declaration)
            assert not declaration.done()
        declaration.result()
    assert deadline_of_second_turn(database, slug, guests) == DEADLINE + DAY
    assert absence_events(database) == [(1, "player", DEADLINE + DAY)]


def test_absence_declared_in_the_same_moment_as_the_turn_before_moves_the_deadline(
    database: Database, guests: list[Guest]
) -> None:
    slugs = [deal(database, guests) for _ in range(RACE_GAME_COUNT)]
    barrier = Barrier(2)

    def take_turns() -> None:
        barrier.wait(120)
        for slug in slugs:
            play_turn(database, slug, guests[0], now=NOON)

    def declare_absence() -> None:
        barrier.wait(120)
        plan_absence_tomorrow(database, guests[1])

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(take_turns), pool.submit(declare_absence)]:
            future.result()
    deadlines = {deadline_of_second_turn(database, slug, guests) for slug in slugs}
    assert deadlines == {DEADLINE + DAY}


def test_absence_declared_in_a_paused_game_costs_no_time(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    perform_act(database, slug, GameRight.PAUSE, now=NOON + HOUR)
    plan_absence_tomorrow(database, guests[0], now=NOON + 2 * HOUR)
    perform_act(database, slug, GameRight.RESUME, now=NOON + 3 * HOUR)
    assert row_of(database, slug, guests).deadline_at == DEADLINE + 2 * HOUR + DAY


def test_absence_does_not_revive_a_deadline_that_has_passed(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal(database, guests)
    with transaction(database, DEADLINE) as tx:
        later_period = LocalPeriod(first_day=TODAY + DAY, last_day=TODAY + 3 * DAY)
        start_holiday(tx, guests[0].person, later_period)
    assert row_of(database, slug, guests).deadline_at == DEADLINE
