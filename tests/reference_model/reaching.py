"""What is joined to the start, and what a path card turns over: R27-R31, E4-E11, E21, E27."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from tests.reference_model.cards import (
    OPPOSITE_EDGES,
    Cell,
    LaidCard,
    cell_of,
    edges_of,
    face_up_card_at,
    is_joined,
    neighbour_cell,
)
from tests.reference_model.differences import R28_ALL_REACHED_GOALS_ARE_TURNED

CellEdge = tuple[Cell, str]
Answer = Cell | bool
PlacedCard = tuple[str, int, int, bool]


class Question(TypedDict):
    """A question to the player of the last path card.

    ``kind`` is ``goal`` (answer: one of the cells in ``options``) or ``orientation`` (answer:
    turned or not, for the stone at ``cell``).
    """

    kind: str
    cell: Cell | None
    options: tuple[Answer, ...]


class TurnedGoal(TypedDict):
    """A goal that was turned over; ``turned`` is None as long as it has no way round."""

    cell: Cell
    goal: str
    turned: bool | None


class CardOutcome(TypedDict):
    """What laying a path card led to. A stone without a way round is missing from ``laid``."""

    turned: list[TurnedGoal]
    question: Question | None
    treasure: bool
    laid: list[LaidCard]
    face_down: dict[Cell, str]


def edges_joined_to_start(laid: list[LaidCard]) -> set[CellEdge]:
    """Return every (cell, edge) to which an unbroken path leads from the start (R27, E24).

    Two open edges that face each other are joined; an open edge against a wall is not (E7, E8);
    the open edges of one card are joined unless it is a dead end (E27). Face-down goals have no
    edges. Cards behind a gap are simply never found (R24).
    """
    joined_edges: set[CellEdge] = set()
    new_edges = {(cell_of(card), edge) for card in laid if card[4] == "start" for edge in card[2]}
    while new_edges:
        joined_edges |= new_edges
        new_edges = {
            next_edge for cell_edge in new_edges for next_edge in _next_cell_edges(laid, cell_edge)
        } - joined_edges
    return joined_edges


def _next_cell_edges(laid: list[LaidCard], cell_edge: CellEdge) -> set[CellEdge]:
    cell, edge = cell_edge
    cell_edges: set[CellEdge] = set()
    card = face_up_card_at(laid, cell)
    if card is not None and card[3]:
        cell_edges |= {(cell, other) for other in card[2]}
    neighbour_card = face_up_card_at(laid, neighbour_cell(cell, edge))
    if neighbour_card is not None and OPPOSITE_EDGES[edge] in neighbour_card[2]:
        cell_edges.add((neighbour_cell(cell, edge), OPPOSITE_EDGES[edge]))
    return cell_edges


def connected_goals(laid: list[LaidCard], goals: Mapping[Cell, object]) -> list[Cell]:
    """Return the cells among ``goals`` that a joined open edge points at, in order of y (E6)."""
    reached_cells = {neighbour_cell(cell, edge) for cell, edge in edges_joined_to_start(laid)}
    return sorted((cell for cell in goals if cell in reached_cells), key=lambda cell: cell[1])


def matches_neighbours(laid: list[LaidCard], cell: Cell, edges: frozenset[str]) -> bool:
    """Tell whether open meets open and wall meets wall towards all face-up neighbours (R15)."""
    for edge in "TRBL":
        neighbour = face_up_card_at(laid, neighbour_cell(cell, edge))
        if neighbour is not None and (edge in edges) != (OPPOSITE_EDGES[edge] in neighbour[2]):
            return False
    return True


def outcome_after_laying(
    rulebook: str,
    laid: list[LaidCard],
    *,
    face_down_goals: Mapping[Cell, str],
    placed_card: PlacedCard,
    answers: Sequence[Answer] = (),
) -> CardOutcome:
    """Return what follows from laying ``placed_card`` (code, x, y, turned), up to the next question.

    ``laid`` is the mine before the card; ``face_down_goals`` maps cells to goals; ``answers``
    are the choices made so far, in the order of their questions. Raises ValueError for an answer
    without a question or one that was not among the options.
    """
    code, x, y, turned = placed_card
    card: LaidCard = (x, y, edges_of(code, turned=turned), is_joined(code), "path")
    outcome: CardOutcome = {
        "turned": [],
        "question": None,
        "treasure": False,
        "laid": [*laid, card],
        "face_down": dict(face_down_goals),
    }
    remaining_answers = list(answers)
    if R28_ALL_REACHED_GOALS_ARE_TURNED[rulebook]:
        _turn_all_goals(outcome, remaining_answers)
    else:
        _turn_one_goal(outcome, remaining_answers)
    if remaining_answers:
        message = f"answers without a question: {remaining_answers}"
        raise ValueError(message)
    return outcome


def _turn_one_goal(outcome: CardOutcome, answers: list[Answer]) -> None:
    """Turn one connected goal, the player's choice, even if another player's card connected it (R28, E4, E5, E11)."""
    reached_goals = connected_goals(outcome["laid"], outcome["face_down"])
    if not reached_goals:
        return
    cell: Answer | None = reached_goals[0]
    if len(reached_goals) > 1:
        cell = _next_answer(
            outcome, answers, {"kind": "goal", "cell": None, "options": tuple(reached_goals)}
        )
    if not isinstance(cell, tuple):
        return
    _turn_goal_over(outcome, cell)
    _orient_misfits(outcome, answers)


def _turn_all_goals(outcome: CardOutcome, answers: list[Answer]) -> None:
    """Turn goals until nothing new is connected, then ask about misfits, and continue (E10, E11)."""
    while outcome["question"] is None and not outcome["treasure"]:
        reached_goals = connected_goals(outcome["laid"], outcome["face_down"])
        for cell in reached_goals:
            _turn_goal_over(outcome, cell)
        if not reached_goals and not _orient_first_misfit(outcome, answers):
            return


def _turn_goal_over(outcome: CardOutcome, cell: Cell) -> None:
    """Show a goal; put it into the mine if some way round agrees with all neighbours (R30).

    The treasure is open on all sides: it has one way round and always fits.
    """
    goal = outcome["face_down"].pop(cell)
    turned_goal: TurnedGoal = {"cell": cell, "goal": goal, "turned": None}
    outcome["turned"].append(turned_goal)
    if goal == "treasure":
        outcome["treasure"] = True
        _lay_goal(outcome, turned_goal, turned=False)
        return
    fitting_orientations = [
        turned
        for turned in (False, True)
        if matches_neighbours(outcome["laid"], cell, edges_of(goal, turned=turned))
    ]
    if fitting_orientations:
        (turned,) = fitting_orientations
        _lay_goal(outcome, turned_goal, turned=turned)


def _orient_misfits(outcome: CardOutcome, answers: list[Answer]) -> None:
    while outcome["question"] is None and _orient_first_misfit(outcome, answers):
        pass


def _orient_first_misfit(outcome: CardOutcome, answers: list[Answer]) -> bool:
    """Let the player of the last card pick one of the two ways round, lowest y first (E7, E10)."""
    misfits = [turned_goal for turned_goal in outcome["turned"] if turned_goal["turned"] is None]
    if not misfits:
        return False
    first_misfit = min(misfits, key=lambda turned_goal: turned_goal["cell"][1])
    turned = _next_answer(
        outcome,
        answers,
        {"kind": "orientation", "cell": first_misfit["cell"], "options": (False, True)},
    )
    if isinstance(turned, bool):
        _lay_goal(outcome, first_misfit, turned=turned)
    return True


def _lay_goal(outcome: CardOutcome, turned_goal: TurnedGoal, *, turned: bool) -> None:
    """Lay a shown goal for good (R31, E9, E21): it carries paths from now on."""
    turned_goal["turned"] = turned
    (x, y), edges = turned_goal["cell"], edges_of(turned_goal["goal"], turned=turned)
    outcome["laid"].append((x, y, edges, True, "goal"))


def _next_answer(outcome: CardOutcome, answers: list[Answer], question: Question) -> Answer | None:
    if not answers:
        outcome["question"] = question
        return None
    answer = answers.pop(0)
    if answer not in question["options"] or (
        isinstance(answer, bool) != (question["kind"] != "goal")
    ):
        message = f"{answer!r} does not answer {question}"
        raise ValueError(message)
    return answer
