"""Tables of the clock: what happened to every deadline."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class DeadlineEvent(Base):
    """What started, moved, stopped or ended the clock of a turn. Rows are only ever appended.

    No foreign keys: the statement of a turn writes here, and each would lock a row that the game shares with others.
    """

    __tablename__ = "deadline_event"

    id: Mapped[int] = generated_id()
    game_id: Mapped[int]
    turn_seq: Mapped[int]
    """The turn whose clock it is, as in the game's row."""
    at: Mapped[datetime]
    kind: Mapped[str]
    seat: Mapped[int | None] = mapped_column(SmallInteger)
    account_id: Mapped[int | None]
    """Who had the seat then; None for an open seat."""
    by: Mapped[str]
    """Who caused it: player, clock, moderator, server, vote. A turn from a plan counts as its player's."""
    deadline_at: Mapped[datetime | None]
    """The deadline afterwards; for the end of a turn the one that it had."""
    cause: Mapped[str] = mapped_column(server_default=text("''"))
    """Why, as a code; empty if the kind says it."""

    __table_args__ = (
        CheckConstraint(
            "kind IN ('started', 'reminded', 'nudged', 'extended', 'paused', 'resumed', 'shifted', 'absence', "
            "'undelivered', 'held', 'played', 'late', 'missed', 'opened')",
            name="kind",
        ),
        Index("deadline_event_turn", "game_id", "turn_seq"),
        # For the reliability of a player.
        Index(
            "deadline_event_account",
            "account_id",
            "at",
            postgresql_where=text("kind IN ('played', 'late', 'missed')"),
        ),
    )
