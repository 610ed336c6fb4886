"""Tables of passkeys and of the challenges that their owners' browsers sign."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class Passkey(Base):
    """A key pair of which the browser or the device of an account's owner keeps the secret half."""

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
