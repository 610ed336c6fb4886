"""Tables of the audit: its position, and the games in which it found something wrong.

Its own module because the tables are split by subject.
"""

from datetime import datetime

from sqlalchemy import ForeignKey, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base


class Audit(Base):
    """The cursor of the daily audit of all games; one row, none before the first audit."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    started_at: Mapped[datetime]
    completed_at: Mapped[datetime | None]  # Before ``started_at`` while an audit is running.
    last_game_id: Mapped[int]  # The game that was checked last.
    repaired_snapshots: Mapped[int]  # By all audits together.


class RecordedInconsistency(Base):
    """A difference between a game and its log at the last check. While there is one, no turn is played for its players."""

    __tablename__ = "inconsistency"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
