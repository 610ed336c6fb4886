"""The schema, once. Everything that is asked of it stands beside it in this folder, and nowhere else."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    SmallInteger,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base

_STATUS = "status IN ('open', 'ready-check', 'running', 'finished', 'cancelled')"


def _id() -> Mapped[int]:
    return mapped_column(BigInteger, Identity(), primary_key=True)


class Account(Base):
    __tablename__ = "account"

    id: Mapped[int] = _id()
    address: Mapped[str]
    name: Mapped[str]
    language: Mapped[str]
    zone: Mapped[str]
    picks_gold: Mapped[bool] = mapped_column(server_default=text("true"))
    created_at: Mapped[datetime]

    __table_args__ = (Index("account_address", func.lower(text("address")), unique=True),)


class Session(Base):
    __tablename__ = "session"

    id: Mapped[int] = _id()
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    ref: Mapped[str] = mapped_column(unique=True)
    """Names the session to its owner; opens nothing."""
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    agent: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class SignIn(Base):
    """Somebody asked to sign in: the link's token, the code and the browser are kept as hashes."""

    __tablename__ = "sign_in"

    id: Mapped[int] = _id()
    address: Mapped[str]
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    code_hash: Mapped[bytes]
    browser_hash: Mapped[bytes] = mapped_column(index=True)
    language: Mapped[str]
    tries: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    asked_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    __table_args__ = (Index("sign_in_address", func.lower(text("address")), text("asked_at")),)


class Game(Base):
    __tablename__ = "game"

    id: Mapped[int] = _id()
    slug: Mapped[str] = mapped_column(unique=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    host_name: Mapped[str | None]  # As of the opening; None where an older release opened it.
    rulebook: Mapped[str]
    house: Mapped[dict[str, Any]] = mapped_column(JSONB)
    seats: Mapped[int] = mapped_column(SmallInteger)
    starter: Mapped[int | None] = mapped_column(SmallInteger)
    allowance: Mapped[timedelta]
    public: Mapped[bool]
    status: Mapped[str]
    opened_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    checks: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    """How many times the table was full, as far as that can be counted here: each time is an occasion to write to everybody."""
    record: Mapped[bytes | None]
    """The freeze record, once the ready-check froze it."""

    seq: Mapped[int] = mapped_column(server_default=text("-1"))
    state: Mapped[bytes | None]  # The snapshot after turn ``seq``: a cache of the log.
    state_format: Mapped[int | None] = mapped_column(SmallInteger)
    awaiting: Mapped[int | None] = mapped_column(SmallInteger)  # The seat that the game waits for.
    awaiting_bot: Mapped[bool] = mapped_column(server_default=text("false"))
    round: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    turn_seq: Mapped[int] = mapped_column(server_default=text("-1"))
    """The ``seq`` at which the present turn began; a choice within a turn does not begin another."""
    turn_started_at: Mapped[datetime | None]
    deadline_at: Mapped[datetime | None]
    remind_at: Mapped[datetime | None]
    warned_for: Mapped[datetime | None]
    """The deadline that was last warned of: a moved one warns again, an unmoved one does not."""
    wake_at: Mapped[datetime | None]
    """When somebody looks at this game next: at the reminder, at the deadline, later after a failure; for a bot, at once."""

    __table_args__ = (
        CheckConstraint("seats BETWEEN 3 AND 10", name="seats"),
        CheckConstraint(_STATUS, name="status"),
        # Partial, all of them: a turn writes a new version of the row into every index that holds it.
        Index(
            "game_wake_at",
            "wake_at",
            postgresql_where=text("status = 'running' AND NOT awaiting_bot"),
        ),
        Index(
            "game_bot_turn",
            "wake_at",
            postgresql_where=text("status = 'running' AND awaiting_bot"),
        ),
        Index("game_open", "opened_at", postgresql_where=text("status = 'open' AND public")),
        Index("game_hosted", "host_id", postgresql_where=text("status IN ('open', 'ready-check')")),
    )


class Secret(Base):
    """The four secrets of a game, 32 bytes each; nothing but the deal reads them before the end."""

    __tablename__ = "secret"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    gold: Mapped[bytes]
    round_1: Mapped[bytes]
    round_2: Mapped[bytes]
    round_3: Mapped[bytes]
    commitments: Mapped[str]
    """As hexadecimal, in the order of ``engine.fairness.LABELS``, with spaces between."""


class Seat(Base):
    """A place at a table; free while it has neither a person nor a bot."""

    __tablename__ = "seat"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    bot: Mapped[str | None]  # The name of the bot that sits here.
    name: Mapped[str | None]
    """What the person here is called in this game, whatever the account is called later; None where an older release sat down."""
    ready: Mapped[bool] = mapped_column(server_default=text("false"))
    salt: Mapped[bytes] = mapped_column(server_default=text("''::bytea"))
    since: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("account_id IS NULL OR bot IS NULL", name="one_sitter"),
        CheckConstraint("octet_length(salt) <= 64", name="salt"),
        Index(
            "seat_person",
            "game_id",
            "account_id",
            unique=True,
            postgresql_where=text("account_id IS NOT NULL"),
        ),
    )


class Turn(Base):
    """The log, which is the truth. Rows are only ever appended.

    No foreign key: what writes here has just changed the game's row, and would have to lock it once more.
    """

    __tablename__ = "turn"

    game_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int | None] = mapped_column(SmallInteger)
    by: Mapped[str]
    action: Mapped[bytes | None]
    events: Mapped[bytes]
    at: Mapped[datetime]


class Invitation(Base):
    """A way to a seat: by mail for one person, or (without an address) the table's own link."""

    __tablename__ = "invitation"

    id: Mapped[int] = _id()
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), index=True)
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    address: Mapped[str | None]
    invited_by: Mapped[int] = mapped_column(ForeignKey("account.id"))
    invited_at: Mapped[datetime]
    accepted_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))

    __table_args__ = (Index(None, "invited_by", "invited_at"),)


class Notification(Base):
    """The outbox: a letter that is owed is a row, written in the transaction of what it tells.

    No foreign keys: each would lock and rewrite an account's row for every letter.
    """

    __tablename__ = "letter"

    id: Mapped[int] = _id()
    kind: Mapped[str]
    game_id: Mapped[int | None]
    seq: Mapped[int | None]
    account_id: Mapped[int | None]
    occasion: Mapped[int] = mapped_column(server_default=text("0"))
    """What tells two letters of a kind apart: a deadline's second, a ready-check's number, a sign-in, an invitation."""
    status: Mapped[str] = mapped_column(server_default=text("'owed'"))
    owed_at: Mapped[datetime]
    due_at: Mapped[datetime]
    lease_until: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    message_id: Mapped[str | None]
    message: Mapped[bytes | None]
    """The rendered bytes from the first claim on; erased as soon as nobody needs them, for they hold live tokens."""
    reason: Mapped[str | None]
    """Why it was dropped, put off or given up."""
    settled_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint(
            "game_id",
            "seq",
            "kind",
            "account_id",
            "occasion",
            name="letter_key",
            postgresql_nulls_not_distinct=True,
        ),
        CheckConstraint("status IN ('owed', 'sent', 'dropped', 'dead')", name="status"),
        Index("letter_due", "due_at", postgresql_where=text("status = 'owed'")),
    )


class OptOut(Base):
    """An address that wants no more of something. It outlives accounts, and needs none."""

    __tablename__ = "opt_out"

    id: Mapped[int] = _id()
    address: Mapped[str]
    """In lower case."""
    scope: Mapped[str]
    game_id: Mapped[int | None] = mapped_column(ForeignKey("game.id"))
    at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint(
            "address", "scope", "game_id", name="opt_out_key", postgresql_nulls_not_distinct=True
        ),
        CheckConstraint("(scope = 'game') = (game_id IS NOT NULL)", name="scope"),
    )


class Unsubscribe(Base):
    """What a one-click token ends. Tokens do not expire and carry no address (RFC 8058)."""

    __tablename__ = "unsubscribe"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    address: Mapped[str]
    scope: Mapped[str]
    game_id: Mapped[int | None] = mapped_column(ForeignKey("game.id"))


class Audit(Base):
    """How far the walk over all games has come; one row, and none before the first walk began."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    begun_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]  # Before ``begun_at`` while a walk is under way.
    position: Mapped[int]  # The game that was looked at last.
    mended: Mapped[int]  # Snapshots that were ever made anew.


class Disagreement(Base):
    """What disagreed in a game when it was last looked at. While there is any, nobody is played for."""

    __tablename__ = "disagreement"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    why: Mapped[str] = mapped_column(primary_key=True)
    found_at: Mapped[datetime]
