"""Tables of the site: the settings that moderators change, and the shifts of all clocks after maintenance."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class SiteSetting(Base):
    """A setting that differs from its default, or did once. The ledger knows who changed it, and when."""

    __tablename__ = "site_setting"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSONB)


class Maintenance(Base):
    """A time in which no one could play, or no worker ran, by whose length the deadlines of all running games move."""

    __tablename__ = "maintenance"

    id: Mapped[int] = generated_id()
    began_at: Mapped[datetime]
    recorded_at: Mapped[datetime]
    """Since when it is known; an outage is recorded at its end."""
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
