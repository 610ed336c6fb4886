"""Mutes: whose messages people do not want to read."""

from datetime import datetime

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql

from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.talk_schema import Mute


class NewMute(Redacted, frozen=True, kw_only=True):
    muter_id: int
    muted_id: int
    ref: str
    name: str
    muted_at: datetime


class MuteRow(Redacted, frozen=True):
    ref: str
    name: str
    muted_at: datetime


def add(tx: Tx, mute: NewMute) -> None:
    """Store a mute; change nothing if the other is muted already."""
    tx.execute(
        postgresql.insert(Mute).values(msgspec.structs.asdict(mute)).on_conflict_do_nothing()
    )


def mutes_of_account(tx: Tx, account_id: int) -> tuple[MuteRow, ...]:
    """Return whom this account has muted, newest first."""
    rows = tx.execute(
        select(Mute.ref, Mute.name, Mute.muted_at)
        .where(Mute.muter_id == account_id)
        .order_by(Mute.muted_at.desc(), Mute.muted_id)
    )
    return tuple(MuteRow(*row) for row in rows)


def delete_by_ref(tx: Tx, account_id: int, ref: str) -> None:
    """Delete one mute of an account, if it exists."""
    tx.execute(delete(Mute).where(Mute.muter_id == account_id, Mute.ref == ref))
