"""Blocks: which people do not want to meet which others."""

from datetime import datetime

import msgspec
from sqlalchemy import delete, exists, func, select
from sqlalchemy.dialects import postgresql

from webapp.accounts.schema import Account, Block
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx


class NewBlock(Redacted, frozen=True, kw_only=True):
    blocker_id: int
    blocked_id: int
    ref: str
    name: str
    blocked_at: datetime


class BlockRow(Redacted, frozen=True):
    ref: str
    name: str
    blocked_at: datetime


def add(tx: Tx, block: NewBlock) -> None:
    """Store a block; change nothing if the other is blocked already."""
    tx.execute(
        postgresql.insert(Block).values(msgspec.structs.asdict(block)).on_conflict_do_nothing()
    )


def blocks_of_account(tx: Tx, account_id: int) -> tuple[BlockRow, ...]:
    """Return whom this account has blocked, newest first."""
    rows = tx.execute(
        select(Block.ref, Block.name, Block.blocked_at)
        .where(Block.blocker_id == account_id)
        .order_by(Block.blocked_at.desc(), Block.blocked_id)
    )
    return tuple(BlockRow(*row) for row in rows)


def delete_by_ref(tx: Tx, account_id: int, ref: str) -> None:
    """Delete one block of an account, if it exists."""
    tx.execute(delete(Block).where(Block.blocker_id == account_id, Block.ref == ref))


def is_blocked(tx: Tx, *, blocker_id: int, blocked_id: int) -> bool:
    is_found: bool = tx.execute(
        select(exists().where(Block.blocker_id == blocker_id, Block.blocked_id == blocked_id))
    ).scalar_one()
    return is_found


def account_ids_blocked_by_address(tx: Tx, address: str) -> frozenset[int]:
    """Return the accounts that the owner of this address has blocked; none if there is no such account."""
    rows = tx.execute(
        select(Block.blocked_id)
        .join(Account, Account.id == Block.blocker_id)
        .where(func.lower(Account.address) == address.lower())
    )
    return frozenset(rows.scalars())
