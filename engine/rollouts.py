"""The rules of one round on a position that changes in place, for bots that try thousands of continuations of a game.

The rules are those of :mod:`engine.rules`, without events, views, gold and refusals: every action must be legal, nothing is
checked. ``tests/rules/test_rollouts.py`` plays the same games with both and compares every position.
"""

from collections.abc import Callable, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

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
from engine.cards import (
    BREAKS,
    GOAL_SHAPES,
    MAP,
    ROCKFALL,
    TURNED_SHAPES,
    Card,
    Goal,
    Role,
    Shape,
    Tool,
)
from engine.cells import GOAL_CELLS, Cell
from engine.events import Side
from engine.mine import Mine, default_orientation
from engine.reached_goals import fitting_orientation
from engine.rulebook import HouseRules, Rulebook
from engine.rulebooks.catalogue import RULEBOOKS

T = TypeVar("T")


class ChangingMine(Mine):
    """A mine for rollouts: with the queries of a :class:`~engine.mine.Mine`, but laying a card copies nothing."""

    __slots__ = ()

    @classmethod
    def copy_of(cls, mine: Mine) -> "ChangingMine":
        """Return a copy that may be changed."""
        copy: ChangingMine = object.__new__(cls)
        copy.continue_path = mine.continue_path
        copy.build_from_goal_alone = mine.build_from_goal_alone
        copy.laid, copy.open_cells = mine.laid.copy(), mine.open_cells.copy()
        # These are replaced when they change, so that copies can share them.
        copy.closed_cells = mine.closed_cells
        copy.disconnected, copy.reached_goals = mine.disconnected, mine.reached_goals
        copy._placement_counts = None
        return copy

    def lay(self, cell: Cell, shape: Shape) -> None:
        """Add a path card or a turned goal."""
        self._placement_counts = None
        self._add_card(cell, shape)

    def remove(self, cell: Cell) -> None:
        """Remove a path card (R24); the cards behind the gap stay."""
        laid = {kept_cell: shape for kept_cell, shape in self.laid.items() if kept_cell != cell}
        self.__init__(  # type: ignore[misc]  # Every result is rebuilt, as for a new mine.
            continue_path=self.continue_path,
            build_from_goal_alone=self.build_from_goal_alone,
            laid=laid,
        )


BrokenTools: TypeAlias = tuple[Tool, ...]


@dataclass(slots=True, kw_only=True, repr=False)
class Position:
    """The position of a round, with every secret, real or only supposed by a bot."""

    rulebook: Rulebook
    house: HouseRules
    mine: ChangingMine
    roles: Sequence[Role]
    goals: tuple[Goal, Goal, Goal]
    """The goals at the three goal cells, top first."""
    hands: list[list[Card]]
    deck: list[Card]
    """The draw deck, top card last."""
    broken: list[BrokenTools]
    gone: tuple[int, ...]
    turn: int
    """The seat on turn; also the seat that has to choose."""
    passed: int = 0
    """The number of passes in a row with the deck empty (E13)."""
    last_laid: Cell | None = None
    goal_choice: tuple[Cell, ...] = ()
    """The reached goals; one of them must be chosen (R28, E4)."""
    misfits: list[Cell] = field(default_factory=list)
    """The stones whose orientation must be chosen, in the order turned over (E7, E11)."""
    winners: Side | None = None
    """The side that has won the round; None if it is not over."""

    @property
    def turned(self) -> tuple[bool, bool, bool]:
        """Whether each goal was turned over, top first."""
        top, middle, bottom = (
            cell in self.mine.laid or cell in self.misfits for cell in GOAL_CELLS
        )
        return top, middle, bottom

    def hand_of_turn(self) -> list[Card]:
        """Return the hand of the seat on turn."""
        return self.hands[self.turn]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Deal:
    """What a seat does not know of a round: the roles, the goals, the hands and the deck, real or supposed."""

    roles: Sequence[Role]
    goals: tuple[Goal, Goal, Goal]
    hands: Sequence[Sequence[Card]]
    deck: Sequence[Card]
    """The draw deck, top card last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicPosition:
    """What everyone knows of a round."""

    rulebook: str
    house: HouseRules
    mine: Mine
    broken: Sequence[BrokenTools]
    gone: tuple[int, ...]
    turn: int
    last_laid: Cell | None


def position_of(public_position: PublicPosition, deal: Deal, *, passed: int = 0) -> Position:
    """Return a position that may be changed; the arguments are copied where needed."""
    return Position(
        rulebook=RULEBOOKS[public_position.rulebook],
        house=public_position.house,
        mine=ChangingMine.copy_of(public_position.mine),
        roles=deal.roles,
        goals=deal.goals,
        hands=[list(hand) for hand in deal.hands],
        deck=list(deal.deck),
        broken=list(public_position.broken),
        gone=public_position.gone,
        turn=public_position.turn,
        passed=passed,
        last_laid=public_position.last_laid,
    )


def play(position: Position, action: Action) -> None:
    """Play a legal action of the seat on turn, up to the next turn, the next choice or the end of the round."""
    _PLAY_BY_ACTION[type(action)](position, action)
    if not (position.goal_choice or position.misfits):
        _finish_turn(position)


def _lay(position: Position, action: Lay) -> None:
    _play_card(position, action.card)
    shape = TURNED_SHAPES[action.card] if action.turned else action.card
    position.mine.lay(action.cell, shape)
    position.last_laid = action.cell
    if position.mine.reached_goals:
        _turn_reached_goals(position)


def _break(position: Position, action: Break) -> None:
    _play_card(position, action.card)
    position.broken[action.seat] = (*position.broken[action.seat], BREAKS[action.card])


def _repair(position: Position, action: Repair) -> None:
    _play_card(position, action.card)
    position.broken[action.seat] = tuple(
        tool for tool in position.broken[action.seat] if tool != action.tool
    )


def _rockfall(position: Position, action: Rockfall) -> None:
    _play_card(position, ROCKFALL)
    position.mine.remove(action.cell)
    if position.last_laid == action.cell:
        position.last_laid = None


def _look(position: Position, _action: Look) -> None:
    _play_card(position, MAP)


def _discard(position: Position, action: Discard) -> None:
    position.hand_of_turn().remove(action.card)
    position.passed = 0 if position.deck else position.passed + 1


def _pass(position: Position, _action: Pass) -> None:
    position.passed += 1


def _choose_goal(position: Position, action: ChooseGoal) -> None:
    position.goal_choice = ()
    _turn_goal_over(position, action.cell)


def _turn_goal(position: Position, action: ChooseOrientation) -> None:
    cell = min(position.misfits, key=GOAL_CELLS.index)
    _lay_goal(position, cell, turned=action.turned)
    if position.rulebook.reveal_all_goals:
        _turn_all_goals(position)


def _play_card(position: Position, card: Card) -> None:
    position.hand_of_turn().remove(card)
    position.passed = 0


def _turn_reached_goals(position: Position) -> None:
    """Turn over all goals that are connected now, or one of the player's choice (R28)."""
    if position.rulebook.reveal_all_goals:
        _turn_all_goals(position)
        return
    cells = _face_down_reached_goals(position)
    if len(cells) > 1:
        position.goal_choice = cells
    else:
        _turn_goal_over(position, cells[0])


def _turn_all_goals(position: Position) -> None:
    """Turn goals until no new goal is connected or the treasure is face up (R31, E10)."""
    while not position.winners:
        new_goals = _face_down_reached_goals(position)
        if not new_goals:
            return
        for cell in new_goals:
            _turn_goal_over(position, cell)
    for cell in tuple(position.misfits):
        goal = position.goals[GOAL_CELLS.index(cell)]
        turned = default_orientation(position.mine, cell, goal, position.last_laid)
        _lay_goal(position, cell, turned=turned)


def _face_down_reached_goals(position: Position) -> tuple[Cell, ...]:
    reached_goals, misfits = position.mine.reached_goals, position.misfits
    return tuple(cell for cell in GOAL_CELLS if cell in reached_goals and cell not in misfits)


def _turn_goal_over(position: Position, cell: Cell) -> None:
    goal = position.goals[GOAL_CELLS.index(cell)]
    turned = fitting_orientation(position.mine, cell, goal)
    if turned is None:
        position.misfits.append(cell)
    else:
        _lay_goal(position, cell, turned=turned)


def _lay_goal(position: Position, cell: Cell, *, turned: bool) -> None:
    if cell in position.misfits:
        position.misfits.remove(cell)
    goal = position.goals[GOAL_CELLS.index(cell)]
    position.mine.lay(cell, GOAL_SHAPES[goal][turned])
    if goal == "treasure":
        position.winners = "diggers"


def _finish_turn(position: Position) -> None:
    """Draw a card and begin the next turn, or end the round (R7, R11, R31, R32)."""
    if position.winners:
        return
    if position.deck:
        position.hand_of_turn().append(position.deck.pop())
    if not position.deck and _is_exhausted(position):
        _end_without_treasure(position)
        return
    position.turn = (position.turn + 1) % len(position.hands)
    while position.turn in position.gone:
        position.turn = (position.turn + 1) % len(position.hands)


def _is_exhausted(position: Position) -> bool:
    """Return whether all hands are empty or a full circle has passed (R32, E13)."""
    seats_in_play = len(position.hands) - len(position.gone)
    is_full_circle = position.rulebook.circle_of_passes and position.passed >= seats_in_play
    return is_full_circle or not any(position.hands)


def _end_without_treasure(position: Position) -> None:
    """End the round with the deck empty (R35, E33).

    No path reaches the treasure now: a rulebook by which that is enough turns every reached goal at once (R28).
    """
    position.winners = "saboteurs" if "saboteur" in position.roles else "nobody"


_PLAY_BY_ACTION: Final[dict[type[Action], Callable[[Position, Any], None]]] = {
    Lay: _lay,
    Break: _break,
    Repair: _repair,
    Rockfall: _rockfall,
    Look: _look,
    Discard: _discard,
    Pass: _pass,
    ChooseGoal: _choose_goal,
    ChooseOrientation: _turn_goal,
}
_MULTIPLIER, _INCREMENT, _MASK = 6364136223846793005, 1442695040888963407, (1 << 64) - 1


class Dice:
    """Fast random numbers, reproducible from one seed, and of no value for a shuffle that must be fair.

    This is a linear congruential generator of 64 bits, of which the upper half is used.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Begin at a seed, any whole number."""
        self._state = seed * _MULTIPLIER + _INCREMENT & _MASK

    def fraction(self) -> float:
        """Return a random number in [0, 1)."""
        self._state = self._state * _MULTIPLIER + _INCREMENT & _MASK
        return (self._state >> 32) / 4294967296.0

    def number_below(self, bound: int) -> int:
        """Return a random number from 0 to below ``bound``."""
        self._state = self._state * _MULTIPLIER + _INCREMENT & _MASK
        return (self._state >> 32) * bound >> 32

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put the items into a random order."""
        for last_index in range(len(items) - 1, 0, -1):
            picked_index = self.number_below(last_index + 1)
            items[last_index], items[picked_index] = items[picked_index], items[last_index]
