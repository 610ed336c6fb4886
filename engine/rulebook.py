"""A rulebook is a frozen value: the switches in which the six documents differ. Never a subclass.

The rulebooks themselves are constants, one module each, in :mod:`engine.rulebooks`. A released key is frozen: a test pins
its digest.
"""

from typing import Final, Literal, TypeAlias

import msgspec

FirstStarter: TypeAlias = Literal["agreed", "youngest"]
NextStarter: TypeAlias = Literal["left-of-last-turn", "left-of-first-starter"]
Secrecy: TypeAlias = Literal["must", "should", "table-may-choose"]

MAX_ROUNDS: Final = 3


class Rulebook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules in force, as switches; each names its rule."""

    key: str
    """The stable name: language and year of the document."""
    continue_path: bool
    """R13, R25: a path card must continue an unbroken path from the start; else any laid neighbour will do (E23, E36)."""
    build_from_goal_alone: bool
    """R14: a path card may continue from a revealed stone and nothing else (E9, E25)."""
    reveal_all_goals: bool
    """R28: every goal reached is turned over; else one, of the player's choice (E4, E5)."""
    circle_of_passes: bool
    """R32: with the deck empty, a full circle of passes ends the round (E13); else deck and hands run out."""
    pass_with_empty_hand: bool
    """R12: when deck and all hands are empty, the missing passes complete the circle (E13); else the round ends at once."""
    treasure_must_be_turned: bool
    """R35: saboteurs win unless the treasure was turned over; else unless it was reached."""
    gold_per_digger: bool
    """R36: one gold card is drawn for each gold-digger; else for each player."""
    nine_gold_cards_for_ten: bool
    """R37: with ten players nine gold cards are drawn."""
    leftovers_go_round: bool
    """R40: the gold cards go round until none is left; else exactly one each."""
    first_starter: FirstStarter
    """R6: who starts the first round: whom the table agrees on, or the youngest (E29)."""
    next_starter: NextStarter
    """R49: who starts the rounds after (E28)."""
    gold_secrecy: Secrecy
    """R46: whether won gold stays secret to the end."""


class HouseRules(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What a table changes on top of its rulebook; everything is off by default."""

    intact_diggers_only: bool = False
    """A digger with a broken tool when the treasure is found gets no gold (the optional rule of 2004)."""
    open_gold: bool = False
    """Won gold lies open (wins over R46)."""
    no_self_breaking: bool = False
    """Nobody breaks his own tools (narrows E18)."""
    rounds: int = MAX_ROUNDS
    """A shorter game: one, two or three rounds (R47)."""

    def __post_init__(self) -> None:
        """Refuse a number of rounds that no game has."""
        if not 1 <= self.rounds <= MAX_ROUNDS:
            message = "a game has one, two or three rounds"
            raise ValueError(message)
