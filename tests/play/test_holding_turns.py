"""Held turns: when they enter, and how they are changed, withdrawn and played at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import update

from engine.actions import Discard, TakeGold
from engine.errors import IllegalAction
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import DAY, Guest, play_turn, stored_game
from tests.support.held_turns import (
    card_of,
    deadline_events,
    enable_held_turns,
    held_turn_shown_to,
    hold_turn,
    notification_count,
    play_held_turn_now,
    run_sweep,
    stored_turn,
    withdraw_held_turn,
)
from tests.support.plans import make_plan, turns
from tests.support.transactions import NOON, pick_first, transaction
from webapp.accounts.profile import change_hold_minutes
from webapp.kernel.refusals import FieldErrors, NotAllowed, StaleTurn
from webapp.kernel.tx import Database
from webapp.play.access import game_for
from webapp.play.schema import Game
from webapp.play.turns.turn_holding import withdraw_turn

DEADLINE_AT = NOON + DAY
REMINDER_SHARE = NOON + DAY * 0.8
MINUTE = timedelta(minutes=1)
DUE_AT = NOON + 10 * MINUTE


@pytest.fixture
def alice(database: Database, guests: list[Guest], slug: str) -> Guest:
    """Alice, who is on turn and has her turns held for ten minutes."""
    return enable_held_turns(database, guests[0])


def test_turn_is_not_held_unless_the_player_wants_that(
    database: Database, guests: list[Guest], slug: str
) -> None:
    assert hold_turn(database, slug, guests[0]) is None
    assert stored_game(database, slug, guests[0]).seq == 1


def test_held_turn_changes_nothing_until_it_is_due(
    database: Database, slug: str, alice: Guest
) -> None:
    earlier_value = stored_game(database, slug, alice)
    events, emails = deadline_events(database), notification_count(database)
    held_turn = hold_turn(database, slug, alice)
    assert held_turn is not None
    assert held_turn.due_at == DUE_AT
    row = stored_game(database, slug, alice).row
    assert (row.seq, row.state, row.deadline_at, row.awaiting) == (
        0,
        earlier_value.row.state,
        DEADLINE_AT,
        0,
    )
    assert run_sweep(database, DUE_AT - MINUTE).expired_count == 0
    assert deadline_events(database) == events
    assert notification_count(database) == emails


def test_held_turn_enters_when_it_is_due(database: Database, slug: str, alice: Guest) -> None:
    action = card_of(database, slug, alice, 1)
    hold_turn(database, slug, alice, action)
    assert run_sweep(database, DUE_AT).expired_count == 1
    assert stored_turn(database) == (0, "player", action, DUE_AT)
    row = stored_game(database, slug, alice).row
    assert (row.held_turn, row.awaiting, row.wake_at) == (None, 1, DUE_AT + DAY * 0.8)
    assert run_sweep(database, DUE_AT).expired_count == 0


def test_plans_follow_a_held_turn(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    make_plan(database, slug, guests[1])
    hold_turn(database, slug, alice)
    run_sweep(database, DUE_AT)
    assert [by for _, _, by in turns(database)][1:] == ["player", "plan"]


def test_changed_turn_replaces_the_held_one_and_restarts_its_time(
    database: Database, slug: str, alice: Guest
) -> None:
    action = card_of(database, slug, alice, 1)
    hold_turn(database, slug, alice)
    hold_turn(database, slug, alice, action, now=NOON + 5 * MINUTE)
    assert run_sweep(database, DUE_AT).expired_count == 0
    assert run_sweep(database, DUE_AT + 5 * MINUTE).expired_count == 1
    assert stored_turn(database)[2] == action


def test_same_held_turn_sent_again_does_not_restart_its_time(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    held_turn = hold_turn(database, slug, alice, now=NOON + MINUTE)
    assert held_turn is not None
    assert held_turn.due_at == DUE_AT


def test_withdrawn_turn_never_enters_and_the_reminder_comes_as_usual(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    withdraw_held_turn(database, slug, alice, now=NOON + MINUTE)
    withdraw_held_turn(database, slug, alice, now=NOON + MINUTE)
    row = stored_game(database, slug, alice).row
    assert (row.held_turn, row.wake_at) == (None, REMINDER_SHARE)
    assert run_sweep(database, DUE_AT).expired_count == 0
    assert run_sweep(database, REMINDER_SHARE).reminded_count == 1


def test_player_who_holds_a_turn_is_not_reminded(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice, now=REMINDER_SHARE - MINUTE)
    with transaction(database) as tx:
        tx.execute(update(Game).values(wake_at=REMINDER_SHARE))
    assert run_sweep(database, REMINDER_SHARE).reminded_count == 0
    assert run_sweep(database, REMINDER_SHARE + 9 * MINUTE).expired_count == 1


def test_held_turn_can_be_played_at_once_and_only_once(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    play_held_turn_now(database, slug, alice, now=NOON + MINUTE)
    assert stored_turn(database)[3] == NOON + MINUTE
    with pytest.raises(StaleTurn):
        play_held_turn_now(database, slug, alice, now=NOON + MINUTE)
    with pytest.raises(StaleTurn):
        withdraw_held_turn(database, slug, alice, now=NOON + MINUTE)


def test_play_now_without_a_held_turn_changes_nothing(
    database: Database, slug: str, alice: Guest
) -> None:
    with pytest.raises(StaleTurn):
        play_held_turn_now(database, slug, alice, now=NOON)


def test_turn_held_before_the_deadline_enters_then_and_is_on_time(
    database: Database, slug: str, alice: Guest
) -> None:
    action = card_of(database, slug, alice, 1)
    held_turn = hold_turn(database, slug, alice, action, now=DEADLINE_AT - MINUTE)
    assert held_turn is not None
    assert held_turn.due_at == DEADLINE_AT
    run_sweep(database, DEADLINE_AT + MINUTE)
    assert stored_turn(database)[:3] == (0, "player", action)
    assert ("played", DEADLINE_AT) in deadline_events(database)


def test_turn_after_the_deadline_is_never_held(database: Database, slug: str, alice: Guest) -> None:
    assert hold_turn(database, slug, alice, now=DEADLINE_AT) is None
    assert stored_game(database, slug, alice).seq == 1


def test_illegal_turn_is_refused_at_once(database: Database, slug: str, alice: Guest) -> None:
    with pytest.raises(IllegalAction):
        hold_turn(database, slug, alice, TakeGold(3))
    assert stored_game(database, slug, alice).row.held_turn is None


def test_turn_of_another_player_is_neither_held_nor_withdrawn_nor_played(
    database: Database, guests: list[Guest], slug: str, alice: Guest
) -> None:
    with transaction(database) as tx:
        change_hold_minutes(tx, guests[1].person, minutes=10)
    card = stored_game(database, slug, alice).state.hands[1][0]
    with pytest.raises(IllegalAction):
        hold_turn(database, slug, guests[1], Discard(card))
    hold_turn(database, slug, alice)
    withdraw_held_turn(database, slug, guests[1], now=NOON)
    with pytest.raises(StaleTurn):
        play_held_turn_now(database, slug, guests[1], now=NOON)
    assert held_turn_shown_to(database, slug, guests[1]) is None
    assert held_turn_shown_to(database, slug, alice) is not None


@pytest.mark.parametrize("minutes", [-1, 11])
def test_hold_of_more_than_ten_minutes_is_refused(
    database: Database, guests: list[Guest], minutes: int
) -> None:
    with transaction(database) as tx, pytest.raises(FieldErrors):
        change_hold_minutes(tx, guests[0].person, minutes=minutes)


def test_sweep_and_withdrawal_at_the_same_time_play_or_withdraw(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)

    def try_to_withdraw() -> str:
        try:
            withdraw_held_turn(database, slug, alice, now=DUE_AT)
        except StaleTurn:
            return "entered"
        return "withdrawn"

    with ThreadPoolExecutor(2) as pool:
        withdrawal = pool.submit(try_to_withdraw)
        result = pool.submit(run_sweep, database, DUE_AT)
        outcome, entered_count = withdrawal.result(), result.result().expired_count
    # A sweep that finds the game locked leaves it to the next one.
    assert (outcome, entered_count) in {("entered", 1), ("withdrawn", 0)}
    assert stored_game(database, slug, alice).seq == entered_count
    assert stored_game(database, slug, alice).row.held_turn is None


def test_two_forms_at_the_same_time_hold_one_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    actions = [card_of(database, slug, alice, number) for number in (0, 1)]
    with ThreadPoolExecutor(2) as pool:
        hold_results = list(
            pool.map(lambda action: hold_turn(database, slug, alice, action), actions)
        )
    held_turn = stored_game(database, slug, alice).row.clock.held_turn
    assert held_turn is not None
    assert held_turn in hold_results
    assert held_turn.wake_at == REMINDER_SHARE
    run_sweep(database, DUE_AT)
    assert stored_turn(database)[2] == held_turn.action
    assert len(turns(database)) == 2


def test_process_that_dies_before_commit_leaves_the_held_turn_as_it_was(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    earlier_value = stored_game(database, slug, alice).row.held_turn

    def fail_before_commit() -> None:
        with transaction(database) as tx:
            sweep_with_calls_sent(tx, now=DUE_AT, random_below=pick_first)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_before_commit()
    row = stored_game(database, slug, alice).row
    assert (row.seq, row.held_turn) == (0, earlier_value)
    assert run_sweep(database, DUE_AT).expired_count == 1


def test_turn_taken_another_way_leaves_no_held_turn(
    database: Database, slug: str, alice: Guest
) -> None:
    hold_turn(database, slug, alice)
    play_turn(database, slug, alice)
    assert stored_game(database, slug, alice).row.held_turn is None
    assert held_turn_shown_to(database, slug, alice) is None


def test_onlookers_may_not_withdraw(database: Database, slug: str, alice: Guest) -> None:
    hold_turn(database, slug, alice)
    with transaction(database) as tx:
        access = game_for(tx, slug, alice.cookie, mode="change")._replace(seat=None)
        with pytest.raises(NotAllowed):
            withdraw_turn(tx, access, seq=0)
