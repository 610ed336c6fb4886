from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from engine.actions import Discard, Lay
from engine.errors import IllegalAction, Reason
from engine.plans import Plan
from engine.view import neutral_action, view_for
from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.cast import MALLORY
from tests.support.factories import (
    Guest,
    deal_game,
    play_turn,
    sign_in_guest,
    stored_game,
    table_settings,
)
from tests.support.plans import change_state, drop_plan, make_plan, plans_by_seat, turns
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound, StaleTurn
from webapp.kernel.tx import Database
from webapp.play import access
from webapp.play.plans import decode_plans
from webapp.play.turns.planning import plan_page, save_plan
from webapp.play.turns.turns import take_turn


def test_process_that_dies_before_commit_leaves_turn_and_plans_as_they_were(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    earlier_plans = plans_by_seat(database, slug, guests[0])

    def fail_before_commit() -> None:
        with transaction(database) as tx:
            loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
            action = neutral_action(view_for(loaded_game.game.state, 0), pick_first)
            take_turn(tx, loaded_game, action, seq=0, by="player")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_before_commit()
    assert stored_game(database, slug, guests[0]).seq == 0
    assert plans_by_seat(database, slug, guests[0]) == earlier_plans


def test_plan_saved_while_the_turn_before_is_taken_is_followed(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
        action = neutral_action(view_for(loaded_game.game.state, 0), pick_first)
        make_plan(database, slug, guests[1])
        result = take_turn(tx, loaded_game, action, seq=0, by="player")
    assert result.seq == 2
    assert [by for _, _, by in turns(database)][1:] == ["player", "plan"]


def test_plan_changed_or_discarded_while_the_turn_before_is_taken_counts(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[1])
    with transaction(database) as tx:
        loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
        action = neutral_action(view_for(loaded_game.game.state, 0), pick_first)
        drop_plan(database, slug, guests[1])
        result = take_turn(tx, loaded_game, action, seq=0, by="player")
    assert result.seq == 1
    assert [by for _, _, by in turns(database)][1:] == ["player"]


def test_plan_that_waits_for_the_turn_before_is_refused_as_stale(
    database: Database, guests: list[Guest], slug: str
) -> None:
    """The turn is written but not committed when the plan is saved, which then waits for the lock."""

    def try_to_save_plan() -> str:
        try:
            make_plan(database, slug, guests[1], seq=0)
        except (StaleTurn, NotAllowed) as refused:
            return type(refused).__name__
        return "saved"

    with ThreadPoolExecutor(1) as pool:
        with transaction(database) as tx:
            loaded_game = access.game_for(tx, slug, guests[0].cookie, mode="play")
            action = neutral_action(view_for(loaded_game.game.state, 0), pick_first)
            take_turn(tx, loaded_game, action, seq=0, by="player")
            outcome = pool.submit(try_to_save_plan)
            wait_until_blocked_or_done(database, outcome)
            assert not outcome.done()
        assert outcome.result() == "NotAllowed"
    assert stored_game(database, slug, guests[0]).row.plans is None


def test_turns_and_plans_at_the_same_time_lose_nothing(
    database: Database, five_guests: list[Guest]
) -> None:
    slug = deal_game(database, five_guests)

    def plan(guest: Guest) -> str:
        try:
            make_plan(database, slug, guest)
        except (StaleTurn, NotAllowed, IllegalAction) as refused:
            return type(refused).__name__
        return "saved"

    with ThreadPoolExecutor(5) as pool:
        plans = [pool.submit(plan, guest) for guest in five_guests[1:]]
        turn = pool.submit(play_turn, database, slug, five_guests[0])
        assert turn.result().seq >= 1
        outcomes = [future.result() for future in plans]
    game = stored_game(database, slug, five_guests[0])
    awaited = game.row.awaiting
    assert awaited is not None
    seats_with_plan_left = {
        seat_plan.seat for seat_plan in game.plans if seat_plan.plan is not None
    }
    assert awaited not in seats_with_plan_left
    seats_with_followed_plan = {seat for _, seat, by in turns(database) if by == "plan"}
    seats_with_saved_plan = {seat for seat, outcome in enumerate(outcomes, 1) if outcome == "saved"}
    assert seats_with_saved_plan == seats_with_plan_left | seats_with_followed_plan


@pytest.mark.parametrize(
    "actions, reason",
    [
        ((Discard("no-such-card"),), Reason.NOT_IN_HAND),
        ((Discard("path-tb"),), Reason.NOT_IN_HAND),
        ((Lay("path-rl", "A5"),), Reason.CELL_TAKEN),
        ((Discard("map"), Lay("path-rl", "Z9")), Reason.NOT_BESIDE),
    ],
)
def test_impossible_plan_is_refused_and_the_old_one_stays(
    database: Database,
    guests: list[Guest],
    slug: str,
    actions: tuple[Discard | Lay, ...],
    reason: Reason,
) -> None:
    change_state(database, slug, guests[0], hands=(("map",), ("path-rl", "map"), ("map",)))
    make_plan(database, slug, guests[1], Discard("map"))
    earlier_plans = plans_by_seat(database, slug, guests[0])
    with pytest.raises(IllegalAction) as error_info:
        make_plan(database, slug, guests[1], *actions)
    assert error_info.value.reason is reason
    assert plans_by_seat(database, slug, guests[0]) == earlier_plans


def test_plan_needs_one_to_five_different_steps(
    database: Database, guests: list[Guest], slug: str
) -> None:
    hand = ("map", "path-rl", "path-tb", "rockfall", "path-tr", "path-rb")
    change_state(database, slug, guests[0], hands=(("map",), hand, ("map",)))
    discards = tuple(map(Discard, hand))
    for actions in (discards, (discards[0], discards[0])):
        with pytest.raises(FieldErrors):
            make_plan(database, slug, guests[1], *actions)
    with transaction(database) as tx:
        loaded_game = access.game_for(tx, slug, guests[1].cookie, mode="change")
        with pytest.raises(FieldErrors):
            save_plan(tx, loaded_game, Plan(()), seq=0)
    assert stored_game(database, slug, guests[0]).row.plans is None


def test_plan_from_an_old_page_is_stale(database: Database, guests: list[Guest], slug: str) -> None:
    play_turn(database, slug, guests[0])
    with pytest.raises(NotAllowed, match=DenialReason.PLAN_OUT_OF_DATE.code):
        make_plan(database, slug, guests[2], seq=0)
    assert stored_game(database, slug, guests[0]).row.plans is None


def test_no_plan_is_made_for_the_turn_that_has_begun(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with pytest.raises(NotAllowed, match=DenialReason.PLANS_OWN_TURN.code):
        make_plan(database, slug, guests[0])


def test_onlooker_and_stranger_have_no_plan(database: Database, guests: list[Guest]) -> None:
    slug = deal_game(database, guests, table_settings(public=True))
    mallory = sign_in_guest(database, MALLORY)
    with pytest.raises(NotAllowed, match=DenialReason.NOT_SEATED.code):
        make_plan(database, slug, mallory, Discard("map"))
    with transaction(database) as tx, pytest.raises(NotFound):
        plan_page(access.game_for(tx, slug, mallory.cookie))


def test_new_plan_replaces_the_old_one_and_the_reason_it_ended(
    database: Database, guests: list[Guest], slug: str
) -> None:
    make_plan(database, slug, guests[2])
    card = stored_game(database, slug, guests[0]).state.hands[2][1]
    make_plan(database, slug, guests[2], Discard(card), now=NOON + timedelta(minutes=5))
    [plan] = plans_by_seat(database, slug, guests[0]).values()
    assert plan.made_at == NOON + timedelta(minutes=5)
    drop_plan(database, slug, guests[2])
    assert stored_game(database, slug, guests[0]).row.plans is None


def test_reprs_of_plans_show_no_card(database: Database, guests: list[Guest], slug: str) -> None:
    make_plan(database, slug, guests[1])
    game = stored_game(database, slug, guests[0])
    [plan] = game.plans
    assert repr((plan, plan.plan)) == "(<SeatPlan>, <Plan: 1>)"


def test_plans_of_a_game_without_any_are_empty() -> None:
    assert decode_plans(None) == ()
