"""Translate states and actions of the engine into those of the reference model, and compare what each makes of them.

Only what lies on the table is translated: cards, cells and seats. No rule of the engine is.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
)
from engine.cards import CONNECTS_EDGES, EDGES, START_SHAPE
from engine.cells import GOAL_CELLS, position
from engine.events import Ending
from engine.mine import Mine
from engine.state import GoalChoice, OrientationChoice, State
from tests.reference_model import turns
from tests.reference_model.cards import Cell, Edges, LaidCard
from tests.reference_model.reaching import CardOutcome, PlacedCard, Question, outcome_after_laying

ENDINGS: Final[dict[str, Ending]] = {
    "treasure": "treasure",
    "hands": "exhausted",
    "passes": "circle-of-passes",
}
"""The engine's name of each ending of the reference model."""


def laid_cards(mine: Mine) -> list[LaidCard]:
    """Return the cards of a mine as the reference model writes them."""
    return [
        (*position(cell), edges_of(shape), CONNECTS_EDGES[shape], _kind_of_card(cell, shape))
        for cell, shape in mine.laid.items()
    ]


def edges_of(shape: str) -> Edges:
    return frozenset(
        side for bit_number, side in enumerate("TRBL") if EDGES[shape] >> bit_number & 1
    )


def _kind_of_card(cell: str, shape: str) -> str:
    if shape == START_SHAPE:
        return "start"
    return "goal" if cell in GOAL_CELLS else "path"


def face_down_goals(state: State) -> dict[Cell, str]:
    """Return the goals that lie face down, by cell."""
    shown_cells = {*state.mine.laid, *dict(state.unsettled)}
    return {
        position(cell): goal
        for cell, goal in zip(GOAL_CELLS, state.goals, strict=True)
        if cell not in shown_cells
    }


def open_question(state: State) -> Question | None:
    """Return the choice that the seat on turn has to make, if any."""
    match state.choice:
        case GoalChoice(_, cells):
            return {"kind": "goal", "cell": None, "options": tuple(map(position, cells))}
        case OrientationChoice(_, cell, _):
            return {"kind": "orientation", "cell": position(cell), "options": (False, True)}
    return None


def model_position(state: State) -> turns.ModelPosition:
    """Return everything that decides what the seat on turn may do."""
    seat = cast("int", state.turn)
    return {
        "rulebook": state.rulebook,
        "house_rules": {"no_self_breaking": state.house.no_self_breaking},
        "laid": laid_cards(state.mine),
        "face_down_goals": face_down_goals(state),
        "seats": state.seats,
        "given_up": state.gone,
        "broken": dict(enumerate(state.broken)),
        "seat": seat,
        "hand": state.hands[seat],
        "question": open_question(state),
    }


def assert_same_actions(state: State, offered: Sequence[Action]) -> None:
    """Compare what the engine offers to the seat on turn with what the reference model allows."""
    actions = [model_action(action, state) for action in offered]
    assert len(actions) == len(set(actions))
    assert set(actions) == turns.legal_actions(model_position(state))


def model_action(action: Action, state: State) -> turns.ModelAction:
    """Return an action of the engine as the reference model writes it."""
    if isinstance(action, ChooseOrientation):
        assert isinstance(state.choice, OrientationChoice)
        return ("orientation", *position(state.choice.cell), action.turned)
    return _TRANSLATIONS[type(action)](action)


_TRANSLATIONS: Final[dict[type[Action], Callable[[Any], turns.ModelAction]]] = {
    Lay: lambda lay: ("lay", lay.card, *position(lay.cell), lay.turned),
    Break: lambda action: ("break", action.card, action.seat),
    Repair: lambda repair: ("repair", repair.card, repair.seat, repair.tool),
    Rockfall: lambda rockfall: ("rockfall", *position(rockfall.cell)),
    Look: lambda look: ("map", *position(look.cell)),
    Discard: lambda discard: ("discard", discard.card),
    Pass: lambda _: ("pass",),
    ChooseGoal: lambda choice: ("goal", *position(choice.cell)),
}


def outcome_of(earlier_state: State, lay: Lay, answers: Sequence[Action] = ()) -> CardOutcome:
    """Return what the reference model makes of a card laid in a state, given the choices that followed."""
    placed_card: PlacedCard = (lay.card, *position(lay.cell), lay.turned)
    return outcome_after_laying(
        earlier_state.rulebook,
        laid_cards(earlier_state.mine),
        face_down_goals=face_down_goals(earlier_state),
        placed_card=placed_card,
        answers=[_model_answer(action) for action in answers],
    )


def _model_answer(action: Action) -> Cell | bool:
    if isinstance(action, ChooseGoal):
        return position(action.cell)
    assert isinstance(action, ChooseOrientation)
    return action.turned


def assert_same_outcome(outcome: CardOutcome, later_state: State) -> None:
    """Compare what a laid card led to. Stones without a way round once the treasure shows count for nothing (E10)."""
    undecided_cells = {goal["cell"] for goal in outcome["turned"] if goal["turned"] is None}
    engine = {card for card in laid_cards(later_state.mine) if card[:2] not in undecided_cells}
    assert engine == set(outcome["laid"])
    assert face_down_goals(later_state) == outcome["face_down"]
    assert open_question(later_state) == outcome["question"]


def treasure_cell(state: State) -> Cell:
    """Return where the treasure lies."""
    return position(GOAL_CELLS[state.goals.index("treasure")])
