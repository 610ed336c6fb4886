"""Blocks and mutes: which people do not want to meet which others, or not to read them."""

from datetime import datetime

from sqlalchemy import delete, exists, func, select
from sqlalchemy.dialects import postgresql

from webapp.accounts.schema import Account, Block, Mute
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx


class BlockRow(Redacted, frozen=True):
    ref: str
    name: str
    blocked_at: datetime


class MuteRow(Redacted, frozen=True):
    ref: str
    name: str
    muted_at: datetime


def add_block(tx: Tx, blocker_id: int, blocked_id: int, *, ref: str, name: str) -> None:
    """Store a block; change nothing if the other is blocked already."""
    block = postgresql.insert(Block).values(
        blocker_id=blocker_id, blocked_id=blocked_id, ref=ref, name=name, blocked_at=tx.now
    )
    tx.execute(block.on_conflict_do_nothing())


def add_mute(tx: Tx, muter_id: int, muted_id: int, *, ref: str, name: str) -> None:
    """Store a mute; change nothing if the other is muted already."""
    mute = postgresql.insert(Mute).values(
        muter_id=muter_id, muted_id=muted_id, ref=ref, name=name, muted_at=tx.now
    )
    tx.execute(mute.on_conflict_do_nothing())


def blocks_of_account(tx: Tx, account_id: int) -> tuple[BlockRow, ...]:
    """Return the people whom this account has blocked, newest first."""
    rows = tx.execute(
        select(Block.ref, Block.name, Block.blocked_at)
        .where(Block.blocker_id == account_id)
        .order_by(Block.blocked_at.desc(), Block.blocked_id)
    )
    return tuple(BlockRow(*row) for row in rows)


def mutes_of_account(tx: Tx, account_id: int) -> tuple[MuteRow, ...]:
    """Return the people whom this account has muted, newest first."""
    rows = tx.execute(
        select(Mute.ref, Mute.name, Mute.muted_at)
        .where(Mute.muter_id == account_id)
        .order_by(Mute.muted_at.desc(), Mute.muted_id)
    )
    return tuple(MuteRow(*row) for row in rows)


def delete_block(tx: Tx, account_id: int, ref: str) -> None:
    """Delete one block of an account, if it exists."""
    tx.execute(delete(Block).where(Block.blocker_id == account_id, Block.ref == ref))


def delete_mute(tx: Tx, account_id: int, ref: str) -> None:
    """Delete one mute of an account, if it exists."""
    tx.execute(delete(Mute).where(Mute.muter_id == account_id, Mute.ref == ref))


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
