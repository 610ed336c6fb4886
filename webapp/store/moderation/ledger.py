"""The ledger: what moderators did. Rows are only ever added; a trigger refuses everything else."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, exists, func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import aliased

from webapp.rights import SERVER, GameRight
from webapp.store.schema.accounts import Account
from webapp.store.schema.moderation import LedgerEntry

_COLUMNS = (
    LedgerEntry.id,
    LedgerEntry.at,
    LedgerEntry.act,
    LedgerEntry.actor_id,
    Account.name,
    LedgerEntry.acted_as,
    LedgerEntry.seat,
    LedgerEntry.seq,
    LedgerEntry.before,
    LedgerEntry.after,
    LedgerEntry.reason,
    LedgerEntry.undoes,
)


class NewLedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An act to be recorded; the fields mean what the columns of ``LedgerEntry`` mean."""

    act: str
    actor_id: int | None
    acted_as: str
    game_id: int | None = None
    seat: int | None = None
    seq: int | None = None
    club_id: int | None = None
    account_id: int | None = None
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}
    reason: str
    form_id: str
    undoes: int | None = None
    at: datetime


class LedgerRow(msgspec.Struct, frozen=True):
    """An act that was recorded, with the name of its actor as it is today."""

    id: int
    at: datetime
    act: str
    actor_id: int | None
    actor_name: str | None
    acted_as: str
    seat: int | None
    seq: int | None
    before: dict[str, Any]
    after: dict[str, Any]
    reason: str
    undoes: int | None


def add(connection: Connection, entry: NewLedgerEntry) -> int | None:
    """Add an entry and return its id; None if its form or what it undoes has an entry already."""
    inserted_row = connection.execute(
        postgresql.insert(LedgerEntry)
        .values(msgspec.structs.asdict(entry))
        .on_conflict_do_nothing()
        .returning(LedgerEntry.id)
    )
    return inserted_row.scalar_one_or_none()


def was_seat_lost(connection: Connection, game_id: int) -> bool:
    """Return whether the server has ever opened a seat of this game."""
    is_opening = exists().where(
        LedgerEntry.game_id == game_id,
        LedgerEntry.act == GameRight.OPEN_SEAT,
        LedgerEntry.acted_as == SERVER,
    )
    return bool(connection.execute(select(is_opening)).scalar_one())


def entry_of_form(connection: Connection, form_id: str) -> int | None:
    """Return the entry that a form has made, if it was sent before."""
    return connection.execute(
        select(LedgerEntry.id).where(LedgerEntry.form_id == form_id)
    ).scalar_one_or_none()


def newest_sanction(connection: Connection, account_id: int) -> int:
    """Return the newest act on a person that is neither about a game nor about a club; 0 if there is none."""
    newest_entry_id = func.coalesce(func.max(LedgerEntry.id), 0)
    return connection.execute(
        select(newest_entry_id)
        .where(LedgerEntry.account_id == account_id)
        .where(LedgerEntry.game_id.is_(None), LedgerEntry.club_id.is_(None))
    ).scalar_one()


def find(connection: Connection, entry_id: int, *, game_id: int) -> LedgerRow | None:
    """Return one entry about this game."""
    row = connection.execute(
        select(*_COLUMNS)
        .outerjoin(Account, Account.id == LedgerEntry.actor_id)
        .where(LedgerEntry.id == entry_id, LedgerEntry.game_id == game_id)
    ).first()
    return None if row is None else LedgerRow(*row)


def newest_acted_as(
    connection: Connection, game_id: int, act: str, *, seat: int | None
) -> str | None:
    """Return as what someone acted who performed this act last, on this seat if there is one; None if no one did."""
    query = (
        select(LedgerEntry.acted_as)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.act == act)
        .order_by(LedgerEntry.id.desc())
        .limit(1)
    )
    if seat is not None:
        query = query.where(LedgerEntry.seat == seat)
    return connection.execute(query).scalar_one_or_none()


def count_acts(
    connection: Connection, game_id: int, act: str, *, from_seq: int, since: datetime | None = None
) -> int:
    """Return how often an act was recorded since a turn of a game, without those that were undone."""
    undoing_entry = aliased(LedgerEntry, name="undoing")
    query = (
        select(func.count())
        .select_from(LedgerEntry)
        .where(LedgerEntry.game_id == game_id, LedgerEntry.act == act)
        .where(LedgerEntry.seq >= from_seq, LedgerEntry.undoes.is_(None))
        .where(~exists().where(undoing_entry.undoes == LedgerEntry.id))
    )
    if since is not None:
        query = query.where(LedgerEntry.at > since)
    return connection.execute(query).scalar_one()


def count_of_site(connection: Connection, act: str, *, since: datetime) -> int:
    """Return how often an act was recorded on the whole site since an instant."""
    query = select(func.count()).where(LedgerEntry.act == act, LedgerEntry.at > since)
    return connection.execute(query).scalar_one()


def entries_of_game(connection: Connection, game_id: int, *, limit: int) -> tuple[LedgerRow, ...]:
    """Return the newest entries about a game, newest first."""
    rows = connection.execute(
        select(*_COLUMNS)
        .outerjoin(Account, Account.id == LedgerEntry.actor_id)
        .where(LedgerEntry.game_id == game_id)
        .order_by(LedgerEntry.id.desc())
        .limit(limit)
    )
    return tuple(LedgerRow(*row) for row in rows)
