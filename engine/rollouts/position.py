"""A position of one round that changes in place: what :mod:`engine.rollouts.playing` needs, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.cards import Card, Goal, Role, Tool
from engine.cells import GOAL_CELLS, Cell
from engine.events import Side
from engine.mine import Mine
from engine.rollouts.changing_mine import ChangingMine
from engine.rulebook import HouseRules, Rulebook
from engine.rulebooks.catalogue import RULEBOOKS

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
    """The reached goals of which one must be chosen (R28, E4)."""
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
