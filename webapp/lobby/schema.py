"""Tables of the lobby: seats and invitations to them."""

from datetime import datetime, timedelta

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    SmallInteger,
    SQLColumnExpression,
    and_,
    exists,
    text,
)
from sqlalchemy.orm import Mapped, aliased, mapped_column

from webapp.kernel.schema import Base, generated_id


class Seat(Base):
    """A place in a game; free while it has neither a person nor a bot."""

    __tablename__ = "seat"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    bot_name: Mapped[str | None]
    """The bot in this seat; None for people and free seats."""
    bot_level: Mapped[str | None]
    """How well the bot plays (``webapp.kernel.bot_levels``); None for people and free seats."""
    name: Mapped[str | None]
    """The person's name in this game, which does not change with the account's; None for bots and free seats."""
    is_ready: Mapped[bool] = mapped_column(server_default=text("false"))
    salt: Mapped[bytes] = mapped_column(server_default=text("''::bytea"))
    """The player's random words, mixed into the shuffles."""
    bank: Mapped[timedelta | None]
    """What is left in the time bank of the player; None for a full one, with which every player begins."""
    strikes: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    absence_used: Mapped[timedelta | None]
    """The playing time for which the player's absences have stopped the clock of this game; None for none.

    It is negative if the game was paused meanwhile.
    """
    returned_at: Mapped[datetime | None]
    """When the player last took a turn although they had said to be away: absences that had begun then count no more in this game."""
    opened_at: Mapped[datetime | None]
    """When the seat of a dealt game was opened; None while someone sits there."""
    leaver_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    """The person from whom the open seat was taken, and who can get it back; None once they have deleted their account."""
    is_lost: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether the seat was opened because of missed turns: its player can take it back themselves."""
    informed_volunteers: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    """How many people have been sent an email because the seat is open."""

    __table_args__ = (
        CheckConstraint("account_id IS NULL OR bot_name IS NULL", name="person_or_bot"),
        CheckConstraint(
            "opened_at IS NULL OR (account_id IS NULL AND bot_name IS NULL)", name="opened"
        ),
        CheckConstraint(
            "opened_at IS NOT NULL OR (leaver_id IS NULL AND NOT is_lost)", name="leaver"
        ),
        CheckConstraint("(bot_level IS NULL) = (bot_name IS NULL)", name="bot_has_level"),
        CheckConstraint("octet_length(salt) <= 64", name="salt"),
        Index(
            "seat_person",
            "game_id",
            "account_id",
            unique=True,
            postgresql_where=text("account_id IS NOT NULL"),
        ),
        Index("seat_leaver", "leaver_id", postgresql_where=text("leaver_id IS NOT NULL")),
        # For volunteers: seats that anyone may take.
        Index("seat_lost", "opened_at", postgresql_where=text("is_lost")),
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


class SeatOffer(Base):
    """An offer of a seat in a dealt game: by email to one person, or as a link for the first who accepts it.

    It is open while ``ended_as`` is empty, it has not expired, the game continues and no person sits in the seat.
    """

    __tablename__ = "seat_offer"

    id: Mapped[int] = generated_id()
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"))
    seat: Mapped[int] = mapped_column(SmallInteger)
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    name: Mapped[str | None]
    """The name as typed, if a person was named."""
    address: Mapped[str | None]
    """The address as typed, or of the person named; None for a link, and if no such person was found."""
    is_link: Mapped[bool]
    offered_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    """None is the operator on the command line."""
    reason: Mapped[str]
    """The reason as the ledger has it; the person who accepts is seated for the same reason."""
    offered_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    ended_as: Mapped[str | None]
    accepted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))

    __table_args__ = (
        CheckConstraint(
            "ended_as IN ('accepted', 'declined', 'withdrawn', 'replaced', 'filled')",
            name="ended_as",
        ),
        CheckConstraint("(ended_at IS NULL) = (ended_as IS NULL)", name="ended"),
        CheckConstraint("(ended_as = 'accepted') = (accepted_by IS NOT NULL)", name="accepted"),
        Index(
            "seat_offer_open",
            "game_id",
            "seat",
            unique=True,
            postgresql_where=text("ended_as IS NULL"),
        ),
        Index("seat_offer_game", "game_id", "id"),
        Index(None, "expires_at"),
    )


class Invitation(Base):
    """An invitation to a seat: by email for one person, or (without an address) the table's own link."""

    __tablename__ = "invitation"

    id: Mapped[int] = generated_id()
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), index=True)
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    address: Mapped[str | None]
    name: Mapped[str | None]
    """The name by which the inviter of a rematch, who sees no address, knows the person; None for a typed address."""
    invited_by: Mapped[int] = mapped_column(ForeignKey("account.id"))
    invited_at: Mapped[datetime]
    accepted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))

    __table_args__ = (Index(None, "invited_by", "invited_at"),)


def is_alone_with_bots(
    game_id: SQLColumnExpression[int], number: SQLColumnExpression[int | None]
) -> ColumnElement[bool]:
    """Return the condition that only bots have ever had the seats of a game other than this one.

    What someone does there says nothing about playing with people.
    """
    seat, sitting = aliased(Seat, name="other_seat"), aliased(Sitting, name="other_sitting")
    other_seat = (seat.game_id == game_id, seat.number != number)
    other_sitting = (sitting.game_id == game_id, sitting.seat != number)
    return and_(
        exists().where(*other_seat),
        ~exists().where(*other_seat, seat.bot_name.is_(None)),
        ~exists().where(*other_sitting, sitting.bot_level.is_(None)),
    )
