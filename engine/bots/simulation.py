"""Whole games played by bots from a seed: the same seed plays the same game on any machine."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.actions import Action
from engine.bots.keen import DEFAULT_ROLLOUTS
from engine.bots.policy import Level, choose_action
from engine.cards import Role
from engine.commitments import (
    FrozenSeat,
    FrozenTable,
    ProvableChance,
    Secrets,
    commitments,
    drawn_numbers,
    freeze,
)
from engine.events import Event
from engine.game import advance, start_game
from engine.narration import Line, narrate
from engine.record import Record, RecordedTurn, TurnChain
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import awaiting, view_for


@dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """The kind of game to simulate, and how the bots of each role play."""

    rulebook: str
    players: int
    levels: Mapping[Role, Level]
    house: HouseRules = field(default_factory=HouseRules)
    rollouts: int = DEFAULT_ROLLOUTS
    """How many rollouts a keen bot makes for a decision."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Simulation:
    """A finished game: its record, and its last position."""

    record: Record
    state: State


def simulate(settings: SimulationSettings, *, name: str, seed: bytes) -> Simulation:
    """Play one game to its end; ``name`` and ``seed`` together determine all chance.

    Raises KeyError for an unknown rulebook and ValueError for a number of players other than 3 to 10.
    """
    secrets = _simulation_secrets(name, seed)
    table = _frozen_table(settings, name, secrets)
    freeze_record = freeze(table)
    game = _BotGame(settings, ProvableChance(secrets, freeze_record), _seeded_picker(name, seed))
    while awaited := awaiting(game.state):
        game.play(awaited.seat)
    *_, head = TurnChain(secrets, freeze_record).heads(game.turns)
    record = Record(
        table=table,
        freeze=freeze_record,
        turns=tuple(game.turns),
        secrets=secrets,
        head=head.hex(),
    )
    return Simulation(record=record, state=game.state)


class _BotGame:
    """A game in progress, with the lines that each seat has seen."""

    def __init__(
        self,
        settings: SimulationSettings,
        chance: ProvableChance,
        random_below: Callable[[int], int],
    ) -> None:
        self.settings = settings
        self.chance = chance
        self.random_below = random_below
        self.lines: list[list[Line]] = [[] for _ in range(settings.players)]
        self.turns: list[RecordedTurn] = []
        self.state, events = start_game(
            settings.rulebook, settings.house, seats=settings.players, starter=None, chance=chance
        )
        self._record(None, None, events)

    def play(self, seat: int) -> None:
        view = view_for(self.state, seat)
        level = self.settings.levels[view.role or "digger"]
        action = choose_action(
            view, self.lines[seat], self.random_below, level, rollouts=self.settings.rollouts
        )
        self.state, events = advance(self.state, seat, action, self.chance)
        self._record(seat, action, events)

    def _record(self, seat: int | None, action: Action | None, events: tuple[Event, ...]) -> None:
        self.turns.append(RecordedTurn(seat=seat, by="bot", action=action, events=events))
        for viewer, lines in enumerate(self.lines):
            lines.extend(line for event in events for line in narrate(event, viewer))


def _simulation_secrets(name: str, seed: bytes) -> Secrets:
    secrets_bytes = [
        hashlib.sha256(seed + f"/{name}/{secret_number}".encode()).digest()
        for secret_number in range(4)
    ]
    return Secrets(
        gold=secrets_bytes[0],
        round_1=secrets_bytes[1],
        round_2=secrets_bytes[2],
        round_3=secrets_bytes[3],
    )


def _frozen_table(settings: SimulationSettings, name: str, secrets: Secrets) -> FrozenTable:
    return FrozenTable(
        game=name,
        rulebook=settings.rulebook,
        house=settings.house,
        starter=None,
        commitments=commitments(name, secrets),
        seats=tuple(FrozenSeat(f"Bot {seat + 1}") for seat in range(settings.players)),
    )


def _seeded_picker(name: str, seed: bytes) -> Callable[[int], int]:
    numbers = drawn_numbers(seed, name.encode(), "bots")

    def random_below(number_count: int) -> int:
        # Scaled instead of rejected: the bias, at most one in 2**32, does not matter to bots.
        return next(numbers) * number_count >> 32

    return random_below
