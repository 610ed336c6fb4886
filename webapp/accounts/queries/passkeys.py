"""Passkeys, and the challenges that browsers sign with them."""

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec
from sqlalchemy import Connection, delete, exists, select, update
from sqlalchemy.dialects import postgresql

from webapp.accounts.queries.accounts import ACCOUNT_COLUMNS
from webapp.accounts.schema import Account, Passkey, PasskeyChallenge
from webapp.kernel.redacted import Redacted
from webapp.play.queries.rows import AccountRow

ChallengePurpose: TypeAlias = Literal["add", "sign-in", "identity"]


class NewPasskey(Redacted, frozen=True, kw_only=True):
    ref: str
    account_id: int
    credential_id: bytes
    public_key: bytes
    sign_count: int
    name: str
    created_at: datetime


class PasskeyRow(Redacted, frozen=True):
    ref: str
    credential_id: bytes
    name: str
    created_at: datetime
    last_used_at: datetime | None


class PublicKeyRow(Redacted, frozen=True):
    """What a signature is checked with."""

    id: int
    account_id: int
    public_key: bytes
    sign_count: int


def add(connection: Connection, passkey: NewPasskey) -> bool:
    """Store a passkey; return False if it is there already."""
    added_row = connection.execute(
        postgresql.insert(Passkey)
        .values(msgspec.structs.asdict(passkey))
        .on_conflict_do_nothing(index_elements=["credential_id"])
        .returning(Passkey.id)
    )
    return added_row.first() is not None


def passkeys_of_account(connection: Connection, account_id: int) -> tuple[PasskeyRow, ...]:
    """Return the passkeys of an account, oldest first."""
    rows = connection.execute(
        select(
            Passkey.ref,
            Passkey.credential_id,
            Passkey.name,
            Passkey.created_at,
            Passkey.last_used_at,
        )
        .where(Passkey.account_id == account_id)
        .order_by(Passkey.id)
    )
    return tuple(PasskeyRow(*row) for row in rows)


def has_passkey(connection: Connection, account_id: int) -> bool:
    is_found: bool = connection.execute(
        select(exists().where(Passkey.account_id == account_id))
    ).scalar_one()
    return is_found


def lock(connection: Connection, credential_id: bytes) -> PublicKeyRow | None:
    """Return and lock the passkey with this credential id."""
    row = connection.execute(
        select(Passkey.id, Passkey.account_id, Passkey.public_key, Passkey.sign_count)
        .where(Passkey.credential_id == credential_id)
        .with_for_update()
    ).first()
    return None if row is None else PublicKeyRow(*row)


def mark_used(connection: Connection, passkey_id: int, *, sign_count: int, now: datetime) -> None:
    connection.execute(
        update(Passkey)
        .where(Passkey.id == passkey_id)
        .values(sign_count=sign_count, last_used_at=now)
    )


def account_of(connection: Connection, key: PublicKeyRow) -> AccountRow:
    row = connection.execute(select(*ACCOUNT_COLUMNS).where(Account.id == key.account_id)).one()
    return AccountRow(*row)


def delete_by_ref(connection: Connection, account_id: int, ref: str) -> bool:
    """Delete one passkey of an account; return whether it existed."""
    deleted_row = connection.execute(
        delete(Passkey).where(Passkey.account_id == account_id, Passkey.ref == ref)
    )
    return deleted_row.rowcount > 0


def store_challenge(
    connection: Connection,
    browser_hash: bytes,
    purpose: ChallengePurpose,
    *,
    challenge: bytes,
    expires_at: datetime,
) -> None:
    """Store the challenge that this browser must sign next for this purpose; it replaces an earlier one."""
    values = {"challenge": challenge, "expires_at": expires_at}
    connection.execute(
        postgresql.insert(PasskeyChallenge)
        .values(browser_hash=browser_hash, purpose=purpose, **values)
        .on_conflict_do_update(index_elements=["browser_hash", "purpose"], set_=values)
    )


def take_challenge(
    connection: Connection, browser_hash: bytes, purpose: ChallengePurpose, *, now: datetime
) -> bytes | None:
    """Delete the browser's challenge and return it, unless it has expired."""
    row = connection.execute(
        delete(PasskeyChallenge)
        .where(PasskeyChallenge.browser_hash == browser_hash, PasskeyChallenge.purpose == purpose)
        .returning(PasskeyChallenge.challenge, PasskeyChallenge.expires_at)
    ).first()
    return row.challenge if row is not None and row.expires_at > now else None


def delete_challenges(connection: Connection, before: datetime) -> int:
    """Delete challenges that expired at this instant or before; return how many."""
    return connection.execute(
        delete(PasskeyChallenge).where(PasskeyChallenge.expires_at <= before)
    ).rowcount
