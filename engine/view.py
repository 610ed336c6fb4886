"""The view of one seat: what it may know, built field by field, its legal actions, and the neutral one.

Everything of a :class:`~engine.state.State` that leaves the server goes through ``view_for``. ``legal_actions`` takes a view,
so the actions cannot reveal what the seat does not know.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec

from engine.actions import Action, ChooseGoal, ChooseOrientation, Discard, Pass, TakeGold
from engine.cards import HAND_SIZES, Card, Goal, Role, Tool
from engine.cells import GOAL_CELLS, Cell
from engine.mine import Mine, default_orientation
from engine.rulebook import HouseRules
from engine.state import GoalChoice, GoldChoice, OrientationChoice, RoundResult, State
from engine.turn_actions import TurnActions

T = TypeVar("T")
ChoiceKind: TypeAlias = Literal["turn", "goal", "way-round", "gold"]


class Awaiting(msgspec.Struct, frozen=True):
    """The seat that the game waits for, and the kind of decision. This is public."""

    seat: int
    kind: ChoiceKind
    cells: tuple[Cell, ...] = ()
    """The goals to choose from, or the stone to orient."""


class View(msgspec.Struct, frozen=True):
    """What one seat may know of a game; ``seat`` None is an onlooker. Tuples over seats are in seat order."""

    rulebook: str
    house: HouseRules
    seq: int
    round: int
    seats: int
    seat: int | None
    awaiting: Awaiting | None
    """None if the game is over."""
    role: Role | None
    """The seat's own role this round."""
    hand: tuple[Card, ...]
    mine: Mine
    last_laid: Cell | None
    goals: tuple[Goal | None, Goal | None, Goal | None]
    """The goals at the three goal cells, top first, if the seat knows them: face up, or seen with its own map.

    All three if the game is over.
    """
    turned: tuple[bool, bool, bool]
    """Whether each goal was turned over, top first."""
    deck_size: int
    discard_count: int
    hand_sizes: tuple[int, ...]
    broken: tuple[tuple[Tool, ...], ...]
    gone: tuple[int, ...]
    roles: tuple[Role | None, ...]
    """The roles that this seat knows: its own, and all while gold is shared or the game is over."""
    gold_held: tuple[int, ...]
    """The gold cards in the hand of this seat; it must pick one."""
    gold: tuple[tuple[int, ...] | None, ...]
    """The gold cards that each seat has won; None if they are secret (R46)."""
    results: tuple[RoundResult, ...]
    winners: tuple[int, ...]

    def __repr__(self) -> str:
        """Show the seat and the turn only, because the view holds a hand."""
        return f"<View {self.seat} {self.seq}>"


_NONE_TURNED: Final = (False, False, False)
_AWAITED_TURNS: Final = tuple(Awaiting(seat, "turn") for seat in range(max(HAND_SIZES)))


def awaiting(state: State) -> Awaiting | None:
    """Return the seat that the game waits for, or None if the game is over."""
    if state.choice is None:
        return None if state.turn is None else _AWAITED_TURNS[state.turn]
    match state.choice:
        case GoalChoice(seat, cells):
            return Awaiting(seat, "goal", cells)
        case OrientationChoice(seat, cell, _):
            return Awaiting(seat, "way-round", (cell,))
    return Awaiting(state.choice.seat, "gold")


def view_for(state: State, seat: int | None, *, reveal_all: bool = False) -> View:
    """Return what a seat may know of the game, or an onlooker (None) (R3, R26, R41, R46, R52).

    With ``reveal_all``, for a game that was stopped for good, nothing is secret and no one is awaited.

    Players cannot show their cards (E32): a view holds one hand and one role, its own, until the roles are shown (R33).
    Raises LookupError for a seat that does not exist, negative numbers included.
    """
    if seat is not None and not 0 <= seat < state.seats:
        raise LookupError(seat)
    is_all_shown = reveal_all or bool(state.winners)
    turned = _turned_goals(state)
    gold_choice = state.choice if isinstance(state.choice, GoldChoice) else None
    # Positional, because keyword arguments take msgspec ten times as long.
    return View(
        state.rulebook,
        state.house,
        state.seq,
        state.round,
        state.seats,
        seat,
        None if is_all_shown else awaiting(state),
        None if seat is None else state.roles[seat],
        () if seat is None else state.hands[seat],
        state.mine,
        state.last_laid,
        _all_goals(state) if is_all_shown else _goals_for(state, seat, turned),
        turned,
        len(state.deck),
        len(state.discards),
        tuple(map(len, state.hands)),
        state.broken,
        state.gone,
        state.roles if is_all_shown or gold_choice else _only_own_row(state.roles, seat),
        gold_choice.cards if gold_choice and gold_choice.seat == seat else (),
        state.gold if is_all_shown or state.house.open_gold else _only_own_row(state.gold, seat),
        state.results,
        state.winners,
    )


def _turned_goals(state: State) -> tuple[bool, bool, bool]:
    laid, (top_goal, middle_goal, bottom_goal) = state.mine.laid, GOAL_CELLS
    if not state.unsettled:
        return top_goal in laid, middle_goal in laid, bottom_goal in laid
    turned = {*laid, *dict(state.unsettled)}
    return top_goal in turned, middle_goal in turned, bottom_goal in turned


def _goals_for(
    state: State, seat: int | None, turned: tuple[bool, bool, bool]
) -> tuple[Goal | None, Goal | None, Goal | None]:
    seen = () if seat is None else state.seen[seat]
    if not seen and turned == _NONE_TURNED:
        return None, None, None
    top_goal, middle_goal, bottom_goal = state.goals
    return (
        top_goal if turned[0] or GOAL_CELLS[0] in seen else None,
        middle_goal if turned[1] or GOAL_CELLS[1] in seen else None,
        bottom_goal if turned[2] or GOAL_CELLS[2] in seen else None,
    )


def _all_goals(state: State) -> tuple[Goal, Goal, Goal]:
    top_goal, middle_goal, bottom_goal = state.goals
    return top_goal, middle_goal, bottom_goal


def _only_own_row(rows: tuple[T, ...], seat: int | None) -> tuple[T | None, ...]:
    """Return the rows with None for every seat but this one."""
    known_rows: list[T | None] = [None] * len(rows)
    if seat is not None:
        known_rows[seat] = rows[seat]
    return tuple(known_rows)


def legal_actions(view: View) -> Sequence[Action]:
    """Return every action that the rules accept from this seat now; all others are refused.

    Equal cards count once. A card that looks the same both ways is listed as printed only; laid "turned" it is accepted as
    the same placement (R16, E35). The order depends on nothing that the seat does not know.
    """
    awaited = view.awaiting
    if awaited is None or awaited.seat != view.seat:
        return ()
    return _ACTIONS_BY_CHOICE_KIND[awaited.kind](view, awaited)


def _turn_actions(view: View, awaited: Awaiting) -> Sequence[Action]:
    return TurnActions(view, awaited.seat) if view.hand else (Pass(),)


def _goal_choices(_view: View, awaited: Awaiting) -> Sequence[Action]:
    return tuple(map(ChooseGoal, awaited.cells))


def _orientation_choices(_view: View, _awaited_decision: Awaiting) -> Sequence[Action]:
    return tuple(map(ChooseOrientation, (False, True)))


def _gold_choices(view: View, _awaited_decision: Awaiting) -> Sequence[Action]:
    return tuple(map(TakeGold, sorted(set(view.gold_held), reverse=True)))


_ACTIONS_BY_CHOICE_KIND: dict[ChoiceKind, Callable[[View, Awaiting], Sequence[Action]]] = {
    "turn": _turn_actions,
    "goal": _goal_choices,
    "way-round": _orientation_choices,
    "gold": _gold_choices,
}


def neutral_action(view: View, random_below: Callable[[int], int]) -> Action:
    """Return the default action for a player who is late; it is the same for both roles.

    On turn it is the discard of a random card, or a pass with an empty hand; for a choice it is a random goal, the orientation
    that joins the new card, or the most valuable gold card. ``random_below(n)`` returns a random number below n. Raises ValueError if
    the game does not wait for this seat.
    """
    awaited = view.awaiting
    if awaited is None or awaited.seat != view.seat:
        message = "the game does not wait for this seat"
        raise ValueError(message)
    match awaited.kind:
        case "goal":
            return ChooseGoal(awaited.cells[random_below(len(awaited.cells))])
        case "way-round":
            return ChooseOrientation(_default_orientation(view, awaited.cells[0]))
        case "gold":
            return TakeGold(max(view.gold_held))
    return Discard(view.hand[random_below(len(view.hand))]) if view.hand else Pass()


def _default_orientation(view: View, cell: Cell) -> bool:
    goal = view.goals[GOAL_CELLS.index(cell)]
    return goal is not None and default_orientation(view.mine, cell, goal, view.last_laid)
