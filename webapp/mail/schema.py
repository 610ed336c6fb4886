"""Tables of email: the outbox, which emails an address does not want, and what the server receives."""

from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    SmallInteger,
    UniqueConstraint,
    and_,
    exists,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from webapp.kernel.schema import Base, generated_id


class Notification(Base):
    """The outbox: an email to be sent is a row, written in the transaction of what it reports.

    No foreign keys: each would lock and rewrite an account's row for every notification.
    """

    __tablename__ = "notification"

    id: Mapped[int] = generated_id()
    kind: Mapped[str]
    game_id: Mapped[int | None]
    seq: Mapped[int | None]
    account_id: Mapped[int | None]
    dedup_key: Mapped[int] = mapped_column(server_default=text("0"))
    """Tells two notifications of a kind apart: a reminder in seconds, a ready-check's number, a sign-in, an invitation."""
    status: Mapped[str] = mapped_column(server_default=text("'pending'"))
    first_due_at: Mapped[datetime]
    due_at: Mapped[datetime]
    """When it is to be sent; every retry moves it."""
    quiet_until: Mapped[datetime | None]
    """The end of its wait for its recipient to have no quiet hours or to leave the site; before that it is not late."""
    lease_until: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    message_id: Mapped[str | None]
    """Its Message-ID up to the @, once a relay has accepted it. An indexed column: setting it before would write all indexes twice."""
    attempted_at: Mapped[datetime | None]
    """When it was last refused, or could not be sent."""
    delay_cause: Mapped[str | None]
    """Who has to do something about that; see ``DelayCause``."""
    reason: Mapped[str | None]
    """Why it was dropped, postponed or given up."""
    settled_at: Mapped[datetime | None]
    request_id: Mapped[str | None]
    """The id of the request that caused it, for the log; None if none did."""

    __table_args__ = (
        UniqueConstraint(
            "game_id",
            "seq",
            "kind",
            "account_id",
            "dedup_key",
            name="notification_key",
            postgresql_nulls_not_distinct=True,
        ),
        CheckConstraint("status IN ('pending', 'sent', 'dropped', 'failed')", name="status"),
        Index("notification_due", "due_at", postgresql_where=text("status = 'pending'")),
        Index(
            "notification_settled",
            "settled_at",
            "status",
            postgresql_where=text("settled_at IS NOT NULL"),
        ),
        # For reports that an email could not be delivered later on: they name it.
        Index(
            "notification_message_id",
            "message_id",
            postgresql_where=text("status = 'sent'"),
        ),
        # For moderators: the turns whose emails were refused for good.
        Index(
            "notification_failed",
            "first_due_at",
            postgresql_where=text("status = 'failed'"),
        ),
    )


class StoredMessage(Base):
    """The message of an email, from its first claim until it is sent or given up: a retry sends the same.

    The table is not logged, so that it costs no WAL. After a crash of Postgres it is empty, as it is in a standby and in a restored
    copy, and the messages are composed again, under the same Message-IDs.
    """

    __tablename__ = "stored_message"

    notification_id: Mapped[int] = mapped_column(
        ForeignKey("notification.id", ondelete="CASCADE"), primary_key=True
    )
    message: Mapped[bytes]
    """What ``webapp.mail.stored_message`` encodes. It contains live tokens."""

    __table_args__ = ({"prefixes": ["UNLOGGED"]},)


def has_stored_message() -> ColumnElement[bool]:
    """Return the condition that another attempt sends the same message. One without a message may have had one before a crash."""
    return exists().where(StoredMessage.notification_id == Notification.id)


def waits_after_refusal() -> ColumnElement[bool]:
    """Return the condition that an email was refused for now, waits for its next attempt, and is not being sent."""
    return and_(
        Notification.status == "pending",
        Notification.reason.is_not(None),
        Notification.lease_until.is_(None),
    )


class OptOut(Base):
    """An address that refuses some or all emails. It outlives accounts, and needs none."""

    __tablename__ = "opt_out"

    id: Mapped[int] = generated_id()
    address: Mapped[str]
    """The address in lower case and without ``+tag``."""
    scope: Mapped[str]
    game_id: Mapped[int | None] = mapped_column(ForeignKey("game.id"))
    at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint(
            "address", "scope", "game_id", name="opt_out_key", postgresql_nulls_not_distinct=True
        ),
        CheckConstraint("(scope = 'game') = (game_id IS NOT NULL)", name="scope"),
    )


class UnsubscribeToken(Base):
    """What a one-click token stops. Tokens do not expire and carry no address (RFC 8058)."""

    __tablename__ = "unsubscribe_token"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    address: Mapped[str]
    scope: Mapped[str]
    game_id: Mapped[int | None] = mapped_column(ForeignKey("game.id"))
    club_id: Mapped[int | None] = mapped_column(ForeignKey("club.id"))


class ReplyToken(Base):
    """A token with which one player answers the emails about one turn. It acts while the turn waits for them.

    It is in addresses for answers. Links to moves, which need no proof of who follows them, have the token that it is derived from.

    No foreign keys, for the same reason as in the outbox.
    """

    __tablename__ = "reply_token"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    account_id: Mapped[int]
    game_id: Mapped[int] = mapped_column(index=True)
    seq: Mapped[int]
    """The turn that it answers."""


class InboundEmail(Base):
    """An email to an address for answers, or to the envelope sender of an email from here.

    It is stored before it is accepted, and settled in the transaction of what it causes.
    """

    __tablename__ = "inbound_email"

    id: Mapped[int] = generated_id()
    digest: Mapped[bytes] = mapped_column(unique=True)
    """The digest of the recipient and the whole message, so that one that comes again is stored once."""
    message_id_digest: Mapped[bytes | None] = mapped_column(unique=True)
    """The digest of recipient and Message-ID: an email by two routes is stored once. None without a Message-ID."""
    token_hash: Mapped[bytes | None]
    """The hash of the token in an address for answers; None for a report about the delivery of an email from here."""
    notification_id: Mapped[int | None]
    """The email that such a report is about."""
    received_at: Mapped[datetime]
    is_vouched: Mapped[bool]
    """Whether the receiver itself knows who has sent it, as the mailbox page of a server without a relay does."""
    message: Mapped[bytes | None]
    """The raw message, until it is settled."""
    settled_at: Mapped[datetime | None]
    account_id: Mapped[int | None] = mapped_column(index=True)
    """The account whose answer it is, once that is known."""
    is_proven: Mapped[bool | None]
    """Whether it was proven that this account has sent it, once it is answered."""
    outcome: Mapped[str | None]
    """What became of each command, as the answer says it (``ReplyOutcome``); or in one word why there is no answer."""

    __table_args__ = (
        CheckConstraint("(settled_at IS NULL) = (message IS NOT NULL)", name="settled"),
        CheckConstraint("(token_hash IS NULL) = (notification_id IS NOT NULL)", name="recipient"),
        Index("inbound_email_waiting", "id", postgresql_where=text("settled_at IS NULL")),
        Index("inbound_email_settled", "settled_at"),
    )
