"""Tables of the operator: the audit, the secret key that belongs to the database, and emails held after a restore."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, SmallInteger
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


class ExpectedKey(Base):
    """Which secret key belongs to the database; one row, none before the first start of a server."""

    __tablename__ = "expected_key"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    fingerprint: Mapped[str]
    """What ``webapp.keys.fingerprint_of`` returns for it."""
    since: Mapped[datetime]

    __table_args__ = (CheckConstraint("id = 1", name="one"),)


class EmailHold(Base):
    """While it has its one row, no email is sent and no deadline runs out: the database is a restored copy."""

    __tablename__ = "email_hold"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    held_at: Mapped[datetime]
    backup_taken_at: Mapped[datetime]
    clocks_stopped_at: Mapped[datetime]
    """When deadlines were last watched before the backup: they move by the time since then."""

    __table_args__ = (CheckConstraint("id = 1", name="one"),)
