"""What happened, in the past tense: complete and secret. Seats hear of it as lines (:mod:`engine.story`), never as events.

Facts are stored, not wishes: a later correction of a rule never rewrites a finished game. Every stored type has a frozen
sample in ``tests/wire``; fields are only ever added, with a default.
"""

from typing import Literal, TypeAlias

import msgspec

from engine.cards import Card, Goal, Role, Tool
from engine.cells import Cell

Ending: TypeAlias = Literal["treasure", "exhausted", "circle-of-passes"]
"""Why a round ended: the treasure was found, deck and hands ran out, or everybody passed in turn (R31, R32)."""
Side: TypeAlias = Literal["diggers", "saboteurs", "nobody"]
"""Who won a round; nobody when there was neither treasure nor saboteur."""


class _Event(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,  # Nothing in a fact can lead back to it.
    tag_field="event",
    tag=str.lower,
):
    """A fact; on the wire its tag stands in ``event``. Blank in tracebacks and logs, for it holds secrets."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Dealt(_Event, frozen=True, kw_only=True):
    """A round was dealt: all chance of the round is in here (R2-R6, R48)."""

    round: int
    starter: int
    roles: tuple[Role, ...]
    aside: Role
    goals: tuple[Goal, Goal, Goal]
    hands: tuple[tuple[Card, ...], ...]
    deck: tuple[Card, ...]
    """What is left to draw, the top card first."""
    pile: tuple[int, ...] | None = None
    """The gold pile, top first; shuffled once, before the first round."""


class CardLaid(_Event, frozen=True):
    """A path card was laid (R13). One that looks the same both ways is never ``turned`` (E35)."""

    seat: int
    card: Card
    cell: Cell
    turned: bool = False


class GoalsReached(_Event, frozen=True):
    """Several goals are connected and the player is to say which is turned (R28, E4, E5)."""

    seat: int
    cells: tuple[Cell, ...]


class StoneMisfit(_Event, frozen=True):
    """A stone was turned over and fits neither way round; the player is to say how it lies (R30, E7)."""

    seat: int
    cell: Cell
    goal: Goal


class GoalTurned(_Event, frozen=True):
    """A goal lies face up, for good (R29-R31, E21)."""

    seat: int
    cell: Cell
    goal: Goal
    turned: bool = False


class ToolBroken(_Event, frozen=True):
    """A broken-tool card lies before a player (R17)."""

    seat: int
    card: Card
    target: int


class ToolRepaired(_Event, frozen=True, tag="toolmended"):
    """A broken tool was mended; both cards went to the discards (R21)."""

    seat: int
    card: Card
    target: int
    tool: Tool


class RockFell(_Event, frozen=True):
    """A laid path card was removed (R24); ``card`` is the one removed, as printed."""

    seat: int
    cell: Cell
    card: Card


class GoalSeen(_Event, frozen=True):
    """A player alone saw a face-down goal (R26)."""

    seat: int
    cell: Cell
    goal: Goal


class Discarded(_Event, frozen=True):
    """A card was discarded face down and unseen (R10)."""

    seat: int
    card: Card
    toward_circle: bool = False
    """The turn began with the deck empty, so that it counts for a full circle of passes (E13)."""


class Passed(_Event, frozen=True):
    """A turn went by with an empty hand (R12), or a pass was made to complete the circle (E13)."""

    seat: int


class Drawn(_Event, frozen=True):
    """The top card of the deck came into a hand (R11)."""

    seat: int
    card: Card


class TurnBegan(_Event, frozen=True):
    """It is this seat's turn (R7)."""

    seat: int


class RoundEnded(_Event, frozen=True, kw_only=True):
    """The round is over; roles are shown, the one set aside too (R31-R35, E30)."""

    round: int
    ending: Ending
    winners: Side
    ended_by: int
    """The seat that had the last turn of the round, or completed the circle of passes (R49, E2, E13)."""
    roles: tuple[Role, ...]
    aside: Role


class GoldDrawn(_Event, frozen=True):
    """Gold cards were drawn face down and given to the first who picks (R36, R38, R39)."""

    seat: int
    cards: tuple[int, ...]


class GoldTaken(_Event, frozen=True):
    """A digger kept one gold card and passed the rest on (R40, R41)."""

    seat: int
    nuggets: int
    passed_to: int | None = None


class GoldPassed(_Event, frozen=True):
    """A seat given up passed on the gold cards that it held and kept none (E12); nobody left to pass to: under the pile."""

    seat: int
    passed_to: int | None = None


class GoldPaid(_Event, frozen=True):
    """A saboteur was paid (R42-R45, E1)."""

    seat: int
    cards: tuple[int, ...]
    overshot: tuple[int, ...]
    """Cards that he drew one after another and that were too much; seen by him alone. They went under the pile, unless it was restored."""
    pile: tuple[int, ...]
    """The pile afterwards, top first."""
    restored: bool = False
    """The draw never came out even: the pile was put back as it was, and ``cards`` were chosen from it (E1)."""


class GameEnded(_Event, frozen=True):
    """The game is over; most nuggets wins, ties share (R50)."""

    nuggets: tuple[int, ...]
    winners: tuple[int, ...]


class SeatGivenUp(_Event, frozen=True):
    """A seat was given up for good; its hand went to the discards unseen (E12)."""

    seat: int


class SeatHandedOver(_Event, frozen=True):
    """Another person sits here from now on; the seat's history stays."""

    seat: int


class Rewound(_Event, frozen=True):
    """The game went back to what it was after turn ``to_seq``; the deck keeps its order."""

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
    | Rewound
)
