"""Tables of the lobby: seats and invitations to them."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class Seat(Base):
    """A place in a game; free while it has neither a person nor a bot."""

    __tablename__ = "seat"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    bot_name: Mapped[str | None]
    """The bot in this seat; None for people and free seats."""
    bot_level: Mapped[str | None]
    """How well the bot plays (``webapp.bot_levels``); None for people and free seats."""
    name: Mapped[str | None]
    """The person's name in this game, which does not change with the account's; None for bots and free seats."""
    is_ready: Mapped[bool] = mapped_column(server_default=text("false"))
    salt: Mapped[bytes] = mapped_column(server_default=text("''::bytea"))
    """The player's random words, mixed into the shuffles."""

    __table_args__ = (
        CheckConstraint("account_id IS NULL OR bot_name IS NULL", name="person_or_bot"),
        CheckConstraint("(bot_level IS NULL) = (bot_name IS NULL)", name="bot_has_level"),
        CheckConstraint("octet_length(salt) <= 64", name="salt"),
        Index(
            "seat_person",
            "game_id",
            "account_id",
            unique=True,
            postgresql_where=text("account_id IS NOT NULL"),
        ),
        # For moderators: games that wait for a seat in which no one sits.
        Index(
            "seat_free",
            "game_id",
            "number",
            postgresql_where=text("account_id IS NULL AND bot_name IS NULL"),
        ),
    )


class Sitting(Base):
    """A person or bot who had a seat of a dealt game before the one who has it now."""

    __tablename__ = "sitting"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    """Counts the former sittings of a seat from 1."""
    until_seq: Mapped[int]
    """The last turn of the game that they saw from this seat."""
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    name: Mapped[str]
    """The person's name in this game, or the bot's."""
    bot_level: Mapped[str | None]
    """How well the bot played; None for people."""


class Invitation(Base):
    """An invitation to a seat: by email for one person, or (without an address) the table's own link."""

    __tablename__ = "invitation"

    id: Mapped[int] = generated_id()
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), index=True)
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    address: Mapped[str | None]
    invited_by: Mapped[int] = mapped_column(ForeignKey("account.id"))
    invited_at: Mapped[datetime]
    accepted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))

    __table_args__ = (Index(None, "invited_by", "invited_at"),)
