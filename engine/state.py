"""The whole position of a game, with every secret. Never leaves the engine and the store; seats get views."""

from typing import TypeAlias

import msgspec

from engine.cards import Card, Goal, Role, Tool
from engine.cells import Cell
from engine.events import Ending, Side
from engine.mine import Mine
from engine.rulebook import HouseRules


class GoalChoice(msgspec.Struct, frozen=True, tag_field="choose", tag="goal"):
    """The seat on turn says which of these connected goals is turned over (R28, E4)."""

    seat: int
    cells: tuple[Cell, ...]


class OrientationChoice(msgspec.Struct, frozen=True, tag_field="choose", tag="way-round"):
    """The seat on turn says which way round the stone at ``cell`` lies (R30, E7)."""

    seat: int
    cell: Cell
    goal: Goal


class GoldChoice(msgspec.Struct, frozen=True, tag_field="choose", tag="gold"):
    """A digger keeps one of these gold cards (R40). The cards are seen by the holder alone."""

    seat: int
    cards: tuple[int, ...]

    def __repr__(self) -> str:
        return "<GoldChoice>"


Choice: TypeAlias = GoalChoice | OrientationChoice | GoldChoice


class RoundResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a round ended: public knowledge, all of it."""

    round: int
    ending: Ending
    winners: Side
    roles: tuple[Role, ...]
    aside: Role
    gold_cards: tuple[int, ...]
    """Gold cards that each seat picked as a digger; how much is on them is not public (E31)."""
    nuggets_paid: tuple[int, ...]
    """Nuggets that each seat was paid as a saboteur; on which cards is not public (E31)."""


class State(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game's position after turn ``seq``. Seats are numbered from 0, clockwise."""

    rulebook: str
    house: HouseRules
    seats: int
    seq: int = 0
    round: int = 0
    first_starter: int = 0
    last_turn: int = 0
    """The seat that had the latest turn, or ended the round (R49, E2, E13); a turn lost to E12 does not count."""
    turn: int | None = None
    """The seat on turn; nobody once a round has ended."""
    choice: Choice | None = None
    """What the game waits for before it goes on, if it is not a turn."""
    unsettled: tuple[tuple[Cell, Goal], ...] = ()
    """Stones turned over whose way round is still to be chosen, top first (E11)."""
    roles: tuple[Role, ...] = ()
    aside: Role = "digger"
    goals: tuple[Goal, ...] = ()
    """What lies at the three goal places, top first."""
    hands: tuple[tuple[Card, ...], ...] = ()
    deck: tuple[Card, ...] = ()
    """What is left to draw, the top card first."""
    discards: tuple[Card, ...] = ()
    mine: Mine
    last_laid: Cell | None = None
    """Where the path card laid last lies, if no rock fell on it."""
    broken: tuple[tuple[Tool, ...], ...] = ()
    """The broken tools before each seat."""
    seen: tuple[tuple[Cell, ...], ...] = ()
    """The goals that each seat saw by map this round."""
    passed: tuple[int, ...] = ()
    """The seats that passed one after another with the deck empty (E13)."""
    gone: tuple[int, ...] = ()
    """Seats given up for good (E12)."""
    gold: tuple[tuple[int, ...], ...] = ()
    """The gold cards that each seat has won."""
    pile: tuple[int, ...] = ()
    """The gold pile, top first."""
    results: tuple[RoundResult, ...] = ()
    winners: tuple[int, ...] = ()
    """Who won the game; empty until it has ended."""

    def __repr__(self) -> str:
        return "<State>"
