"""The actions that a player can request; the rules accept or refuse them (:mod:`engine.rules`).

Cells are labels such as ``D5`` (see :mod:`engine.cells`), seats are numbers from 0 clockwise, cards are codes of
:mod:`engine.cards`.
"""

from typing import TypeAlias

import msgspec

from engine.cards import MAP, ROCKFALL, Card, Tool


class _Action(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,  # An action cannot be part of a reference cycle.
    tag_field="do",
    tag=str.lower,
):
    """An action; on the wire its tag is in ``do``. Its repr shows no field, because they name a card of a hand."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Lay(_Action, frozen=True):
    """Lay a path card (R13-R16), as printed or turned by 180 degrees; both are equal if it looks the same both ways (E35)."""

    card: Card
    cell: str
    turned: bool = False


class Break(_Action, frozen=True):
    """Break a tool of a player with a broken-tool card (R17, E18)."""

    card: Card
    seat: int


class Repair(_Action, frozen=True):
    """Repair one broken tool of a player (R21-R23)."""

    card: Card
    seat: int
    tool: Tool


class Rockfall(_Action, frozen=True):
    """Remove one laid path card (R24, E19)."""

    cell: str


class Look(_Action, frozen=True):
    """Look at a face-down goal with a map (R26, E22)."""

    cell: str


class Discard(_Action, frozen=True):
    """Discard one card face down (R10)."""

    card: Card


class Pass(_Action, frozen=True):
    """Pass the turn with an empty hand (R12, E13)."""


class ChooseGoal(_Action, frozen=True):
    """Choose which of the reached goals is turned over (R28, E4, E5)."""

    cell: str


class ChooseOrientation(_Action, frozen=True, tag="turngoal"):
    """Choose the orientation of a misfit stone (R30, E7): as printed, or turned by 180 degrees."""

    turned: bool


class TakeGold(_Action, frozen=True):
    """Keep one of the gold cards in hand, named by its nuggets, and pass the others on (R40, R41)."""

    nuggets: int


Action: TypeAlias = (
    Lay
    | Break
    | Repair
    | Rockfall
    | Look
    | Discard
    | Pass
    | ChooseGoal
    | ChooseOrientation
    | TakeGold
)


def card_of(action: Action) -> Card | None:
    """Return the card with which an action is played; None for an action without a card."""
    match action:
        case Lay() | Break() | Repair() | Discard():
            return action.card
        case Rockfall():
            return ROCKFALL
        case Look():
            return MAP
    return None
