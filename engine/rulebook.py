"""How the six rulebooks differ, as switches, and the house rules of a table.

A rulebook is a frozen value, never a subclass. The rulebooks are constants in :mod:`engine.rulebooks`, one module each. The
values of a released key never change; a test pins their digest.
"""

from typing import Final, Literal, TypeAlias

import msgspec

FirstStarter: TypeAlias = Literal["agreed", "anyone", "youngest"]
NextStarter: TypeAlias = Literal["left-of-last-turn", "left-of-first-starter"]
Secrecy: TypeAlias = Literal["must", "should", "recommended", "table-may-choose"]

MAX_ROUNDS: Final = 3


class Rulebook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules in force, as switches. Each docstring gives the meaning of True, then that of False."""

    key: str
    """The stable key: language and year of the document."""
    continue_path: bool
    """R13, R25: a path card must continue an unbroken path from the start; else it may lie beside any laid card (E23, E36)."""
    build_from_goal_alone: bool
    """R14: a path card may continue from a revealed stone alone; else one of the cards it continues must not be a goal (E9, E25)."""
    reveal_all_goals: bool
    """R28: all reached goals are turned over; else one of the player's choice (E4, E5)."""
    circle_of_passes: bool
    """R32: with the deck empty, a full circle of passes ends the round (E13); else the round ends when all hands are empty."""
    pass_with_empty_hand: bool
    """R12: with deck and all hands empty, the missing passes complete the circle (E13); else the round ends at once."""
    treasure_must_be_turned: bool
    """R35: the saboteurs win unless the treasure was turned over; else unless it was reached."""
    gold_per_digger: bool
    """R36: one gold card is drawn for each gold-digger; else for each player."""
    nine_gold_cards_for_ten: bool
    """R37: with ten players nine gold cards are drawn; else R36 has no exception."""
    leftovers_go_round: bool
    """R40: the gold cards go round until none is left; else each digger takes exactly one."""
    first_starter: FirstStarter
    """R6: the first round is started by the agreed player, by anyone or by the youngest (E29)."""
    next_starter: NextStarter
    """R49: the seat that starts the following rounds (E28); the last turn is that of the pass that completed the circle (E13)."""
    gold_secrecy: Secrecy
    """R46: whether won gold stays secret until the game ends."""


class HouseRules(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The changes of a table to its rulebook; all are off by default."""

    intact_diggers_only: bool = False
    """A digger with a broken tool when the treasure is found gets no gold (optional rule of 2004)."""
    open_gold: bool = False
    """Won gold is public (overrides R46)."""
    no_self_breaking: bool = False
    """Players may not break their own tools (overrides E18)."""
    rounds: int = MAX_ROUNDS
    """The number of rounds: one, two or three (R47)."""

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid number of rounds."""
        if not 1 <= self.rounds <= MAX_ROUNDS:
            message = "a game has one, two or three rounds"
            raise ValueError(message)
