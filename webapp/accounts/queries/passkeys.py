"""Passkeys, and the challenges that browsers sign with them."""

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec
from sqlalchemy import delete, exists, select, update
from sqlalchemy.dialects import postgresql

from webapp.accounts.person import Person
from webapp.accounts.queries.viewers import ACCOUNT_COLUMNS
from webapp.accounts.schema import Account, Passkey, PasskeyChallenge
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx

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
    """The key with which a signature is checked."""

    id: int
    account_id: int
    public_key: bytes
    sign_count: int


def add(tx: Tx, passkey: NewPasskey) -> bool:
    """Store a passkey; return False if it is there already."""
    added_row = tx.execute(
        postgresql.insert(Passkey)
        .values(msgspec.structs.asdict(passkey))
        .on_conflict_do_nothing(index_elements=["credential_id"])
        .returning(Passkey.id)
    )
    return added_row.first() is not None


def passkeys_of_account(tx: Tx, account_id: int) -> tuple[PasskeyRow, ...]:
    """Return the passkeys of an account, oldest first."""
    rows = tx.execute(
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


def has_passkey(tx: Tx, account_id: int) -> bool:
    is_found: bool = tx.execute(
        select(exists().where(Passkey.account_id == account_id))
    ).scalar_one()
    return is_found


def lock(tx: Tx, credential_id: bytes) -> PublicKeyRow | None:
    """Return and lock the passkey with this credential id."""
    row = tx.execute(
        select(Passkey.id, Passkey.account_id, Passkey.public_key, Passkey.sign_count)
        .where(Passkey.credential_id == credential_id)
        .with_for_update()
    ).first()
    return None if row is None else PublicKeyRow(*row)


def mark_used(tx: Tx, passkey_id: int, *, sign_count: int) -> None:
    tx.execute(
        update(Passkey)
        .where(Passkey.id == passkey_id)
        .values(sign_count=sign_count, last_used_at=tx.now)
    )


def account_of(tx: Tx, key: PublicKeyRow) -> Person:
    row = tx.execute(select(*ACCOUNT_COLUMNS).where(Account.id == key.account_id)).one()
    return Person(*row)


def delete_by_ref(tx: Tx, account_id: int, ref: str) -> bool:
    """Delete one passkey of an account; return whether it existed."""
    deleted_row = tx.execute(
        delete(Passkey).where(Passkey.account_id == account_id, Passkey.ref == ref)
    )
    return deleted_row.rowcount > 0


def store_challenge(
    tx: Tx,
    browser_hash: bytes,
    purpose: ChallengePurpose,
    *,
    challenge: bytes,
    expires_at: datetime,
) -> None:
    """Store the challenge that this browser must sign next for this purpose; it replaces an earlier one."""
    values = {"challenge": challenge, "expires_at": expires_at}
    tx.execute(
        postgresql.insert(PasskeyChallenge)
        .values(browser_hash=browser_hash, purpose=purpose, **values)
        .on_conflict_do_update(index_elements=["browser_hash", "purpose"], set_=values)
    )


def take_challenge(tx: Tx, browser_hash: bytes, purpose: ChallengePurpose) -> bytes | None:
    """Delete the browser's challenge and return it, unless it has expired."""
    row = tx.execute(
        delete(PasskeyChallenge)
        .where(PasskeyChallenge.browser_hash == browser_hash, PasskeyChallenge.purpose == purpose)
        .returning(PasskeyChallenge.challenge, PasskeyChallenge.expires_at)
    ).first()
    return row.challenge if row is not None and row.expires_at > tx.now else None


def delete_challenges(tx: Tx, before: datetime) -> int:
    """Delete challenges that expired at this instant or before; return how many."""
    return tx.execute(
        delete(PasskeyChallenge).where(PasskeyChallenge.expires_at <= before)
    ).rowcount
