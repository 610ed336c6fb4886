"""Whole games played by bots from a seed: the same seed plays the same game, on any machine."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.actions import Action
from engine.bots.policy import Effort, choose_action
from engine.cards import Role
from engine.events import Event
from engine.fairness import FrozenSeat, FrozenTable, Secrets, commitments, freeze
from engine.game import advance, start_game
from engine.rulebook import HouseRules
from engine.shuffle import ProvableChance, draws
from engine.state import State
from engine.story import Line, narrate
from engine.view import awaiting, view_for


@dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """What is played, and how well each role plays."""

    rulebook: str
    players: int
    efforts: Mapping[Role, Effort]
    house: HouseRules = field(default_factory=HouseRules)


@dataclass(frozen=True)
class Step:
    """One turn of a finished simulation; the first deal has neither seat nor action."""

    seat: int | None
    action: Action | None
    events: tuple[Event, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class Simulation:
    """A finished game with everything that a game file needs."""

    frozen: FrozenTable
    secrets: Secrets
    steps: tuple[Step, ...]
    state: State


def simulate(setting: SimulationSettings, *, name: str, seed: bytes) -> Simulation:
    """Play one game to its end; ``name`` and ``seed`` together decide all its chance.

    Raises KeyError for an unknown rulebook and ValueError for a number of players other than 3 to 10.
    """
    secrets = _secrets(name, seed)
    frozen = _freeze(setting, name, secrets)
    table = _Table(setting, ProvableChance(secrets, freeze(frozen)), _picker(name, seed))
    while due := awaiting(table.state):
        table.play(due.seat)
    return Simulation(frozen=frozen, secrets=secrets, steps=tuple(table.steps), state=table.state)


class _Table:
    """A game under way, with what each seat has been told."""

    def __init__(
        self, setting: SimulationSettings, chance: ProvableChance, pick: Callable[[int], int]
    ) -> None:
        self.efforts = setting.efforts
        self.chance = chance
        self.pick = pick
        self.told: list[list[Line]] = [[] for _ in range(setting.players)]
        self.steps: list[Step] = []
        self.state, events = start_game(
            setting.rulebook, setting.house, seats=setting.players, starter=None, chance=chance
        )
        self._record(None, None, events)

    def play(self, seat: int) -> None:
        view = view_for(self.state, seat)
        effort = self.efforts[view.role or "digger"]
        action = choose_action(view, self.told[seat], self.pick, effort)
        self.state, events = advance(self.state, seat, action, self.chance)
        self._record(seat, action, events)

    def _record(self, seat: int | None, action: Action | None, events: tuple[Event, ...]) -> None:
        self.steps.append(Step(seat, action, events))
        for listener, lines in enumerate(self.told):
            lines.extend(line for event in events for line in narrate(event, listener))


def _secrets(name: str, seed: bytes) -> Secrets:
    parts = [hashlib.sha256(seed + f"/{name}/{part}".encode()).digest() for part in range(4)]
    return Secrets(gold=parts[0], round_1=parts[1], round_2=parts[2], round_3=parts[3])


def _freeze(setting: SimulationSettings, name: str, secrets: Secrets) -> FrozenTable:
    return FrozenTable(
        game=name,
        rulebook=setting.rulebook,
        house=setting.house,
        starter=None,
        commitments=commitments(name, secrets),
        seats=tuple(FrozenSeat(f"Bot {seat + 1}") for seat in range(setting.players)),
    )


def _picker(name: str, seed: bytes) -> Callable[[int], int]:
    numbers = draws(seed, name.encode(), "bots")

    def pick(below: int) -> int:
        # Scaled, not rejected: a bias of one in four thousand million decides nothing here.
        return next(numbers) * below >> 32

    return pick
