"""Tables of moderation: the ledger of what moderators did, reports, sanctions, saved filters, and the security log."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from webapp.kernel.schema import Base, generated_id


class LedgerEntry(Base):
    """One act of a moderator. The database refuses to change or delete these rows; they hold no secret of a game.

    People are ids here and names only where they are shown, so that an account can be deleted.
    """

    __tablename__ = "ledger"

    id: Mapped[int] = generated_id()
    at: Mapped[datetime]
    act: Mapped[str]
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    """None is the operator on the command line."""
    acted_as: Mapped[str]
    """As what the actor was allowed to act."""
    game_id: Mapped[int | None] = mapped_column(ForeignKey("game.id"))
    seat: Mapped[int | None] = mapped_column(SmallInteger)
    seq: Mapped[int | None]
    """Where the game stood."""
    club_id: Mapped[int | None]
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    """Whom the act is about."""
    before: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    after: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    """Public facts that the act changed, such as a deadline."""
    reason: Mapped[str]
    form_id: Mapped[str] = mapped_column(unique=True)
    """Of the form that was sent; a second press of its button finds this row and does nothing."""
    undoes: Mapped[int | None] = mapped_column(ForeignKey("ledger.id"), unique=True)

    __table_args__ = (
        CheckConstraint("length(reason) BETWEEN 1 AND 500", name="reason"),
        Index("ledger_game", "game_id", "id", postgresql_where=text("game_id IS NOT NULL")),
        Index("ledger_club", "club_id", "id", postgresql_where=text("club_id IS NOT NULL")),
        Index(
            "ledger_account", "account_id", "id", postgresql_where=text("account_id IS NOT NULL")
        ),
        Index("ledger_actor", "actor_id", "id"),
        Index("ledger_act", "act", "id"),
    )


class Sanction(Base):
    """A warning, a ban, a mute or a change of name, as its recipient is shown it. The account repeats what pages must know at once."""

    __tablename__ = "sanction"

    id: Mapped[int] = generated_id()
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    kind: Mapped[str]
    reason: Mapped[str]
    """As the person reads it."""
    at: Mapped[datetime]
    until: Mapped[datetime | None]
    """When a ban or a mute ends; None for what does not end."""
    lifted_at: Mapped[datetime | None]
    ledger_id: Mapped[int] = mapped_column(ForeignKey("ledger.id"))
    appeal_hash: Mapped[bytes] = mapped_column(unique=True)
    """Of the token in the email, with which a person appeals without signing in."""

    __table_args__ = (
        CheckConstraint("kind IN ('warning', 'ban', 'mute', 'rename')", name="kind"),
        CheckConstraint("(kind IN ('ban', 'mute')) = (until IS NOT NULL)", name="until"),
        Index(None, "account_id", "id"),
    )


class Report(Base):
    """A report of a person, a message or a table by a player, or an appeal against a sanction."""

    __tablename__ = "report"

    id: Mapped[int] = generated_id()
    kind: Mapped[str]
    reporter_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    """Whom it is about; None if it is about the table."""
    game_id: Mapped[int | None] = mapped_column(ForeignKey("game.id"))
    seat: Mapped[int | None] = mapped_column(SmallInteger)
    message_number: Mapped[int | None]
    """Of the message that is reported, within its game."""
    message_text: Mapped[str | None]
    """What the message said when it was reported: kept as evidence for a while, also if its author changes or deletes it."""
    sanction_id: Mapped[int | None] = mapped_column(ForeignKey("sanction.id"))
    complaint: Mapped[str]
    at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    decision: Mapped[str | None]
    answer: Mapped[str | None]
    """What the email to the reporter says."""

    __table_args__ = (
        CheckConstraint("length(complaint) BETWEEN 1 AND 1000", name="complaint"),
        CheckConstraint("(kind = 'appeal') = (sanction_id IS NOT NULL)", name="appeal"),
        CheckConstraint("(kind = 'message') = (message_number IS NOT NULL)", name="message"),
        CheckConstraint("(decided_at IS NULL) = (decision IS NULL)", name="decision"),
        Index("report_waiting", "at", "id", postgresql_where=text("decided_at IS NULL")),
        Index(
            "report_open",
            "reporter_id",
            "kind",
            "game_id",
            "seat",
            "sanction_id",
            "message_number",
            unique=True,
            postgresql_where=text("decided_at IS NULL"),
            postgresql_nulls_not_distinct=True,
        ),
        Index(
            "report_message",
            "game_id",
            "message_number",
            "reporter_id",
            unique=True,
            postgresql_where=text("message_number IS NOT NULL"),
        ),
        Index("report_account", "account_id", "id"),
        Index("report_game", "game_id", "id"),
        Index("report_reporter", "reporter_id", "at"),
    )


class SavedFilter(Base):
    """A query of the dashboard that a moderator has named."""

    __tablename__ = "saved_filter"

    id: Mapped[int] = generated_id()
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    name: Mapped[str]
    query: Mapped[str]

    __table_args__ = (UniqueConstraint("account_id", "name", name="saved_filter_name"),)


class Peek(Base):
    """A look of a moderator at the secrets of a game, committed before anything was shown.

    Who has a row can never sit down at that game: a trigger on ``seat`` refuses it.
    """

    __tablename__ = "peek"

    id: Mapped[int] = generated_id()
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    seq: Mapped[int]
    """The turn after which the position is shown; later turns are not."""
    ledger_id: Mapped[int] = mapped_column(ForeignKey("ledger.id"))
    """The entry with the reason."""
    at: Mapped[datetime]

    __table_args__ = (Index("peek_person", "game_id", "account_id", "id"),)


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
