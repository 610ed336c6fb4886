from collections.abc import Callable

from engine.actions import Action
from engine.commitments import Chance
from engine.events import Event
from engine.evolve import initial_state
from engine.game import advance, give_up_seat, hand_over_seat, rewind, shorten_game, start_game
from engine.rulebook import HouseRules
from engine.state import State
from tests.support.engine.positions import DEFAULT_HOUSE, due_seat, offered_actions
from tests.support.engine.seeded_random import ScriptedChance


class InMemoryGame:
    """A game in memory with its chance, its log of events and the state after every turn."""

    def __init__(
        self,
        rulebook: str = "en-2004",
        *,
        seats: int = 3,
        house: HouseRules = DEFAULT_HOUSE,
        starter: int | None = 0,
        chance: Chance | None = None,
    ) -> None:
        self.chance = chance or ScriptedChance()
        self.state, dealt = start_game(
            rulebook, house, seats=seats, starter=starter, chance=self.chance
        )
        self.start = initial_state(rulebook, house, seats)
        self.log: list[tuple[Event, ...]] = [dealt]
        self.states = [self.state]

    @property
    def is_over(self) -> bool:
        return bool(self.state.winners)

    def offered_actions(self) -> tuple[Action, ...]:
        return offered_actions(self.state)

    def play(self, action: Action) -> tuple[Event, ...]:
        return self._apply(advance(self.state, due_seat(self.state), action, self.chance))

    def give_up(
        self, seat: int, random_below: Callable[[int], int] = lambda _: 0
    ) -> tuple[Event, ...]:
        return self._apply(
            give_up_seat(self.state, seat, random_below=random_below, chance=self.chance)
        )

    def hand_over(self, seat: int) -> tuple[Event, ...]:
        return self._apply(hand_over_seat(self.state, seat))

    def shorten(self) -> tuple[Event, ...]:
        return self._apply(shorten_game(self.state))

    def rewind(self, to_seq: int) -> tuple[Event, ...]:
        return self._apply(rewind(self.states, to_seq))

    def _apply(self, outcome: tuple[State, tuple[Event, ...]]) -> tuple[Event, ...]:
        self.state, events = outcome
        self.log.append(events)
        self.states.append(self.state)
        return events


def dealt_state(
    rulebook: str = "en-2004", *, seats: int = 3, house: HouseRules = DEFAULT_HOUSE, seed: int = 0
) -> State:
    """Return the state of a game just dealt; seat 0 starts."""
    return InMemoryGame(rulebook, seats=seats, house=house, chance=ScriptedChance(seed)).state
