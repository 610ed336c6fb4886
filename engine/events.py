"""The events of a game, with every secret. A seat never sees an event, only the lines of :mod:`engine.narration`.

Events record outcomes, not requests, so a later correction of a rule never changes a finished game. Every stored type has a
frozen sample in ``tests/wire``; fields may only be added, each with a default.
"""

from typing import Literal, TypeAlias

import msgspec

from engine.cards import Card, Goal, Role, Tool
from engine.cells import Cell

Ending: TypeAlias = Literal["treasure", "exhausted", "circle-of-passes"]
"""Why a round ended: treasure found, deck and hands exhausted, or a full circle of passes (R31, R32)."""
Side: TypeAlias = Literal["diggers", "saboteurs", "nobody"]
"""The side that won a round: no side without treasure and without a saboteur among the players."""


class _Event(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,  # An event cannot be part of a reference cycle.
    tag_field="event",
    tag=str.lower,
):
    """An event; on the wire its tag is in ``event``. Its repr shows no field, because they hold secrets."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Dealt(_Event, frozen=True, kw_only=True):
    """A round was dealt; this event holds all chance of the round (R2-R6, R48)."""

    round: int
    starter: int
    roles: tuple[Role, ...]
    aside: Role
    goals: tuple[Goal, Goal, Goal]
    hands: tuple[tuple[Card, ...], ...]
    deck: tuple[Card, ...]
    """The draw deck after dealing, top card first."""
    pile: tuple[int, ...] | None = None
    """The gold pile, top first; only in the first round (R48)."""


class CardLaid(_Event, frozen=True):
    """A path card was laid (R13). A card that looks the same both ways is never ``turned`` (E35)."""

    seat: int
    card: Card
    cell: Cell
    turned: bool = False


class GoalsReached(_Event, frozen=True):
    """Several goals are connected; the player must choose which one is turned over (R28, E4, E5)."""

    seat: int
    cells: tuple[Cell, ...]


class StoneMisfit(_Event, frozen=True):
    """A stone was turned over and fits in neither orientation; the player must choose one (R30, E7)."""

    seat: int
    cell: Cell
    goal: Goal


class GoalTurned(_Event, frozen=True):
    """A goal was turned over and now lies in its final orientation (R29-R31, E21)."""

    seat: int
    cell: Cell
    goal: Goal
    turned: bool = False


class ToolBroken(_Event, frozen=True):
    """A broken-tool card was played on the player ``target`` (R17)."""

    seat: int
    card: Card
    target: int


class ToolRepaired(_Event, frozen=True, tag="toolmended"):  # The wire format pins the tag.
    """A broken tool of the player ``target`` was repaired; both cards went to the discards (R21)."""

    seat: int
    card: Card
    target: int
    tool: Tool


class RockFell(_Event, frozen=True):
    """A rockfall removed a laid path card (R24); ``card`` is the removed card, as printed."""

    seat: int
    cell: Cell
    card: Card


class GoalSeen(_Event, frozen=True):
    """A player looked at a face-down goal with a map; only that player saw it (R26)."""

    seat: int
    cell: Cell
    goal: Goal


class Discarded(_Event, frozen=True):
    """A card was discarded face down (R10)."""

    seat: int
    card: Card
    toward_circle: bool = False
    """Whether the pass counts toward a full circle: the turn began with the deck empty (E13)."""


class Passed(_Event, frozen=True):
    """A seat passed with an empty hand (R12), or was passed to complete the circle (E13)."""

    seat: int


class Drawn(_Event, frozen=True):
    """A seat drew the top card of the deck (R11)."""

    seat: int
    card: Card


class TurnBegan(_Event, frozen=True):
    """The turn of a seat began (R7)."""

    seat: int


class RoundEnded(_Event, frozen=True, kw_only=True):
    """A round ended; the roles are shown, and the role card set aside (R31-R35, E30)."""

    round: int
    ending: Ending
    winners: Side
    ended_by: int
    """The seat with the last turn of the round, or the seat that completed the circle of passes (R49, E2, E13)."""
    roles: tuple[Role, ...]
    aside: Role


class GoldDrawn(_Event, frozen=True):
    """Gold cards were drawn face down and given to the seat that picks first (R36, R38, R39)."""

    seat: int
    cards: tuple[int, ...]


class GoldTaken(_Event, frozen=True):
    """A digger kept one gold card and passed the others on (R40, R41)."""

    seat: int
    nuggets: int
    passed_to: int | None = None


class GoldPassed(_Event, frozen=True):
    """A seat that was given up passed on the gold cards in its hand and kept none (E12).

    With ``passed_to`` None the cards go to the bottom of the pile.
    """

    seat: int
    passed_to: int | None = None


class GoldPaid(_Event, frozen=True):
    """A saboteur was paid (R42-R45, E1)."""

    seat: int
    cards: tuple[int, ...]
    overshot: tuple[int, ...]
    """The cards drawn that exceeded the sum, seen by this seat alone (R44).

    They went to the bottom of the pile, unless it was restored.
    """
    pile: tuple[int, ...]
    """The gold pile after the payment, top first."""
    restored: bool = False
    """Whether exact change was impossible: the pile was restored and ``cards`` were chosen from it (E1)."""


class GameEnded(_Event, frozen=True):
    """The game ended; the most nuggets win, ties share first place (R50)."""

    nuggets: tuple[int, ...]
    winners: tuple[int, ...]


class SeatGivenUp(_Event, frozen=True):
    """A seat was given up permanently; its hand went to the discards face down (E12)."""

    seat: int


class SeatHandedOver(_Event, frozen=True):
    """Another player took over the seat; the seat keeps its history."""

    seat: int


class GameShortened(_Event, frozen=True):
    """The table agreed that the game ends after round ``rounds``, the round under way; it changes the house rule (R47)."""

    rounds: int


class Rewound(_Event, frozen=True):
    """The game returned to the position after turn ``to_seq``; the deck keeps its order."""

    to_seq: int


Event: TypeAlias = (
    Dealt
    | CardLaid
    | GoalsReached
    | StoneMisfit
    | GoalTurned
    | ToolBroken
    | ToolRepaired
    | RockFell
    | GoalSeen
    | Discarded
    | Passed
    | Drawn
    | TurnBegan
    | RoundEnded
    | GoldDrawn
    | GoldTaken
    | GoldPassed
    | GoldPaid
    | GameEnded
    | SeatGivenUp
    | SeatHandedOver
    | GameShortened
    | Rewound
)
