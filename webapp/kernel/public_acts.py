"""Acts on a game as everyone who may see the game reads them: on its page, in its history, and in emails."""

from datetime import datetime, timedelta
from enum import StrEnum, unique

import msgspec

from webapp.kernel.i18n import N_


@unique
class ServerReason(StrEnum):
    """Why the server acts by itself, or a vote: the sentence that the ledger keeps as the reason, untranslated."""

    HOST_LEFT = N_("The host has deleted their account.")
    NO_PERSON_LEFT = N_("The last person who was playing has deleted their account.")
    VOTE_PASSED = N_("Everyone who plays has agreed.")
    OTHERS_WAIT = N_("The others are waiting.")
    PAUSE_OVER = N_("The pause that the players agreed on has lasted 30 days.")
    TURNS_MISSED = N_("The player has missed too many turns.")
    EMAILS_UNDELIVERED = N_("No email about the turn could be delivered.")
    RETURNED = N_("They came back before someone else took the seat.")
    STEPPED_IN_FOR_MISSED = N_("They stepped in for a player who had missed too many turns.")
    STEPPED_IN_FOR_UNREACHED = N_(
        "They stepped in for a player whose emails could not be delivered."
    )
    TABLE_UNFILLED = N_("Its seats weren't all taken within three weeks.")


class PublicFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One side of a change, before or after it. People are accounts, because names are looked up when they are shown."""

    deadline_at: datetime | None = None
    time_left: timedelta | None = None
    """How much of a turn's time is left while the game is paused."""
    turn: int | None = None
    """The number of the turn after which the game stands."""
    account_id: int | None = None
    """Who sits in the seat, or who hosts the table."""
    bot_name: str | None = None
    bot_level: str | None = None
    until: datetime | None = None
    """When an offer of the seat expires."""
    offer: int | None = None
    """The offer with which a person took the seat."""
    offered_by: int | None = None
    """Who made that offer; None for the operator."""

    @property
    def has_clock(self) -> bool:
        """Whether there is a deadline, which there is not while a bot is to play."""
        return self.deadline_at is not None or self.time_left is not None


class ShownAct(msgspec.Struct, frozen=True, array_like=True):
    """What someone did to a game, when, as what, and why. Names are those of today."""

    id: int
    at: datetime
    act: str
    acted_as: str
    actor_name: str | None
    """None for the operator; empty for a person who has deleted their account."""
    seat: int | None
    name: str
    """The player it is about, of the account if it names one, else of the seat; empty if there is none any more."""
    seq: int
    """The position of the game."""
    before: PublicFacts
    after: PublicFacts
    reason: str
    is_undoing: bool
    """Whether it undoes an earlier act."""
    is_undone: bool
    offerer_name: str | None
    """The person whose offer was accepted; None for the operator, empty for one who has deleted their account."""

    def __repr__(self) -> str:
        return f"<ShownAct {self.id} {self.act}>"


def facts_from(stored_facts: object) -> PublicFacts:
    """Return facts as the ledger stores them."""
    return msgspec.convert(stored_facts, PublicFacts, strict=False)
