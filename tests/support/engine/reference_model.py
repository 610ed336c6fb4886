"""The oracle follows a game of the engine and judges every step anew.

Nothing is handed over but what lies on the table: cards, cells and seats are translated, rules are not.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TurnGoal,
)
from engine.cards import CONNECTS_EDGES, EDGES, START
from engine.cells import GOAL_CELLS, position
from engine.events import Ending
from engine.mine import Mine
from engine.state import GoalChoice, OrientationChoice, State
from tests.reference_model import turns
from tests.reference_model.cards import Cell, Edges, Laid
from tests.reference_model.reaching import Ask, Outcome, Placed, after_laying

ENDINGS: Final[dict[str, Ending]] = {
    "treasure": "treasure",
    "hands": "exhausted",
    "passes": "circle-of-passes",
}
"""What the engine calls each ending that the oracle knows."""


def laid_cards(mine: Mine) -> list[Laid]:
    """The cards of a mine, as the oracle writes them."""
    return [
        (*position(cell), edges_of(shape), CONNECTS_EDGES[shape], _kind(cell, shape))
        for cell, shape in mine.laid.items()
    ]


def edges_of(shape: str) -> Edges:
    return frozenset(letter for bit, letter in enumerate("TRBL") if EDGES[shape] >> bit & 1)


def _kind(cell: str, shape: str) -> str:
    if shape == START:
        return "start"
    return "goal" if cell in GOAL_CELLS else "path"


def face_down_goals(state: State) -> dict[Cell, str]:
    """What lies at the goal places that nobody has turned over."""
    shown = {*state.mine.laid, *dict(state.unsettled)}
    return {
        position(cell): goal
        for cell, goal in zip(GOAL_CELLS, state.goals, strict=True)
        if cell not in shown
    }


def question(state: State) -> Ask | None:
    """The choice that the seat on turn has, if any."""
    match state.choice:
        case GoalChoice(_, cells):
            return {"what": "goal", "cell": None, "options": tuple(map(position, cells))}
        case OrientationChoice(_, cell, _):
            return {"what": "orientation", "cell": position(cell), "options": (False, True)}
    return None


def oracle_position(state: State) -> turns.Position:
    """All that bears on what the seat on turn may do."""
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
        "ask": question(state),
    }


def oracle_actions(state: State) -> set[turns.Action]:
    """What the oracle lets the seat on turn do."""
    return turns.legal_actions(oracle_position(state))


def oracle_action(action: Action, state: State) -> turns.Action:
    """An action of the engine, as the oracle writes it."""
    if isinstance(action, TurnGoal):
        assert isinstance(state.choice, OrientationChoice)
        return ("orientation", *position(state.choice.cell), action.turned)
    return _WORDS[type(action)](action)


_WORDS: Final[dict[type[Action], Callable[[Any], turns.Action]]] = {
    Lay: lambda lay: ("lay", lay.card, *position(lay.cell), lay.turned),
    Break: lambda action: ("break", action.card, action.seat),
    Repair: lambda repair: ("repair", repair.card, repair.seat, repair.tool),
    Rockfall: lambda rockfall: ("rockfall", *position(rockfall.cell)),
    Look: lambda look: ("map", *position(look.cell)),
    Discard: lambda discard: ("discard", discard.card),
    Pass: lambda _: ("pass",),
    ChooseGoal: lambda choice: ("goal", *position(choice.cell)),
}


def outcome_of(before: State, lay: Lay, answers: Sequence[Action] = ()) -> Outcome:
    """What the oracle makes of a card laid at this position, given the choices that followed."""
    placed: Placed = (lay.card, *position(lay.cell), lay.turned)
    return after_laying(
        before.rulebook,
        laid_cards(before.mine),
        face_down_goals=face_down_goals(before),
        placed=placed,
        answers=[_answer(action) for action in answers],
    )


def _answer(action: Action) -> Cell | bool:
    if isinstance(action, ChooseGoal):
        return position(action.cell)
    assert isinstance(action, TurnGoal)
    return action.turned


def agree_on_outcome(outcome: Outcome, after: State) -> None:
    """Compare what a card led to. Stones without a way round once the treasure shows count for nothing (E10)."""
    without_way = {goal["cell"] for goal in outcome["turned"] if goal["turned"] is None}
    engine = {card for card in laid_cards(after.mine) if card[:2] not in without_way}
    assert engine == set(outcome["laid"])
    assert face_down_goals(after) == outcome["face_down"]
    assert question(after) == outcome["ask"]


def oracle_goal_cell(state: State) -> Cell:
    """Where the treasure lies."""
    return position(GOAL_CELLS[state.goals.index("treasure")])
