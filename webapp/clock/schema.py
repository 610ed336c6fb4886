"""Tables of the clock: what happened to every deadline, when people are away or want no reminders, and when all clocks stood still."""

from datetime import datetime, time, timedelta
from typing import get_args

from sqlalchemy import ARRAY, CheckConstraint, ForeignKey, Index, Integer, SmallInteger, Time, text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.clock.turn import END_KINDS, EventKind
from webapp.kernel.schema import Base, generated_id


class DeadlineEvent(Base):
    """What started, moved, stopped or ended the clock of a turn. Rows are only ever appended.

    No foreign keys: the statement of a turn writes here, and each would lock a row that the game shares with others.
    """

    __tablename__ = "deadline_event"

    # Two rows a turn: so numbers are short, and one index serves as key and finds the rows of a turn.
    game_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    turn_seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    """The turn whose clock it is, as in the game's row."""
    id: Mapped[int] = generated_id()
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
    bank: Mapped[timedelta | None]
    """The player's bank; only for the start of a turn, or for the end of one that had no clock."""
    absence_used: Mapped[timedelta | None]
    """How long the player's absences have stopped the clock of this game before; only for the start of a turn."""

    __table_args__ = (
        CheckConstraint(f"kind IN {get_args(EventKind)}", name="kind"),
        # For the reliability of a player.
        Index(
            "deadline_event_account",
            "account_id",
            "at",
            postgresql_where=text(f"kind IN {END_KINDS}"),
        ),
    )


class Absence(Base):
    """Some time for which a person has said to be away."""

    __tablename__ = "absence"

    id: Mapped[int] = generated_id()
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    kind: Mapped[str]
    """``dates`` were declared ahead; a ``holiday`` begins at once."""
    from_at: Mapped[datetime]
    until_at: Mapped[datetime]
    declared_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    """When its owner came back earlier; from then on it counts no more."""

    __table_args__ = (
        CheckConstraint("kind IN ('dates', 'holiday')", name="kind"),
        CheckConstraint("from_at < until_at", name="order"),
        CheckConstraint("ended_at BETWEEN from_at AND until_at", name="end"),
        Index(None, "account_id", "until_at"),
    )


class QuietHours(Base):
    """Hours of the week without reminders, in the time zone of the account."""

    __tablename__ = "quiet_hours"

    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    """Counts the quiet hours of an account from 1, as its page shows them."""
    weekdays: Mapped[list[int]] = mapped_column(ARRAY(SmallInteger))
    """They begin on these days; 0 is Monday."""
    from_time: Mapped[time] = mapped_column(Time)
    until_time: Mapped[time] = mapped_column(Time)
    """The end; on the next day if it is before ``from_time``."""

    __table_args__ = (CheckConstraint("from_time <> until_time", name="length"),)


class Maintenance(Base):
    """A time in which no one could play, or no worker ran, by whose length the deadlines of all running games move."""

    __tablename__ = "maintenance"

    id: Mapped[int] = generated_id()
    began_at: Mapped[datetime]
    recorded_at: Mapped[datetime]
    """When it became known; an outage is recorded at its end."""
    ended_at: Mapped[datetime | None]
    shifted_at: Mapped[datetime | None]
    """When the last deadline was moved; until then no deadline runs out."""
    last_game_id: Mapped[int] = mapped_column(server_default=text("0"))
    """The game that was shifted last; it and the games before it are done."""
    cause: Mapped[str] = mapped_column(server_default=text("'maintenance'"))
    """Why: maintenance, an outage of the server, during which no worker looked for deadlines, or one of email."""

    __table_args__ = (
        CheckConstraint("cause IN ('maintenance', 'server', 'email')", name="cause"),
        # At most one at a time: the next can begin when all clocks have been shifted after this one.
        Index(
            "maintenance_unfinished",
            text("(true)"),
            unique=True,
            postgresql_where=text("shifted_at IS NULL"),
        ),
    )
