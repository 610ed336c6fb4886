"""The position of a game, with every secret. It never leaves the engine and the database; players get views."""

from typing import TypeAlias

import msgspec

from engine.cards import Card, Goal, Role, Tool
from engine.cells import Cell
from engine.events import Ending, Side
from engine.mine import Mine
from engine.rulebook import HouseRules


class GoalChoice(msgspec.Struct, frozen=True, tag_field="choose", tag="goal"):
    """The seat on turn must choose which of these connected goals is turned over (R28, E4)."""

    seat: int
    cells: tuple[Cell, ...]


class OrientationChoice(msgspec.Struct, frozen=True, tag_field="choose", tag="way-round"):
    """The seat on turn must choose the orientation of the stone at ``cell`` (R30, E7)."""

    seat: int
    cell: Cell
    goal: Goal


class GoldChoice(msgspec.Struct, frozen=True, tag_field="choose", tag="gold"):
    """A digger must keep one of these gold cards (R40), which only this digger sees (R41)."""

    seat: int
    cards: tuple[int, ...]

    def __repr__(self) -> str:
        return "<GoldChoice>"


Choice: TypeAlias = GoalChoice | OrientationChoice | GoldChoice


class RoundResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a round. All of it is public."""

    round: int
    ending: Ending
    winners: Side
    roles: tuple[Role, ...]
    aside: Role
    gold_cards: tuple[int, ...]
    """The number of gold cards that each seat picked as a digger; their values are not public (E31)."""
    nuggets_paid: tuple[int, ...]
    """The nuggets that each seat was paid as a saboteur; the cards are not public (E31)."""


class State(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The position of a game after turn ``seq``. Seats are numbered from 0, clockwise."""

    rulebook: str
    house: HouseRules
    seats: int
    seq: int = 0
    round: int = 0
    first_starter: int = 0
    last_turn: int = 0
    """The seat with the latest turn, or the seat that ended the round (R49, E2, E13); a turn lost by E12 does not count."""
    turn: int | None = None
    """The seat on turn; None after a round has ended."""
    choice: Choice | None = None
    """The choice that the game waits for, if it does not wait for a turn."""
    unsettled: tuple[tuple[Cell, Goal], ...] = ()
    """The stones whose orientation is still to be chosen, in the order turned over (E11)."""
    roles: tuple[Role, ...] = ()
    aside: Role = "digger"
    goals: tuple[Goal, ...] = ()
    """The goals at the three goal cells, top first."""
    hands: tuple[tuple[Card, ...], ...] = ()
    deck: tuple[Card, ...] = ()
    """The draw deck, top card first."""
    discards: tuple[Card, ...] = ()
    mine: Mine
    last_laid: Cell | None = None
    """The cell of the path card laid last, unless a rockfall removed it."""
    broken: tuple[tuple[Tool, ...], ...] = ()
    """The broken tools of each seat."""
    seen: tuple[tuple[Cell, ...], ...] = ()
    """The goals that each seat looked at with a map this round."""
    passed: tuple[int, ...] = ()
    """The seats that passed in a row with the deck empty (E13)."""
    gone: tuple[int, ...] = ()
    """The seats that were given up permanently (E12)."""
    gold: tuple[tuple[int, ...], ...] = ()
    """The gold cards that each seat has won."""
    pile: tuple[int, ...] = ()
    """The gold pile, top first."""
    results: tuple[RoundResult, ...] = ()
    winners: tuple[int, ...] = ()
    """The winners of the game; empty until it has ended."""

    def __repr__(self) -> str:
        return "<State>"
