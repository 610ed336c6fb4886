"""Tables of accounts, their sessions, sign-ins, blocks, mutes and passkeys."""

from datetime import datetime

from sqlalchemy import (
    ARRAY,
    CheckConstraint,
    ForeignKey,
    Index,
    SmallInteger,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from webapp.kernel.schema import Base, folded, generated_id


class Account(Base):
    __tablename__ = "account"

    id: Mapped[int] = generated_id()
    address: Mapped[str | None]
    """None once the account was deleted; the row stays for the games of others."""
    name: Mapped[str]
    language: Mapped[str]
    zone: Mapped[str]
    picks_gold: Mapped[bool] = mapped_column(server_default=text("true"))
    reminder_hours: Mapped[list[int] | None] = mapped_column(ARRAY(SmallInteger))
    """How many hours before a deadline the person is reminded, the earliest first; None for the usual time."""
    hold_minutes: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    """How many minutes the person's turns are held before they enter the game."""
    wants_link_only: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether emails about games contain nothing that only the person may know, and no moves."""
    wants_every_email: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether emails about turns are sent at once, also while the person has the table open."""
    moves_need_sign_in: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether a move by a link in an email asks the person to be signed in."""
    wants_hints: Mapped[bool] = mapped_column(server_default=text("true"))
    """Whether the table says what each step is for, until the person has finished a game."""
    wants_open_seats: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether the person gets an email when a seat opens at a table that they may join."""
    informed_of_seats_at: Mapped[datetime | None]
    """When the last such email was queued: the one who was informed longest ago is informed first of the next seat."""
    is_moderator: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether this person moderates the whole site."""
    ref: Mapped[str] = mapped_column(
        unique=True, server_default=text("replace((gen_random_uuid())::text, '-'::text, ''::text)")
    )
    """Identifies the account in the addresses of moderators' pages; does not grant access."""
    banned_until: Mapped[datetime | None]
    """The end of the ban in force or of the last one; ``sanction`` has its reason."""
    muted_until: Mapped[datetime | None]
    """The end of the time in which a moderator lets this person write no messages; ``sanction`` has the reason."""
    warning_id: Mapped[int | None]
    """The warning that the person has not confirmed to have read yet."""
    dismissed_announcement: Mapped[int] = mapped_column(server_default=text("0"))
    """The newest announcement to the whole site that the person has dismissed, by its entry in the ledger; 0 for none."""
    bounce_score: Mapped[float] = mapped_column(server_default=text("0"))
    """How much speaks against sending emails to the address, as of ``bounced_at``; see ``webapp.mail.outbox.bounces``."""
    bounced_at: Mapped[datetime | None]
    bounce_reason: Mapped[str | None]
    """What was reported of the last email that came back."""
    suppressed_until: Mapped[datetime | None]
    """The end of the time in which no email is sent to the address but those about the account itself."""
    created_at: Mapped[datetime]

    __table_args__ = (
        CheckConstraint("hold_minutes BETWEEN 0 AND 10", name="hold_minutes"),
        Index("account_address", func.lower(text("address")), unique=True),
        # For moderators: people by the beginning of their name, compared byte by byte.
        Index(
            "account_name",
            func.lower(text("name")).label("lower_name"),
            postgresql_ops={"lower_name": "text_pattern_ops"},
        ),
        Index(None, "created_at"),
        # For open seats: the volunteers.
        Index(
            "account_volunteer",
            "informed_of_seats_at",
            postgresql_where=text("wants_open_seats"),
        ),
        Index("account_banned", "banned_until", postgresql_where=text("banned_until IS NOT NULL")),
    )


class Session(Base):
    __tablename__ = "session"

    id: Mapped[int] = generated_id()
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    ref: Mapped[str] = mapped_column(unique=True)
    """Identifies the session to its owner; does not grant access."""
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    user_agent: Mapped[str]
    network_address: Mapped[str | None]
    """The network address from which it was opened; deleted after a while, see ``webapp.privacy.retention``."""
    created_at: Mapped[datetime]
    confirmed_at: Mapped[datetime]
    """When the person last proved who they are: by signing in, or before a dangerous act."""
    with_passkey: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether the person proved it with a passkey, at the start or later."""
    active_at: Mapped[datetime | None]
    """When the person last requested a page there, to the minute; None if that was only to sign in."""
    expires_at: Mapped[datetime]

    __table_args__ = (
        # For moderators, who see which accounts signed in from the same network.
        Index(
            "session_network",
            "network_address",
            postgresql_where=text("network_address IS NOT NULL"),
        ),
    )


class SignIn(Base):
    """An emailed code, for signing in or for confirming who one is; token, code and browser key are stored as hashes."""

    __tablename__ = "sign_in"

    id: Mapped[int] = generated_id()
    purpose: Mapped[str] = mapped_column(server_default=text("'sign-in'"))
    address: Mapped[str]
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    pause_hash: Mapped[bytes | None] = mapped_column(unique=True)
    """The hash of the token in the link that stops such emails for a day."""
    code_hash: Mapped[bytes]
    browser_hash: Mapped[bytes] = mapped_column(index=True)
    user_agent: Mapped[str | None]
    """What the requesting browser says of itself; the email names it."""
    source: Mapped[str | None]
    """The network that requested it."""
    language: Mapped[str]
    invitation_id: Mapped[int | None]
    """The invitation to a table that the requesting browser was accepting; the person gets their seat on signing in."""
    tries: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    requested_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    __table_args__ = (
        Index("sign_in_address", folded(text("address")), text("requested_at")),
        CheckConstraint("purpose IN ('sign-in', 'identity')", name="purpose"),
    )


class SignInPause(Base):
    """An address whose owner has asked for no sign-in emails for a day, because strangers request them."""

    __tablename__ = "sign_in_pause"

    address: Mapped[str] = mapped_column(primary_key=True)
    """The address in lower case."""
    until: Mapped[datetime]


class AddressChange(Base):
    """A requested change of an account's address; it waits for the link that was emailed to the new address."""

    __tablename__ = "address_change"

    id: Mapped[int] = generated_id()
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    old_address: Mapped[str]
    """The address before the change: the email about the change goes there once the account has the new one."""
    new_address: Mapped[str]
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    requested_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    confirmed_at: Mapped[datetime | None]
    withdrawn_at: Mapped[datetime | None]
    """When its owner withdrew it or requested another one."""

    __table_args__ = (Index(None, "account_id", "requested_at"),)


class Block(Base):
    """A person who does not want to meet another one; the other is never shown that."""

    __tablename__ = "block"

    blocker_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    blocked_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    ref: Mapped[str] = mapped_column(unique=True)
    """Identifies the block to the person who made it."""
    name: Mapped[str]
    """The name under which the other was blocked."""
    blocked_at: Mapped[datetime]


class Mute(Base):
    """A person who does not want to read another person's messages; the other is never shown that."""

    __tablename__ = "mute"

    muter_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    muted_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    ref: Mapped[str] = mapped_column(unique=True)
    """Identifies the mute to the person who made it."""
    name: Mapped[str]
    """The name under which the other was muted."""
    muted_at: Mapped[datetime]


class Passkey(Base):
    """A key pair; the owner's browser or device keeps the secret half."""

    __tablename__ = "passkey"

    id: Mapped[int] = generated_id()
    ref: Mapped[str] = mapped_column(unique=True)
    """Identifies the passkey to its owner; does not grant access."""
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    credential_id: Mapped[bytes] = mapped_column(unique=True)
    public_key: Mapped[bytes]
    sign_count: Mapped[int]
    """How often it has signed, as its device counts; 0 for ever if the device does not count."""
    name: Mapped[str]
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]


class PasskeyChallenge(Base):
    """A random value that a browser must sign next; the newest one of each browser and purpose, deleted when it is used."""

    __tablename__ = "passkey_challenge"

    id: Mapped[int] = generated_id()
    browser_hash: Mapped[bytes]
    purpose: Mapped[str]
    challenge: Mapped[bytes]
    expires_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("browser_hash", "purpose"),
        CheckConstraint("purpose IN ('add', 'sign-in', 'identity')", name="purpose"),
    )
