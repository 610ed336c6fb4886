"""Turning over the goals that a path reaches (R27-R31, E4-E11, E21, E27)."""

from engine.cards import GOAL_SHAPES, Goal
from engine.cells import GOAL_CELLS, Cell, matches_mask
from engine.errors import IllegalAction, Reason
from engine.events import GoalsReached, GoalTurned, StoneMisfit
from engine.evolve import Transition
from engine.mine import Mine, default_orientation
from engine.rulebook import Rulebook
from engine.state import OrientationChoice, State


def turn_reached_goals(transition: Transition, seat: int) -> None:
    """Turn over all goals that are connected now, or one of the player's choice (R28).

    The card just laid need not touch a goal: it can close a gap further back (E34).
    """
    if not transition.state.mine.reached_goals:
        return
    if transition.rulebook.reveal_all_goals:
        _turn_all_goals(transition, seat)
    else:
        _turn_one_goal(transition, seat)


def choose_goal(transition: Transition, seat: int, cell: Cell) -> None:
    """Turn over the goal that the player chose (E4, E5). Raises IllegalAction if the goal is not connected."""
    if cell not in _face_down_reached_goals(transition.state):
        raise IllegalAction(Reason.NOT_OFFERED)
    _turn_goal_over(transition, seat, cell)


def orient_stone(transition: Transition, seat: int, *, turned: bool) -> None:
    """Lay a misfit stone in the orientation that the player chose (E7), then turn what it connects (E10)."""
    choice = transition.state.choice
    assert isinstance(choice, OrientationChoice)
    transition.record(GoalTurned(seat, choice.cell, choice.goal, turned))
    if transition.rulebook.reveal_all_goals:
        _turn_all_goals(transition, seat)


def treasure_is_found(state: State, rulebook: Rulebook) -> bool:
    """Return whether the gold-diggers found the treasure (R31, R34, R35).

    It is found when it lies face up; by most rulebooks also when a path reaches it.
    """
    return treasure_is_face_up(state) or (
        not rulebook.treasure_must_be_turned and _treasure_cell(state) in state.mine.reached_goals
    )


def treasure_is_face_up(state: State) -> bool:
    """Return whether the treasure lies face up, which ends the round at once (R31)."""
    return _treasure_cell(state) in state.mine.laid


def _turn_one_goal(transition: Transition, seat: int) -> None:
    cells = _face_down_reached_goals(transition.state)
    if len(cells) > 1:
        transition.record(GoalsReached(seat, cells))
    else:
        _turn_goal_over(transition, seat, cells[0])


def _turn_goal_over(transition: Transition, seat: int, cell: Cell) -> None:
    goal = _goal_at(transition.state, cell)
    turned = fitting_orientation(transition.state.mine, cell, goal)
    transition.record(
        StoneMisfit(seat, cell, goal) if turned is None else GoalTurned(seat, cell, goal, turned)
    )


def _turn_all_goals(transition: Transition, seat: int) -> None:
    misfit_cells = _turn_all_fitting_goals(transition, seat)
    if treasure_is_face_up(transition.state):
        # The treasure ends the round without another choice (E10): misfits take their default orientation.
        for cell in misfit_cells:
            _turn_goal_by_default(transition, seat, cell)
        return
    unsettled = dict(transition.state.unsettled)
    for cell in misfit_cells:
        if cell not in unsettled:
            transition.record(StoneMisfit(seat, cell, _goal_at(transition.state, cell)))


def _turn_goal_by_default(transition: Transition, seat: int, cell: Cell) -> None:
    state = transition.state
    goal = _goal_at(state, cell)
    turned = default_orientation(state.mine, cell, goal, state.last_laid)
    transition.record(GoalTurned(seat, cell, goal, turned))


def _turn_all_fitting_goals(transition: Transition, seat: int) -> list[Cell]:
    """Turn goals until no new goal is connected or the treasure is face up (R31, E10).

    Returns the cells of the stones that fit in neither orientation, top first.
    """
    misfit_cells: list[Cell] = []
    while not treasure_is_face_up(transition.state):
        new_goals = [
            cell for cell in _reached_goals(transition.state.mine) if cell not in misfit_cells
        ]
        if not new_goals:
            break
        misfit_cells += [
            cell for cell in new_goals if not _turn_goal_if_it_fits(transition, seat, cell)
        ]
    return sorted(misfit_cells, key=GOAL_CELLS.index)


def _turn_goal_if_it_fits(transition: Transition, seat: int, cell: Cell) -> bool:
    goal = _goal_at(transition.state, cell)
    turned = fitting_orientation(transition.state.mine, cell, goal)
    if turned is None:
        return False
    transition.record(GoalTurned(seat, cell, goal, turned))
    return True


def _treasure_cell(state: State) -> Cell:
    return GOAL_CELLS[state.goals.index("treasure")]


def _reached_goals(mine: Mine) -> tuple[Cell, ...]:
    return tuple(cell for cell in GOAL_CELLS if cell in mine.reached_goals)


def _face_down_reached_goals(state: State) -> tuple[Cell, ...]:
    unsettled = dict(state.unsettled)
    return tuple(cell for cell in _reached_goals(state.mine) if cell not in unsettled)


def _goal_at(state: State, cell: Cell) -> Goal:
    return state.goals[GOAL_CELLS.index(cell)]


def fitting_orientation(mine: Mine, cell: Cell, goal: Goal) -> bool | None:
    """Return the orientation in which a goal fits all its face-up neighbours (R29, R30).

    False is as printed, True is turned by 180 degrees, None means that neither fits. The treasure is open on every side and
    always lies as printed.
    """
    if goal == "treasure":
        return False
    mask = mine.edge_mask(cell)
    fits_as_printed, fits_turned = (matches_mask(shape, mask) for shape in GOAL_SHAPES[goal])
    if fits_as_printed:
        return False
    return True if fits_turned else None
