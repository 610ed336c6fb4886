"""Tables of the audit: its position, and the games in which it found something wrong."""

from datetime import datetime

from sqlalchemy import ForeignKey, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base


class Audit(Base):
    """The cursor of the audit over all games; one row, and none before the first pass began."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    begun_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]  # Before ``begun_at`` while a pass is under way.
    position: Mapped[int]  # The game that was checked last.
    repaired: Mapped[int]  # Snapshots that were ever rebuilt.


class Inconsistency(Base):
    """A difference between a game and its log at the last check. While there is one, no turn is played for its players."""

    __tablename__ = "inconsistency"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    why: Mapped[str] = mapped_column(primary_key=True)
    found_at: Mapped[datetime]
