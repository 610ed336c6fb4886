"""Acts of moderators as everyone who may see a game reads them: on its page, in its history, and in emails."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from webapp.kernel.rights import GameRight
from webapp.moderation.queries.shown_acts import LedgerEntryWithNames
from webapp.play.changes.acts import acts_by_name, announcement
from webapp.play.changes.public_change import PublicFacts


class ShownAct(msgspec.Struct, frozen=True, kw_only=True):
    """What someone did to a game, when, as what, and why. Names are those of today."""

    id: int
    at: datetime
    act: str
    acted_as: str
    actor_name: str | None
    """None for the operator; empty for a person who has deleted their account."""
    seat: int | None
    name: str
    """The player it is about; empty if it is about no one or the player has deleted their account."""
    seq: int
    """Where the game stood."""
    before: PublicFacts
    after: PublicFacts
    reason: str
    is_undoing: bool
    """Whether it undoes an earlier act."""
    is_undone: bool
    offerer_name: str | None = None
    """The person whose offer was accepted; None for the operator."""

    @property
    def announcement(self) -> str:
        """What it changed, untranslated."""
        return announcement(self.act, self.before, self.after, offerer=self.offerer_name)

    def __repr__(self) -> str:
        return f"<ShownAct {self.id} {self.act}>"


def shown_acts(rows: Iterable[LedgerEntryWithNames], *, is_over: bool) -> tuple[ShownAct, ...]:
    """Return entries of the ledger for everyone at the table; peeks are disclosed when the game ``is_over``."""
    shown_names = {*acts_by_name(), GameRight.PEEK} if is_over else acts_by_name()
    return tuple(shown_act(row) for row in rows if row.act in shown_names)


def shown_act(row: LedgerEntryWithNames) -> ShownAct:
    return ShownAct(
        id=row.id,
        at=row.at,
        act=row.act,
        acted_as=row.acted_as,
        actor_name=row.actor_name,
        seat=row.seat,
        name=row.name or "",
        seq=row.seq or 0,
        before=facts_from(row.before),
        after=facts_from(row.after),
        reason=row.reason,
        is_undoing=row.is_undoing,
        is_undone=row.is_undone,
        offerer_name=row.offerer_name,
    )


def facts_from(stored_facts: object) -> PublicFacts:
    """Return facts as the ledger stores them."""
    return msgspec.convert(stored_facts, PublicFacts, strict=False)
