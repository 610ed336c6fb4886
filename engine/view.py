"""What one seat may know, built field by field, and what it may do with that.

``view_for`` is the only way from a :class:`~engine.state.State` to anything that leaves the server. ``legal_actions`` takes
a view, so the menu cannot offer what the seat cannot know.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec

from engine.actions import Action, ChooseGoal, Discard, Pass, TakeGold, TurnGoal
from engine.cards import HAND_SIZES, Card, Goal, Role, Tool
from engine.cells import GOAL_CELLS, Cell
from engine.mine import Mine, orientation_joining
from engine.rulebook import HouseRules
from engine.state import GoalChoice, GoldChoice, OrientationChoice, RoundResult, State
from engine.turn_actions import TurnActions

T = TypeVar("T")

ChoiceKind: TypeAlias = Literal["turn", "goal", "way-round", "gold"]


class Awaiting(msgspec.Struct, frozen=True):
    """Whom the game waits for, and for what: public knowledge."""

    seat: int
    kind: ChoiceKind
    cells: tuple[Cell, ...] = ()
    """The goals to choose between, or the stone to turn."""


class View(msgspec.Struct, frozen=True):
    """What one seat may know of a game; tuples over seats are in seat order. ``seat`` None is an onlooker."""

    rulebook: str
    house: HouseRules
    seq: int
    round: int
    seats: int
    seat: int | None
    awaiting: Awaiting | None
    """None once the game is over."""
    role: Role | None
    """One's own role this round."""
    hand: tuple[Card, ...]
    mine: Mine
    last_laid: Cell | None
    goals: tuple[Goal | None, Goal | None, Goal | None]
    """What lies at the three goal places, top first, as far as this seat knows: turned over, or seen by its own map.

    All three once the game is over.
    """
    turned: tuple[bool, bool, bool]
    """Which goals lie face up."""
    deck_size: int
    discard_count: int
    hand_sizes: tuple[int, ...]
    broken: tuple[tuple[Tool, ...], ...]
    gone: tuple[int, ...]
    roles: tuple[Role | None, ...]
    """Everybody's role as far as this seat knows: its own, and all while gold is shared or the game is over."""
    gold_held: tuple[int, ...]
    """The gold cards to pick from, when this seat holds them."""
    gold: tuple[tuple[int, ...] | None, ...]
    """Won gold cards by seat; None where they are secret (R46)."""
    results: tuple[RoundResult, ...]
    winners: tuple[int, ...]

    def __repr__(self) -> str:
        """Blank in tracebacks and logs, for it holds a hand."""
        return f"<View {self.seat} {self.seq}>"


_NONE_TURNED: Final = (False, False, False)
_TURNS: Final = tuple(Awaiting(seat, "turn") for seat in range(max(HAND_SIZES)))


def awaiting(state: State) -> Awaiting | None:
    """Whom the game waits for; None once it is over."""
    if state.choice is None:
        return None if state.turn is None else _TURNS[state.turn]
    match state.choice:
        case GoalChoice(seat, cells):
            return Awaiting(seat, "goal", cells)
        case OrientationChoice(seat, cell, _):
            return Awaiting(seat, "way-round", (cell,))
    return Awaiting(state.choice.seat, "gold")


def view_for(state: State, seat: int | None) -> View:
    """What this seat may know of the game; ``None`` asks for what anybody may know (R3, R26, R41, R46, R52).

    Nobody can show a card to anybody (E32): a view holds one hand and one role, its own, until roles are open (R33).
    Raises LookupError when there is no such seat: -1 is not the last one.
    """
    if seat is not None and not 0 <= seat < state.seats:
        raise LookupError(seat)
    over = bool(state.winners)
    turned = _turned(state)
    shown = over or isinstance(state.choice, GoldChoice)
    # In order and without names: msgspec looks for each name among all, which costs ten times as much.
    return View(
        state.rulebook,
        state.house,
        state.seq,
        state.round,
        state.seats,
        seat,
        awaiting(state),
        None if seat is None else state.roles[seat],
        () if seat is None else state.hands[seat],
        state.mine,
        state.last_laid,
        _all_goals(state) if over else _goals_for(state, seat, turned),
        turned,
        len(state.deck),
        len(state.discards),
        tuple(map(len, state.hands)),
        state.broken,
        state.gone,
        state.roles if shown else _only(state.roles, seat),
        _gold_held(state, seat),
        state.gold if over or state.house.open_gold else _only(state.gold, seat),
        state.results,
        state.winners,
    )


def _turned(state: State) -> tuple[bool, bool, bool]:
    laid, (top, middle, bottom) = state.mine.laid, GOAL_CELLS
    if not state.unsettled:
        return top in laid, middle in laid, bottom in laid
    shown = {*laid, *dict(state.unsettled)}
    return top in shown, middle in shown, bottom in shown


def _goals_for(
    state: State, seat: int | None, turned: tuple[bool, bool, bool]
) -> tuple[Goal | None, Goal | None, Goal | None]:
    seen = () if seat is None else state.seen[seat]
    if not seen and turned == _NONE_TURNED:
        return None, None, None
    top, middle, bottom = state.goals
    return (
        top if turned[0] or GOAL_CELLS[0] in seen else None,
        middle if turned[1] or GOAL_CELLS[1] in seen else None,
        bottom if turned[2] or GOAL_CELLS[2] in seen else None,
    )


def _all_goals(state: State) -> tuple[Goal, Goal, Goal]:
    top, middle, bottom = state.goals
    return top, middle, bottom


def _only(rows: tuple[T, ...], seat: int | None) -> tuple[T | None, ...]:
    """The rows by seat, all but one's own blotted out."""
    known: list[T | None] = [None] * len(rows)
    if seat is not None:
        known[seat] = rows[seat]
    return tuple(known)


def _gold_held(state: State, seat: int | None) -> tuple[int, ...]:
    choice = state.choice
    return choice.cards if isinstance(choice, GoldChoice) and choice.seat == seat else ()


def legal_actions(view: View) -> Sequence[Action]:
    """Everything this seat may do now: whatever is listed is accepted, whatever is omitted is refused.

    Cards that look alike count once. A card that looks the same both ways is listed as printed only; laid "turned" it is
    accepted as the same placement (R16, E35). The order depends on nothing that the seat does not know.
    """
    due = view.awaiting
    if due is None or due.seat != view.seat:
        return ()
    return _MENUS[due.kind](view, due)


def _turn_menu(view: View, due: Awaiting) -> Sequence[Action]:
    return TurnActions(view, due.seat) if view.hand else (Pass(),)


def _goal_menu(_view: View, due: Awaiting) -> Sequence[Action]:
    return tuple(map(ChooseGoal, due.cells))


def _way_round_menu(_view: View, _due: Awaiting) -> Sequence[Action]:
    return tuple(map(TurnGoal, (False, True)))


def _gold_menu(view: View, _due: Awaiting) -> Sequence[Action]:
    return tuple(map(TakeGold, sorted(set(view.gold_held), reverse=True)))


_MENUS: dict[ChoiceKind, Callable[[View, Awaiting], Sequence[Action]]] = {
    "turn": _turn_menu,
    "goal": _goal_menu,
    "way-round": _way_round_menu,
    "gold": _gold_menu,
}


def neutral_action(view: View, pick: Callable[[int], int]) -> Action:
    """What is played for a seat that is late: the same for both roles.

    On turn, a random card of the hand is discarded (a pass, when the hand is empty); which goal, by chance; the way round
    that joins the new card; the most valuable gold. ``pick(n)`` gives a number below n.
    Raises ValueError when the game does not wait for this seat.
    """
    due = view.awaiting
    if due is None or due.seat != view.seat:
        message = "the game does not wait for this seat"
        raise ValueError(message)
    return _neutral(view, due, pick)


def _neutral(view: View, due: Awaiting, pick: Callable[[int], int]) -> Action:
    match due.kind:
        case "goal":
            return ChooseGoal(due.cells[pick(len(due.cells))])
        case "way-round":
            return TurnGoal(_joining(view, due.cells[0]))
        case "gold":
            return TakeGold(max(view.gold_held))
    return Discard(view.hand[pick(len(view.hand))]) if view.hand else Pass()


def _joining(view: View, cell: Cell) -> bool:
    goal = view.goals[GOAL_CELLS.index(cell)]
    return goal is not None and orientation_joining(view.mine, cell, goal, view.last_laid)
