"""Sanctions: warnings, bans and changed names, and what the account repeats of them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from sqlalchemy import ColumnElement, func, insert, select, update

from webapp.accounts.schema import Account
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.moderation.schema import Sanction


class PersonToSanction(Redacted, frozen=True):
    """The account that a sanction is about."""

    id: int
    ref: str
    name: str
    is_moderator: bool
    banned_until: datetime | None


class NewSanction(Redacted, frozen=True, kw_only=True):
    """A sanction; the fields mean what the columns of ``Sanction`` mean."""

    account_id: int
    kind: str
    reason: str
    at: datetime
    until: datetime | None
    ledger_id: int
    appeal_hash: bytes


class SanctionRow(Redacted, frozen=True):
    id: int
    account_id: int
    kind: str
    reason: str
    at: datetime
    until: datetime | None
    lifted_at: datetime | None
    ledger_id: int
    appeal_hash: bytes


_COLUMNS = (
    Sanction.id,
    Sanction.account_id,
    Sanction.kind,
    Sanction.reason,
    Sanction.at,
    Sanction.until,
    Sanction.lifted_at,
    Sanction.ledger_id,
    Sanction.appeal_hash,
)


def lock_person(tx: Tx, ref: str) -> PersonToSanction | None:
    """Return the account with this ref, locked until the transaction ends."""
    return _lock_person(tx, Account.ref == ref)


def lock_address(tx: Tx, address: str) -> PersonToSanction | None:
    """Return the account with this address, locked until the transaction ends."""
    return _lock_person(tx, func.lower(Account.address) == address.lower())


def add(tx: Tx, sanction: NewSanction) -> int:
    """Store a sanction and return its id."""
    sanction_id: int = tx.execute(
        insert(Sanction).values(msgspec.structs.asdict(sanction)).returning(Sanction.id)
    ).scalar_one()
    return sanction_id


def find_many(tx: Tx, ids: Sequence[int]) -> dict[int, SanctionRow]:
    """Return sanctions by their ids."""
    if not ids:
        return {}
    rows = tx.execute(select(*_COLUMNS).where(Sanction.id.in_(ids)))
    return {row[0]: SanctionRow(*row) for row in rows}


def find_by_appeal(tx: Tx, appeal_hash: bytes) -> tuple[SanctionRow, str] | None:
    """Return what an appeal is against, and the time zone of the person it is about."""
    row = tx.execute(
        select(Account.zone, *_COLUMNS)
        .join(Account, Account.id == Sanction.account_id)
        .where(Sanction.appeal_hash == appeal_hash)
    ).first()
    return None if row is None else (SanctionRow(*list(row)[1:]), row[0])


def newest_ban(tx: Tx, account_id: int) -> SanctionRow | None:
    """Return the ban of an account that is not lifted, if it has one."""
    is_standing_ban = (Sanction.kind == "ban") & Sanction.lifted_at.is_(None)
    row = tx.execute(
        select(*_COLUMNS)
        .where(Sanction.account_id == account_id, is_standing_ban)
        .order_by(Sanction.id.desc())
        .limit(1)
    ).first()
    return None if row is None else SanctionRow(*row)


def lift_bans(tx: Tx, account_id: int) -> None:
    """Mark every ban of an account as lifted."""
    is_standing_ban = (Sanction.kind == "ban") & Sanction.lifted_at.is_(None)
    tx.execute(
        update(Sanction)
        .where(Sanction.account_id == account_id, is_standing_ban)
        .values(lifted_at=tx.now)
    )


def set_ban(tx: Tx, account_id: int, until: datetime | None) -> None:
    _change(tx, account_id, {"banned_until": until})


def set_warning(tx: Tx, account_id: int, warning_id: int | None) -> None:
    _change(tx, account_id, {"warning_id": warning_id})


def set_name(tx: Tx, account_id: int, name: str) -> None:
    _change(tx, account_id, {"name": name})


def _change(tx: Tx, account_id: int, values: dict[str, object]) -> None:
    tx.execute(update(Account).where(Account.id == account_id).values(values))


def _lock_person(tx: Tx, condition: ColumnElement[bool]) -> PersonToSanction | None:
    row = tx.execute(
        select(Account.id, Account.ref, Account.name, Account.is_moderator, Account.banned_until)
        .where(condition)
        .with_for_update()
    ).first()
    return None if row is None else PersonToSanction(*row)
