"""Tables of the operator: the audit, the secret key, restored copies, health, statistics and settings."""

from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ARRAY, CheckConstraint, Date, ForeignKey, Integer, SmallInteger, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from webapp.kernel.schema import Base

SCHEDULE_PART: Final = "schedule"
"""The part of the heartbeat that says when a worker last looked for deadlines."""
_ZERO_DEFAULT = text("0")


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
    """What ``webapp.kernel.keys.fingerprint_of`` returns for it."""
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


class Heartbeat(Base):
    """When a part of the server last gave a sign of life; a process that ends properly deletes its row."""

    __tablename__ = "heartbeat"

    part: Mapped[str] = mapped_column(primary_key=True)
    """``worker``, ``beat``, ``web``, ``schedule`` for the last sweep, or ``bots`` for the workers that play them."""
    instance: Mapped[str] = mapped_column(primary_key=True)
    """Host and process id; empty for ``schedule`` and ``bots``."""
    at: Mapped[datetime]
    """In the time of the database, if the clock of the process is wrong."""
    clock_ahead: Mapped[timedelta] = mapped_column(server_default=text("'00:00:00'::interval"))
    """How far the clock of a worker or a beat is ahead of the database's; negative if it is behind."""
    started_at: Mapped[datetime | None]
    """When a beat wrote its first heartbeat: one that was last seen before another started was replaced by it."""


class HealthSample(Base):
    """Figures of five minutes, of an hour after some days; what was not measured is NULL."""

    __tablename__ = "health_sample"

    at: Mapped[datetime] = mapped_column(primary_key=True)
    """The beginning of the five minutes."""
    oldest_email: Mapped[int | None] = mapped_column(Integer)
    """Seconds that the oldest unsent email has been waiting; 0 if none waits."""
    most_overdue: Mapped[int | None] = mapped_column(Integer)
    """Seconds since the oldest deadline passed for which no turn was played; 0 if there is none."""
    pending_emails: Mapped[int | None] = mapped_column(Integer)
    failed_emails: Mapped[int | None] = mapped_column(Integer)
    """Emails given up during the hour before."""
    sign_ins: Mapped[int | None] = mapped_column(Integer)
    """Sign-ins during the five minutes before."""
    workers: Mapped[int | None] = mapped_column(Integer)
    sweeps: Mapped[int] = mapped_column(Integer, server_default=_ZERO_DEFAULT)
    """How often a worker looked for deadlines during these five minutes."""
    slow_sweeps: Mapped[int] = mapped_column(Integer, server_default=_ZERO_DEFAULT)
    """How many of these took longer than the time until the next."""


class Outage(Base):
    """A time in which no worker ran, or no email could be sent. Turns that ran out of time meanwhile are not held against anyone.

    Maintenance has a table of its own.
    """

    __tablename__ = "outage"

    kind: Mapped[str] = mapped_column(primary_key=True)
    """``workers`` or ``mail``, or ``relay`` as long as the relay can't be reached: see ``webapp.operations.queries.outages``."""
    began_at: Mapped[datetime] = mapped_column(primary_key=True)
    ended_at: Mapped[datetime]
    """Up to now it has lasted until then."""


class DailyStatistics(Base):
    """What happened on one day of UTC; the row of the present day grows."""

    __tablename__ = "daily_statistics"

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    counted_at: Mapped[datetime]
    turns: Mapped[int] = mapped_column(Integer)
    """Turns of people, those included that the server played because time had run out."""
    late_turns: Mapped[int] = mapped_column(Integer)
    """Turns that the server played because time had run out."""
    answer_times: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    """How many turns that people played themselves took how long: see ``BUCKET_BOUNDS`` in ``webapp.operations.queries.daily_statistics``."""
    active_games: Mapped[int] = mapped_column(Integer)
    emails_sent: Mapped[int] = mapped_column(Integer)
    emails_dropped: Mapped[int] = mapped_column(Integer)
    emails_failed: Mapped[int] = mapped_column(Integer)
    sign_ins: Mapped[int] = mapped_column(Integer)
    new_accounts: Mapped[int] = mapped_column(Integer)


class SiteFigure(Base):
    """A figure for metrics: what all processes have counted together, or what a worker counts from time to time."""

    __tablename__ = "site_figure"

    name: Mapped[str] = mapped_column(primary_key=True)
    label: Mapped[str] = mapped_column(primary_key=True)
    """What is counted of it, such as the outcome of attempts; empty if there is only one figure of that name."""
    value: Mapped[int] = mapped_column(server_default=_ZERO_DEFAULT)


class Alarm(Base):
    """What an operator should know of: how often it has happened, and when it was logged last."""

    __tablename__ = "alarm"

    name: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int] = mapped_column(server_default=_ZERO_DEFAULT)
    raised_at: Mapped[datetime]
    logged_at: Mapped[datetime | None]


class SiteSetting(Base):
    """A setting that differs from its default, or did once. The ledger knows who changed it, and when."""

    __tablename__ = "site_setting"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSONB)
