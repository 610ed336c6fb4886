"""Held turns: when they enter, and how they are changed, withdrawn and played at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import update

from engine.actions import Discard, TakeGold
from engine.errors import IllegalAction
from tests.support.factories import DAY, NOON, Guest, pick_first, play_turn, stored_game
from tests.support.held_turns import (
    card_of,
    hold,
    kinds_of_events,
    let_hold,
    notification_count,
    play_now,
    played,
    run_sweep,
    shown,
    withdraw,
)
from tests.support.plans import make_plan, turns
from webapp.services.accounts.profile import change_hold
from webapp.services.errors import FieldErrors, NotAllowed, StaleTurn
from webapp.services.play.access import game_for
from webapp.services.play.deadlines import sweep
from webapp.services.play.held_turns import held_turn_of
from webapp.services.play.holding import withdraw_turn
from webapp.services.tx import Database, transaction
from webapp.store.schema.play import Game

DEADLINE_AT = NOON + DAY
REMINDER_AT = NOON + DAY * 0.8
MINUTE = timedelta(minutes=1)
DUE_AT = NOON + 10 * MINUTE


@pytest.fixture
def alice(database: Database, guests: list[Guest], slug: str) -> Guest:
    """Alice, who is on turn and has her turns held for ten minutes."""
    return let_hold(database, guests[0])


def test_turn_is_not_held_unless_the_player_wants_that(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert hold(database, slug, guests[0]) is None
    assert stored_game(database, slug, guests[0]).seq == 1


def test_held_turn_changes_nothing_until_it_is_due(
    database: Database, slug: str, alice: Guest
) -> None:
    before = stored_game(database, slug, alice)
    events, emails = kinds_of_events(database), notification_count(database)
    held_turn = hold(database, slug, alice)
    assert held_turn is not None
    assert held_turn.due_at == DUE_AT
    row = stored_game(database, slug, alice).row
    assert (row.seq, row.state, row.deadline_at, row.awaiting) == (
        0,
        before.row.state,
        DEADLINE_AT,
        0,
    )
    assert run_sweep(database, DUE_AT - MINUTE).expired_count == 0
    assert kinds_of_events(database) == events
    assert notification_count(database) == emails


def test_held_turn_enters_when_it_is_due(database: Database, slug: str, alice: Guest) -> None:
    action = card_of(database, slug, alice, 1)
    hold(database, slug, alice, action)
    assert run_sweep(database, DUE_AT).expired_count == 1
    assert played(database) == (0, "player", action, DUE_AT)
    row = stored_game(database, slug, alice).row
    assert (row.held_turn, row.awaiting, row.wake_at) == (None, 1, DUE_AT + DAY * 0.8)
    assert run_sweep(database, DUE_AT).expired_count == 0


def test_plans_follow_a_held_turn(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    make_plan(database, slug, guests[1])
    hold(database, slug, alice)
    run_sweep(database, DUE_AT)
    assert [by for _, _, by in turns(database)][1:] == ["player", "plan"]


def test_changed_turn_replaces_the_held_one_and_starts_the_time_again(
    database: Database, slug: str, alice: Guest
) -> None:
    action = card_of(database, slug, alice, 1)
    hold(database, slug, alice)
    hold(database, slug, alice, action, now=NOON + 5 * MINUTE)
    assert run_sweep(database, DUE_AT).expired_count == 0
    assert run_sweep(database, DUE_AT + 5 * MINUTE).expired_count == 1
    assert played(database)[2] == action


def test_same_form_again_does_not_start_the_time_again(
    database: Database, slug: str, alice: Guest
) -> None:
    hold(database, slug, alice)
    held_turn = hold(database, slug, alice, now=NOON + MINUTE)
    assert held_turn is not None
    assert held_turn.due_at == DUE_AT


def test_withdrawn_turn_never_enters_and_the_reminder_comes_as_usual(
    database: Database, slug: str, alice: Guest
) -> None:
    hold(database, slug, alice)
    withdraw(database, slug, alice, now=NOON + MINUTE)
    withdraw(database, slug, alice, now=NOON + MINUTE)
    row = stored_game(database, slug, alice).row
    assert (row.held_turn, row.wake_at) == (None, REMINDER_AT)
    assert run_sweep(database, DUE_AT).expired_count == 0
    assert run_sweep(database, REMINDER_AT).reminded_count == 1


def test_player_who_holds_a_turn_is_not_reminded(
    database: Database, slug: str, alice: Guest
) -> None:
    hold(database, slug, alice, now=REMINDER_AT - MINUTE)
    with transaction(database) as tx:
        tx.connection.execute(update(Game).values(wake_at=REMINDER_AT))
    assert run_sweep(database, REMINDER_AT).reminded_count == 0
    assert run_sweep(database, REMINDER_AT + 9 * MINUTE).expired_count == 1


def test_held_turn_can_be_played_at_once_and_only_once(
    database: Database, slug: str, alice: Guest
) -> None:
    hold(database, slug, alice)
    play_now(database, slug, alice, now=NOON + MINUTE)
    assert played(database)[3] == NOON + MINUTE
    with pytest.raises(StaleTurn):
        play_now(database, slug, alice, now=NOON + MINUTE)
    with pytest.raises(StaleTurn):
        withdraw(database, slug, alice, now=NOON + MINUTE)


def test_nothing_is_played_if_nothing_is_held(database: Database, slug: str, alice: Guest) -> None:
    with pytest.raises(StaleTurn):
        play_now(database, slug, alice, now=NOON)


def test_turn_held_before_the_deadline_enters_then_and_is_on_time(
    database: Database, slug: str, alice: Guest
) -> None:
    action = card_of(database, slug, alice, 1)
    held_turn = hold(database, slug, alice, action, now=DEADLINE_AT - MINUTE)
    assert held_turn is not None
    assert held_turn.due_at == DEADLINE_AT
    run_sweep(database, DEADLINE_AT + MINUTE)
    assert played(database)[:3] == (0, "player", action)
    assert ("played", DEADLINE_AT) in kinds_of_events(database)


def test_late_turn_is_never_held(database: Database, slug: str, alice: Guest) -> None:
    assert hold(database, slug, alice, now=DEADLINE_AT) is None
    assert stored_game(database, slug, alice).seq == 1


def test_illegal_turn_is_refused_at_once(database: Database, slug: str, alice: Guest) -> None:
    with pytest.raises(IllegalAction):
        hold(database, slug, alice, TakeGold(3))
    assert stored_game(database, slug, alice).row.held_turn is None


def test_turn_of_another_player_is_neither_held_nor_withdrawn_nor_played(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    with transaction(database) as tx:
        change_hold(tx, guests[1].person, minutes=10)
    card = stored_game(database, slug, alice).state.hands[1][0]
    with pytest.raises(IllegalAction):
        hold(database, slug, guests[1], Discard(card))
    hold(database, slug, alice)
    withdraw(database, slug, guests[1], now=NOON)
    with pytest.raises(StaleTurn):
        play_now(database, slug, guests[1], now=NOON)
    assert shown(database, slug, guests[1]) is None
    assert shown(database, slug, alice) is not None


@pytest.mark.parametrize("minutes", [-1, 11])
def test_hold_of_more_than_ten_minutes_is_refused(
    database: Database, guests: list[Guest], minutes: int
) -> None:
    with transaction(database) as tx, pytest.raises(FieldErrors):
        change_hold(tx, guests[0].person, minutes=minutes)


def test_sweep_and_withdrawal_at_the_same_time_play_or_withdraw(
    database: Database, slug: str, alice: Guest
) -> None:
    hold(database, slug, alice)

    def try_to_withdraw() -> str:
        try:
            withdraw(database, slug, alice, now=DUE_AT)
        except StaleTurn:
            return "entered"
        return "withdrawn"

    with ThreadPoolExecutor(2) as pool:
        withdrawal = pool.submit(try_to_withdraw)
        result = pool.submit(run_sweep, database, DUE_AT)
        outcome, entered = withdrawal.result(20), result.result(20).expired_count
    # A sweep that finds the game locked leaves it to the next one.
    assert (outcome, entered) in {("entered", 1), ("withdrawn", 0)}
    assert stored_game(database, slug, alice).seq == entered
    assert stored_game(database, slug, alice).row.held_turn is None


def test_two_forms_at_the_same_time_hold_one_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    actions = [card_of(database, slug, alice, number) for number in (0, 1)]
    with ThreadPoolExecutor(2) as pool:
        held = list(pool.map(lambda action: hold(database, slug, alice, action), actions))
    held_turn = held_turn_of(stored_game(database, slug, alice).row)
    assert held_turn is not None
    assert held_turn in held
    assert held_turn.wake_at == REMINDER_AT
    run_sweep(database, DUE_AT)
    assert played(database)[2] == held_turn.action
    assert len(turns(database)) == 2


def test_process_that_dies_before_commit_leaves_the_held_turn_as_it_was(
    database: Database, slug: str, alice: Guest
) -> None:
    hold(database, slug, alice)
    before = stored_game(database, slug, alice).row.held_turn

    def fail_before_commit() -> None:
        with transaction(database) as tx:
            sweep(tx, now=DUE_AT, pick=pick_first)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_before_commit()
    row = stored_game(database, slug, alice).row
    assert (row.seq, row.held_turn) == (0, before)
    assert run_sweep(database, DUE_AT).expired_count == 1


def test_turn_taken_another_way_leaves_no_held_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    hold(database, slug, alice)
    play_turn(database, slug, alice)
    assert stored_game(database, slug, alice).row.held_turn is None
    assert shown(database, slug, alice) is None


def test_onlookers_may_not_withdraw(database: Database, slug: str, alice: Guest) -> None:
    hold(database, slug, alice)
    with transaction(database) as tx:
        access = game_for(tx, slug, alice.cookie, now=NOON, mode="change")._replace(seat=None)
        with pytest.raises(NotAllowed):
            withdraw_turn(tx, access, seq=0, now=NOON)
