"""Tables of accounts, their sessions and their sign-ins."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, SmallInteger, func, text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.store.schema.base import Base, generated_id


class Account(Base):
    __tablename__ = "account"

    id: Mapped[int] = generated_id()
    address: Mapped[str]
    name: Mapped[str]
    language: Mapped[str]
    zone: Mapped[str]
    picks_gold: Mapped[bool] = mapped_column(server_default=text("true"))
    created_at: Mapped[datetime]

    __table_args__ = (Index("account_address", func.lower(text("address")), unique=True),)


class Session(Base):
    __tablename__ = "session"

    id: Mapped[int] = generated_id()
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    ref: Mapped[str] = mapped_column(unique=True)
    """Identifies the session to its owner; does not grant access."""
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    user_agent: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class SignIn(Base):
    """A requested sign-in; token, code and browser key are stored as hashes."""

    __tablename__ = "sign_in"

    id: Mapped[int] = generated_id()
    address: Mapped[str]
    nonce: Mapped[bytes]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    code_hash: Mapped[bytes]
    browser_hash: Mapped[bytes] = mapped_column(index=True)
    language: Mapped[str]
    tries: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    requested_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    __table_args__ = (Index("sign_in_address", func.lower(text("address")), text("requested_at")),)
