"""Table of the security log: who signed in, what was granted, exported or deleted, and what moderators looked at."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class SecurityEvent(Base):
    """One event; it holds no secret, neither of a game nor of an account."""

    __tablename__ = "security_event"

    id: Mapped[int] = generated_id()
    at: Mapped[datetime]
    kind: Mapped[str]
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    """Who did it; None is the operator, or someone who is not signed in."""
    network_address: Mapped[str | None]
    """From where, the last time; deleted after some weeks, the event stays."""
    detail: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    counted_as: Mapped[str | None] = mapped_column(unique=True)
    """What is counted in one row all day, so that no one can fill the table with it; None for an event with a row of its own."""
    times: Mapped[int] = mapped_column(server_default=text("1"))
    last_at: Mapped[datetime | None]
    """When it happened again."""

    __table_args__ = (
        Index("security_event_account", "account_id", "id"),
        Index("security_event_kind", "kind", "id"),
        Index("security_event_at", "at"),
        Index("security_event_network", "at", postgresql_where=text("network_address IS NOT NULL")),
    )
