"""Tables of votes: what the players of a game decide together, and what each of them answered."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class Vote(Base):
    """A proposal to all people who sit at a table; it is open until ``ended_at``."""

    __tablename__ = "vote"

    id: Mapped[int] = generated_id()
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"))
    kind: Mapped[str]
    seat: Mapped[int] = mapped_column(SmallInteger)
    """Whose player proposed it."""
    round: Mapped[int] = mapped_column(SmallInteger)
    """The round under way when it was proposed."""
    opened_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    outcome: Mapped[str | None]
    pause_ends_at: Mapped[datetime | None]
    """When the pause that was agreed on ends by itself, until it has ended."""

    __table_args__ = (
        CheckConstraint("kind IN ('pause', 'resume', 'cancel', 'shorten')", name="kind"),
        CheckConstraint(
            "outcome IN ('passed', 'rejected', 'expired', 'outdated')",
            name="outcome",
        ),
        CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended"),
        Index("vote_open", "game_id", unique=True, postgresql_where=text("ended_at IS NULL")),
        Index("vote_game", "game_id", "id"),
        Index("vote_expires_at", "expires_at", postgresql_where=text("ended_at IS NULL")),
        Index(
            "vote_pause_ends_at",
            "pause_ends_at",
            postgresql_where=text("pause_ends_at IS NOT NULL"),
        ),
    )


class Ballot(Base):
    """A person who may vote, because they sat at the table when the vote was opened."""

    __tablename__ = "ballot"

    vote_id: Mapped[int] = mapped_column(ForeignKey("vote.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    is_yes: Mapped[bool | None]
    """None until they have answered."""
    answered_at: Mapped[datetime | None]
