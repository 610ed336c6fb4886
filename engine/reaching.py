"""What happens when a path leads to a goal (R27-R31, E4-E11, E21, E27)."""

from engine.cards import GOAL_SHAPES, Goal
from engine.cells import GOAL_CELLS, Cell
from engine.edge_masks import agrees
from engine.errors import IllegalAction, Reason
from engine.events import GoalsReached, GoalTurned, StoneMisfit
from engine.evolve import Transition
from engine.mine import Mine, joining_way
from engine.rulebook import Rulebook
from engine.state import OrientationChoice, State


def turn_reached_goals(transition: Transition, seat: int, rulebook: Rulebook) -> None:
    """Turn over what is connected now: everything, or one goal of the player's choice (R28).

    The card just laid need not touch a goal: it may close a gap further back (E34).
    """
    if not transition.state.mine.reached_goals:
        return
    if rulebook.reveal_all_goals:
        _turn_all(transition, seat)
    else:
        _turn_one(transition, seat)


def choose_goal(transition: Transition, seat: int, cell: Cell) -> None:
    """Turn over the goal that the player chose among those connected (E4, E5)."""
    if cell not in _face_down_reached(transition.state):
        raise IllegalAction(Reason.NOT_OFFERED)
    _turn_over(transition, seat, cell)


def settle_stone(transition: Transition, seat: int, rulebook: Rulebook, *, turned: bool) -> None:
    """Lay a misfit stone the way round that the player chose (E7), and go on from there (E10)."""
    choice = transition.state.choice
    assert isinstance(choice, OrientationChoice)
    transition.record(GoalTurned(seat, choice.cell, choice.goal, turned))
    if rulebook.reveal_all_goals:
        _turn_all(transition, seat)


def treasure_is_found(state: State, rulebook: Rulebook) -> bool:
    """Whether the gold-diggers have the treasure: turned over, or reached where that is enough (R31, R34, R35)."""
    return treasure_shows(state) or (
        not rulebook.treasure_must_be_turned and _treasure_cell(state) in state.mine.reached_goals
    )


def treasure_shows(state: State) -> bool:
    """Whether the treasure lies face up, which ends the round at once (R31)."""
    return GOAL_CELLS[state.goals.index("treasure")] in state.mine.laid


def _turn_one(transition: Transition, seat: int) -> None:
    cells = _face_down_reached(transition.state)
    if len(cells) > 1:
        transition.record(GoalsReached(seat, cells))
    else:
        _turn_over(transition, seat, cells[0])


def _turn_over(transition: Transition, seat: int, cell: Cell) -> None:
    goal = _goal_at(transition.state, cell)
    turned = way_round(transition.state.mine, cell, goal)
    transition.record(
        StoneMisfit(seat, cell, goal) if turned is None else GoalTurned(seat, cell, goal, turned)
    )


def _turn_all(transition: Transition, seat: int) -> None:
    misfits = _turn_all_that_fit(transition, seat)
    if treasure_shows(transition.state):
        # The treasure ends the round without further questions (E10): misfits lie as they would by default.
        for cell in misfits:
            goal = _goal_at(transition.state, cell)
            way = joining_way(transition.state.mine, cell, goal, transition.state.last_laid)
            transition.record(GoalTurned(seat, cell, goal, way))
        return
    asked = dict(transition.state.unsettled)
    for cell in misfits:
        if cell not in asked:
            transition.record(StoneMisfit(seat, cell, _goal_at(transition.state, cell)))


def _turn_all_that_fit(transition: Transition, seat: int) -> list[Cell]:
    """Turn goals until nothing new is connected, or the treasure shows: then the round ends at once (R31, E10).

    Gives the stones that fit neither way, top first.
    """
    misfits: list[Cell] = []
    while not treasure_shows(transition.state):
        fresh = [cell for cell in _reached(transition.state.mine) if cell not in misfits]
        if not fresh:
            break
        misfits += [cell for cell in fresh if not _turn_if_it_fits(transition, seat, cell)]
    return sorted(misfits, key=GOAL_CELLS.index)


def _turn_if_it_fits(transition: Transition, seat: int, cell: Cell) -> bool:
    goal = _goal_at(transition.state, cell)
    turned = way_round(transition.state.mine, cell, goal)
    if turned is None:
        return False
    transition.record(GoalTurned(seat, cell, goal, turned))
    return True


def _treasure_cell(state: State) -> Cell:
    return GOAL_CELLS[state.goals.index("treasure")]


def _reached(mine: Mine) -> tuple[Cell, ...]:
    return tuple(cell for cell in GOAL_CELLS if cell in mine.reached_goals)


def _face_down_reached(state: State) -> tuple[Cell, ...]:
    unsettled = dict(state.unsettled)
    return tuple(cell for cell in _reached(state.mine) if cell not in unsettled)


def _goal_at(state: State, cell: Cell) -> Goal:
    return state.goals[GOAL_CELLS.index(cell)]


def way_round(mine: Mine, cell: Cell, goal: Goal) -> bool | None:
    """Which way round a goal fits all its face-up neighbours (R29, R30): False as printed, True turned, None neither.

    The treasure opens every edge and lies as printed.
    """
    if goal == "treasure":
        return False
    demand = mine.edge_mask(cell)
    fitting = (turned for turned, shape in enumerate(GOAL_SHAPES[goal]) if agrees(shape, demand))
    way = next(fitting, None)
    return None if way is None else bool(way)
