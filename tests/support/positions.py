"""Games that tests of the rules start from: dealt, and played by chance.

Chance comes from seeds, so that a failure shows the same again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import pytest

from engine.actions import Action, Lay
from engine.cards import (
    CONNECTS_EDGES,
    EDGES,
    RIGHT,
    TURNED,
)
from engine.cells import GOAL_CELLS, Cell, label, position
from engine.errors import IllegalAction, Reason
from engine.events import Event
from engine.evolve import initial_state
from engine.game import advance, give_up_seat, hand_over_seat, rewind, start_game
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from engine.shuffle import Chance, SeededChance, draws
from engine.state import GoldChoice, State
from engine.view import awaiting, legal_actions, view_for

T = TypeVar("T")

CONNECTING: Final = ("lv-2009", "sv-web", "lt-2009")
"""Rulebooks in which a path card must continue a path from the start (R13)."""
NEIGHBOURING: Final = ("et-2007", "uk-2017", "en-2004")
"""Rulebooks in which any laid neighbour will do (E23)."""
CHOOSING: Final = ("et-2007", "uk-2017")
"""Rulebooks in which one goal a card is turned, of the player's choice (R28)."""
TURNING_ALL: Final = ("lv-2009", "sv-web", "lt-2009", "en-2004")
CIRCLING: Final = NEIGHBOURING
"""Rulebooks in which a full circle of passes ends the round (R32)."""

every_rulebook = pytest.mark.parametrize("rulebook", RULEBOOKS)
every_number_of_seats = pytest.mark.parametrize("seats", range(3, 11))

LAWFUL: Final = HouseRules()


class Dice:
    """Numbers from a seed: the chance of players, which is none of the game's."""

    def __init__(self, seed: int) -> None:
        self._numbers = draws(seed.to_bytes(8, "big"), b"", "dice of a test")

    def below(self, limit: int) -> int:
        return next(self._numbers) % limit

    def pick(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]

    def shuffled(self, things: Iterable[T]) -> list[T]:
        left = list(things)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]

    def once_in(self, times: int) -> bool:
        return self.below(times) == 0


class Arranged:
    """Chance that falls as it was told to, and by a seed where it was told nothing. It remembers how it fell."""

    def __init__(self, seed: int = 0, orders: Mapping[str, Sequence[Any]] | None = None) -> None:
        self._luck = SeededChance(seed.to_bytes(8, "big"))
        self._orders = dict(orders or {})
        self.fallen: dict[str, tuple[Any, ...]] = {}

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        told = self._orders.get(label)
        fallen = self._luck.shuffled(label, items) if told is None else tuple(told)
        assert Counter(fallen) == Counter(items), f"{label} is no order of what is shuffled"
        self.fallen[label] = fallen
        return fallen


class Game:
    """A game with its whole log, as the server keeps it."""

    def __init__(
        self,
        rulebook: str = "en-2004",
        *,
        seats: int = 3,
        house: HouseRules = LAWFUL,
        starter: int | None = 0,
        chance: Chance | None = None,
    ) -> None:
        self.chance = chance or Arranged()
        self.state, dealt = start_game(
            rulebook, house, seats=seats, starter=starter, chance=self.chance
        )
        self.start = initial_state(rulebook, house, seats)
        self.log: list[tuple[Event, ...]] = [dealt]

    @property
    def is_over(self) -> bool:
        return bool(self.state.winners)

    def menu(self) -> tuple[Action, ...]:
        return menu(self.state)

    def play(self, action: Action) -> tuple[Event, ...]:
        return self._goes_on(advance(self.state, due_seat(self.state), action, self.chance))

    def give_up(self, seat: int, pick: Callable[[int], int] = lambda _: 0) -> tuple[Event, ...]:
        return self._goes_on(give_up_seat(self.state, seat, pick=pick, chance=self.chance))

    def hand_over(self, seat: int) -> tuple[Event, ...]:
        return self._goes_on(hand_over_seat(self.state, seat))

    def rewind(self, to_seq: int) -> tuple[Event, ...]:
        return self._goes_on(rewind(self.state, self.log, to_seq))

    def _goes_on(self, outcome: tuple[State, tuple[Event, ...]]) -> tuple[Event, ...]:
        self.state, events = outcome
        self.log.append(events)
        return events


def opening(
    rulebook: str = "en-2004", *, seats: int = 3, house: HouseRules = LAWFUL, seed: int = 0
) -> State:
    """A game just dealt; seat 0 starts."""
    return Game(rulebook, seats=seats, house=house, chance=Arranged(seed)).state


def due_seat(state: State) -> int:
    """The seat that the game waits for."""
    due = awaiting(state)
    assert due is not None, "the game is over"
    return due.seat


def menu(state: State) -> tuple[Action, ...]:
    """What the seat that the game waits for may do."""
    return legal_actions(view_for(state, due_seat(state)))


def still_in_play(state: State) -> list[int]:
    """The seats that have not been given up."""
    return [seat for seat in range(state.seats) if seat not in state.gone]


def play(state: State, *actions: Action, seed: int = 0) -> State:
    """The position after these actions of whoever is due."""
    for action in actions:
        state, _ = advance(state, due_seat(state), action, Arranged(seed))
    return state


def happens(state: State, action: Action, seed: int = 0) -> tuple[Event, ...]:
    """The events of an action of the seat that is due."""
    return advance(state, due_seat(state), action, Arranged(seed))[1]


def gold_held(state: State) -> tuple[int, ...]:
    """The gold cards from which somebody is to keep one."""
    assert isinstance(state.choice, GoldChoice)
    return state.choice.cards


def told(events: Iterable[Event], kind: type[T]) -> list[T]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def refusal(state: State, action: Action, seat: int | None = None) -> Reason:
    """Why an action is refused to a seat, by default to the one that is due."""
    with pytest.raises(IllegalAction) as refused:
        advance(state, due_seat(state) if seat is None else seat, action, Arranged())
    return refused.value.reason


def random_action(state: State, dice: Dice) -> Action:
    """Any legal action, each as likely as the next."""
    return dice.pick(menu(state))


def digging_action(state: State, dice: Dice) -> Action:
    """Of all legal actions one that leads on eastwards and not past the goals, if there is any."""
    actions = menu(state)
    best = max(map(_progress, actions))
    return dice.pick([action for action in actions if _progress(action) == best])


def _progress(action: Action) -> int:
    if not isinstance(action, Lay):
        return 0
    shape = TURNED[action.card] if action.turned else action.card
    x, _ = position(action.cell)
    if x > GOAL_COLUMN or not CONNECTS_EDGES[shape]:
        return 0
    return 10 + x if EDGES[shape] & RIGHT else 1


GOAL_COLUMN: Final = position(GOAL_CELLS[0])[0]


def erring_action(state: State, dice: Dice) -> Action:
    """Digs most of the time, and does anything at all now and then."""
    return (random_action if dice.once_in(4) else digging_action)(state, dice)


def at(x: int, y: int) -> Cell:
    """The label of a cell, counted from the start."""
    return label(x, y)
