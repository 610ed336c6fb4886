"""Plans: which actions can be planned, what becomes of a plan, and that this depends only on what its seat may know."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Break, Discard, Lay, Look, Pass, Repair, Rockfall
from engine.cells import GOAL_CELLS
from engine.errors import IllegalAction, Reason
from engine.events import CardLaid, Discarded, Event, GoalTurned, RockFell, ToolBroken, ToolRepaired
from engine.plans import (
    CancelCondition,
    Plan,
    PlannedAction,
    cancelled_by,
    plannable_actions,
    planned_action,
    planning_view,
    require_plannable,
)
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.view import View, legal_actions, view_for
from tests.support.engine.conceivable_actions import as_offered_by_engine, conceivable_actions
from tests.support.engine.counterfactual_games import Move, counterfactual_game, play_moves
from tests.support.engine.drawn_positions import drawn_state
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_games import game_steps, random_dealt_game, unfinished_state
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng
from tests.support.engine.strategies import any_action

ALL_CONDITIONS = tuple(CancelCondition)
SAMPLE_PLAN = Plan((Lay("path-trbl", "D5"), Discard("map")), ALL_CONDITIONS)
any_planned_action = any_action.filter(lambda action: isinstance(action, get_args(PlannedAction)))


def view_with(*hand: str, seat: int = 0, **changes: object) -> View:
    return view_for(drawn_state("S", hands={seat: hand}, turn=0, **changes), seat)


def random_plan(view: View, rng: SeededRng) -> Plan:
    """Return a plan of up to five actions that this seat can plan, with some of the conditions."""
    actions = plannable_actions(planning_view(view))
    chosen_actions = tuple(rng.pick(actions) for _ in range(1 + rng.below(5)))
    return Plan(chosen_actions, tuple(item for item in ALL_CONDITIONS if rng.happens_once_in(3)))


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_every_legal_action_of_a_turn_can_be_planned(seed: int, rulebook: str) -> None:
    rng = SeededRng(seed)
    for game in game_steps(rulebook, seed):
        if game.is_over or not rng.happens_once_in(6):
            continue
        view = planning_view(view_for(game.state, rng.below(game.state.seats)))
        assert set(legal_actions(view)) <= set(plannable_actions(view))


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_action_from_a_plan_is_always_legal(seed: int, rulebook: str) -> None:
    """Plans are made at random moments, and their actions are played as soon as their seats are on turn."""
    rng, game = SeededRng(seed), random_dealt_game(rulebook, SeededRng(seed))
    plans: dict[int, Plan] = {}
    while not game.is_over:
        seat = due_seat(game.state)
        view = view_for(game.state, seat)
        action = planned_action(plans[seat], view) if seat in plans else None
        assert action is None or action in legal_actions(view)
        game.play(action or mostly_digging_action(game.state, rng))
        plans.pop(seat, None)
        planning_seat = rng.below(game.state.seats)
        if not game.is_over and rng.happens_once_in(3):
            plans[planning_seat] = random_plan(view_for(game.state, planning_seat), rng)


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_outcome_of_a_plan_is_the_same_in_counterfactual_games(seed: int, rulebook: str) -> None:
    rng = SeededRng(seed)
    game = play_moves(
        random_dealt_game(rulebook, rng),
        rng.below(120),
        lambda game: Move("play", action=mostly_digging_action(game.state, rng)),
    )
    observer = rng.below(game.states[0].seats)
    other_game = counterfactual_game(game, observer, rng)
    for state, other_state, events, other_events in zip(
        game.states, other_game.states, game.game.log, other_game.game.log, strict=True
    ):
        if not rng.happens_once_in(4):
            continue
        view, other_view = view_for(state, observer), view_for(other_state, observer)
        plan = random_plan(view, rng)
        assert plannable_actions(view) == plannable_actions(other_view)
        assert planned_action(plan, view) == planned_action(plan, other_view)
        assert cancelled_by(plan, observer, events) == cancelled_by(plan, observer, other_events)


@given(st.integers(0, 2**32), st.sampled_from(list(RULEBOOKS)))
def test_exactly_the_listed_actions_can_be_planned(seed: int, rulebook: str) -> None:
    rng = SeededRng(seed)
    game = random_dealt_game(rulebook, rng)
    state = unfinished_state(game, rng.below(40), mostly_digging_action, rng)
    view = planning_view(view_for(state, rng.below(state.seats)))
    listed_actions = set(plannable_actions(view))
    actions = [
        action
        for action in conceivable_actions(view)
        if isinstance(action, get_args(PlannedAction))
    ]
    for _ in range(40):
        check_refused_unless_listed(view, rng.pick(actions), listed_actions)


def check_refused_unless_listed(
    view: View, action: PlannedAction, listed_actions: set[PlannedAction]
) -> None:
    if as_offered_by_engine(action) in listed_actions:
        assert require_plannable(view, action) == as_offered_by_engine(action)
        return
    with pytest.raises(IllegalAction):
        require_plannable(view, action)


def test_first_legal_action_of_a_plan_is_played() -> None:
    view = view_with("path-trbl", "map")
    assert planned_action(Plan((Lay("path-trbl", "D5"), Discard("map"))), view) == Discard("map")
    assert planned_action(Plan((Lay("path-trbl", "B5"), Discard("map"))), view) == Lay(
        "path-trbl", "B5"
    )


def test_plan_without_a_legal_action_plays_nothing() -> None:
    assert planned_action(Plan((Lay("path-trbl", "D5"),)), view_with("path-trbl")) is None


def test_plan_plays_nothing_while_another_seat_is_on_turn() -> None:
    view = view_with("map", seat=1)
    assert planned_action(Plan((Discard("map"),)), view) is None
    assert planned_action(Plan((Discard("map"),)), planning_view(view)) == Discard("map")


def test_empty_hand_can_only_plan_to_pass() -> None:
    view = view_with()
    assert plannable_actions(view) == (Pass(),)
    with pytest.raises(IllegalAction) as error_info:
        require_plannable(view_with("map"), Pass())
    assert error_info.value.reason is Reason.HAND_NOT_EMPTY


def test_path_card_can_be_planned_two_cells_away_but_no_farther() -> None:
    view = view_with("path-trbl")
    assert Lay("path-trbl", "C5") in plannable_actions(view)
    assert Lay("path-trbl", "D5") not in plannable_actions(view)


def test_repair_of_a_whole_tool_and_break_of_a_broken_one_can_be_planned() -> None:
    view = view_with("repair-cart", "break-cart", broken=((), ("cart",), ()), house=HouseRules())
    actions = plannable_actions(view)
    assert {Repair("repair-cart", 0, "cart"), Break("break-cart", 1)} <= set(actions)


def test_path_card_can_be_planned_with_a_broken_tool() -> None:
    view = view_with("path-rl", broken=(("cart",), (), ()))
    assert Lay("path-rl", "B5") in plannable_actions(view)
    assert Lay("path-rl", "B5") not in legal_actions(view)


@pytest.mark.parametrize(
    "action, reason",
    [
        (Discard("rockfall"), Reason.NOT_IN_HAND),
        (Rockfall("B5"), Reason.NOT_IN_HAND),
        (Lay("map", "B5"), Reason.NOT_A_PATH_CARD),
        (Lay("path-tb", "b5"), Reason.NO_SUCH_CELL),
        (Lay("path-tb", "A5"), Reason.CELL_TAKEN),
        (Lay("path-tb", "I5"), Reason.CELL_TAKEN),
        (Lay("path-tb", "B5"), Reason.EDGES_DIFFER),
        (Lay("path-tb", "F5"), Reason.NOT_BESIDE),
        (Break("map", 1), Reason.NOT_A_BROKEN_TOOL),
        (Break("break-cart", 0), Reason.OWN_TOOL),
        (Break("break-cart", 2), Reason.SEAT_GIVEN_UP),
        (Break("break-cart", 9), Reason.NO_SUCH_SEAT),
        (Repair("map", 1, "cart"), Reason.NOT_A_REPAIR),
        (Repair("repair-cart", 1, "lantern"), Reason.WRONG_TOOL),
        (Repair("repair-cart", 2, "cart"), Reason.SEAT_GIVEN_UP),
        (Look("B5"), Reason.NOT_A_GOAL),
    ],
)
def test_unplannable_action_is_refused_with_its_reason(
    action: PlannedAction, reason: Reason
) -> None:
    view = view_with(
        "map",
        "path-tb",
        "break-cart",
        "repair-cart",
        house=HouseRules(no_self_breaking=True),
        gone=(2,),
    )
    with pytest.raises(IllegalAction) as error_info:
        require_plannable(view, action)
    assert error_info.value.reason is reason


def test_looking_at_a_face_up_goal_cannot_be_planned() -> None:
    view = msgspec.structs.replace(view_with("map"), turned=(True, False, False))
    with pytest.raises(IllegalAction) as error_info:
        require_plannable(view, Look(GOAL_CELLS[0]))
    assert error_info.value.reason is Reason.GOAL_FACE_UP


def test_planned_rockfall_needs_a_card_that_lies_there_now() -> None:
    with pytest.raises(IllegalAction) as error_info:
        require_plannable(view_with("rockfall"), Rockfall("B5"))
    assert error_info.value.reason is Reason.NO_PATH_THERE


def test_onlooker_has_nothing_to_plan() -> None:
    with pytest.raises(ValueError, match="onlooker"):
        planning_view(view_for(InMemoryGame().state, None))


@pytest.mark.parametrize(
    "events, condition",
    [
        ([GoalTurned(1, "I7", "stone-tl")], CancelCondition.GOAL_REVEALED),
        ([ToolBroken(1, "break-cart", 0)], CancelCondition.OWN_TOOL_BROKEN),
        ([RockFell(1, "I9", "path-tb")], CancelCondition.ROCKFALL_PLAYED),
        ([CardLaid(1, "path-tb", "E6")], CancelCondition.AREA_CHANGED),
        ([CardLaid(1, "path-tb", "D5")], CancelCondition.AREA_CHANGED),
        ([CardLaid(1, "path-tb", "F5")], None),
        ([ToolBroken(1, "break-cart", 2)], None),
        ([ToolRepaired(1, "repair-cart", 0, "cart")], None),
        ([Discarded(1, "map")], None),
        ([], None),
        (
            [Discarded(1, "map"), ToolBroken(1, "break-cart", 0), GoalTurned(1, "I7", "treasure")],
            CancelCondition.OWN_TOOL_BROKEN,
        ),
    ],
)
def test_public_surprise_cancels_the_plan_of_seat_0(
    events: list[Event], condition: CancelCondition | None
) -> None:
    assert cancelled_by(SAMPLE_PLAN, 0, events) is condition


@pytest.mark.parametrize("condition", ALL_CONDITIONS)
def test_plan_is_cancelled_only_by_the_surprises_that_it_names(condition: CancelCondition) -> None:
    other_conditions = tuple(item for item in ALL_CONDITIONS if item is not condition)
    event_by_condition: dict[CancelCondition, Event] = {
        CancelCondition.GOAL_REVEALED: GoalTurned(1, "I7", "treasure"),
        CancelCondition.OWN_TOOL_BROKEN: ToolBroken(1, "break-cart", 0),
        CancelCondition.ROCKFALL_PLAYED: RockFell(1, "I9", "path-tb"),
        CancelCondition.AREA_CHANGED: CardLaid(1, "path-tb", "C4"),
    }
    events = [event_by_condition[condition]]
    assert cancelled_by(Plan(SAMPLE_PLAN.actions, (condition,)), 0, events) is condition
    assert cancelled_by(Plan(SAMPLE_PLAN.actions, other_conditions), 0, events) is None


@given(
    st.lists(any_planned_action, max_size=5).map(tuple), st.sets(st.sampled_from(ALL_CONDITIONS))
)
def test_plan_is_decoded_as_it_was_encoded(
    actions: tuple[PlannedAction, ...], conditions: set[CancelCondition]
) -> None:
    plan = Plan(actions, tuple(sorted(conditions)))
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan


def test_encoding_of_a_stored_plan_is_pinned() -> None:
    stored_plan = (
        b'{"actions":[{"do":"lay","card":"path-trbl","cell":"D5","turned":false},'
        b'{"do":"discard","card":"map"}],"conditions":["goal-revealed","own-tool-broken",'
        b'"rockfall-played","area-changed"],"format":1}'
    )
    assert msgspec.json.encode(SAMPLE_PLAN) == stored_plan
    assert msgspec.json.decode(stored_plan, type=Plan) == SAMPLE_PLAN


@pytest.mark.parametrize(
    "stored_plan",
    [
        b'{"actions":[],"format":2}',
        b'{"actions":[{"do":"takegold","nuggets":3}]}',
        b'{"actions":[{"do":"look","cell":"a5"}]}',
        b'{"actions":[],"conditions":["full-moon"]}',
        b'{"actions":[],"else":"discard"}',
    ],
)
def test_plan_of_another_version_or_with_other_content_is_refused(stored_plan: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(stored_plan, type=Plan)
