"""Tables of what players write at a table: messages to everyone there, and notes and marks that only they can read."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from webapp.kernel.schema import Base


class Message(Base):
    """A message to the table. It is no part of the game: it never changes ``seq``, and neither engine nor bots see it.

    No foreign key to the game: a message sent with a turn is stored after its row has changed, and would have to lock it again.
    """

    __tablename__ = "message"

    game_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Counted from 1 in each game, so that it tells nothing of other tables."""
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    seat: Mapped[int] = mapped_column(SmallInteger)
    name: Mapped[str]
    """The author's name at the table when they wrote it."""
    seq: Mapped[int]
    """The turn after which it was written: its place in the history."""
    text: Mapped[str]
    """Empty once its author has deleted it, or a moderator has removed it."""
    at: Mapped[datetime]
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    """When its author deleted it."""
    removed_at: Mapped[datetime | None]
    """When a moderator removed it; the ledger has the reason."""
    form_id: Mapped[str]
    """Of the form that was sent; a second press of its button finds this row and does nothing."""

    __table_args__ = (
        CheckConstraint("length(text) <= 500", name="text"),
        CheckConstraint(
            "(text = '') = (deleted_at IS NOT NULL OR removed_at IS NOT NULL)", name="gone"
        ),
        Index("message_author", "account_id", "game_id"),
    )


class Note(Base):
    """What a person has written down about a game for themselves. Anyone who takes over their seat never sees it."""

    __tablename__ = "note"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    text: Mapped[str]
    changed_at: Mapped[datetime]

    __table_args__ = (CheckConstraint("length(text) BETWEEN 1 AND 2000", name="text"),)


class Mark(Base):
    """Whom a person trusts or suspects in a round; without a row, neither."""

    __tablename__ = "mark"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    round: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    """Whom the mark is about."""
    suspicion: Mapped[str]
    changed_at: Mapped[datetime]

    __table_args__ = (CheckConstraint("suspicion IN ('trust', 'suspect')", name="suspicion"),)
