"""Tables of emails that the server receives: to which address which player answers about which turn, and the emails themselves."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class ReplyToken(Base):
    """What one player answers the emails about one turn with: an address, or the links to moves. It acts while the turn waits for them.

    No foreign key to the account, for the same reason as in the outbox.
    """

    __tablename__ = "reply_token"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    is_link: Mapped[bool]
    """Whether it is in links, which need no proof of who follows them; an address of an answer is none of these."""
    account_id: Mapped[int]
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), index=True)
    seq: Mapped[int]
    """The turn that it answers."""


class InboundEmail(Base):
    """An email to one of those addresses, or to the envelope sender of an email from here: stored before it is accepted, and settled in the transaction of what it causes."""

    __tablename__ = "inbound_email"

    id: Mapped[int] = generated_id()
    digest: Mapped[bytes] = mapped_column(unique=True)
    """Of the recipient and the whole message, so that one that comes again is stored once."""
    message_id_digest: Mapped[bytes | None] = mapped_column(unique=True)
    """Of the recipient and the Message-ID, so that one that comes by two routes is stored once; None without a Message-ID."""
    token_hash: Mapped[bytes | None]
    """Of the address of an answer; None for a report about the delivery of an email from here."""
    notification_id: Mapped[int | None]
    """The email that such a report is about."""
    received_at: Mapped[datetime]
    is_vouched: Mapped[bool]
    """Whether the receiver itself knows who has sent it, as the mailbox page of a server without a relay does."""
    message: Mapped[bytes | None]
    """The raw message, until it is settled."""
    settled_at: Mapped[datetime | None]
    account_id: Mapped[int | None] = mapped_column(index=True)
    """Whose answer it is, once that is known."""
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
