from collections.abc import Callable
from typing import Self

from engine.actions import Action
from engine.commitments import FrozenTable, ProvableChance, Secrets, freeze
from engine.events import Event
from engine.record import Record, RecordedTurn, TurnChain, TurnSource
from engine.state import State
from tests.support.engine.in_memory_game import InMemoryGame
from tests.support.engine.positions import due_seat
from tests.support.engine.random_players import mostly_digging_action
from tests.support.engine.seeded_random import SeededRng


class GameRecorder:
    """A game that is played by provable chance and recorded turn by turn; every method that plays returns the recorder."""

    def __init__(self, table: FrozenTable, secrets: Secrets, rng: SeededRng) -> None:
        self.table, self.secrets, self.rng = table, secrets, rng
        self.game = InMemoryGame(
            table.rulebook,
            seats=len(table.seats),
            house=table.house,
            starter=table.starter,
            chance=ProvableChance(secrets, freeze(table)),
        )
        deal_events = self.game.log[0]
        self.turns = [RecordedTurn(seat=None, by="player", action=None, events=deal_events)]

    @property
    def state(self) -> State:
        return self.game.state

    @property
    def is_over(self) -> bool:
        return self.game.is_over

    def play(self, action: Action) -> Self:
        seat = due_seat(self.state)
        return self._append_turn(self.game.play(action), seat=seat, by="player", action=action)

    def play_randomly(self, turns: int | None = None) -> Self:
        """Play a number of turns, or to the end of the game."""
        while not self.is_over and turns != 0:
            self.play(mostly_digging_action(self.state, self.rng))
            turns = None if turns is None else turns - 1
        return self

    def give_up(self, seat: int, random_below: Callable[[int], int] | None = None) -> Self:
        return self._append_turn(self.game.give_up(seat, random_below or self.rng.below))

    def hand_over(self, seat: int) -> Self:
        return self._append_turn(self.game.hand_over(seat), seat=seat)

    def shorten(self) -> Self:
        return self._append_turn(self.game.shorten(), by="vote")

    def rewind(self, to_seq: int) -> Self:
        return self._append_turn(self.game.rewind(to_seq))

    def record(self, *, includes_secrets: bool = True) -> Record:
        """Return the record so far, with its secrets if it is opened."""
        *_, head = TurnChain(self.secrets, freeze(self.table)).heads(self.turns)
        return Record(
            table=self.table,
            freeze=freeze(self.table),
            turns=tuple(self.turns),
            secrets=self.secrets if includes_secrets else None,
            head=head.hex(),
        )

    def _append_turn(
        self,
        events: tuple[Event, ...],
        *,
        seat: int | None = None,
        by: TurnSource = "moderator",
        action: Action | None = None,
    ) -> Self:
        self.turns.append(RecordedTurn(seat=seat, by=by, action=action, events=events))
        return self
