"""The security log: its events are added by use cases and listed for site moderators."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Select,
    Text,
    bindparam,
    case,
    cast,
    delete,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import aliased
from sqlalchemy.sql.dml import ReturningInsert

from webapp.accounts.schema import Account
from webapp.clubs.schema import Club
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.moderation.queries.ledger import is_hidden_peek
from webapp.moderation.queries.public_columns import GAME
from webapp.moderation.schema import LedgerEntry, SecurityEvent


class NewSecurityEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event to be recorded; the fields mean what the columns of ``SecurityEvent`` mean."""

    kind: str
    account_id: int | None
    network_address: str | None = None
    detail: Mapping[str, Any] = {}
    at: datetime
    counted_as: str | None = None


class StoredEvent(NamedTuple):
    """An event in the table, and how often it has happened."""

    id: int
    times: int


class SecurityEventRow(msgspec.Struct, frozen=True):
    """A recorded event, with the name of its person as it is today."""

    id: int
    at: datetime
    kind: str
    ref: str | None
    """Of the person; None for the operator, and for someone who is not signed in."""
    name: str | None
    network_address: str | None
    times: int
    last_at: datetime | None
    detail: dict[str, Any]
    """Without ids: what they stand for is in the following fields, if the event is about such a thing."""
    about_ref: str | None
    """Of the person that the event is about."""
    about_name: str | None
    game_slug: str | None
    host_name: str | None
    table_name: str | None
    club_slug: str | None
    club_name: str | None
    changed: dict[str, Any] | None
    """The settings that were changed, if any were."""


_concerned_account = aliased(Account, name="about")
_ACCOUNT_KEY: Final = "account"
_LEDGER_KEY: Final = "ledger"
"""Of the ids of the account and the ledger entry that an event is about, among its details; no one is shown an id."""


def add(tx: Tx, event: NewSecurityEvent, *, most_times: int) -> StoredEvent | None:
    """Add an event, or count it in the row that counts such events; return None if that has counted ``most_times``."""
    values = msgspec.structs.asdict(event) | {"detail": msgspec.json.encode(event.detail).decode()}
    params = {f"new_{name}": value for name, value in values.items()}
    rows = _ADD_STATEMENT.run(tx, most_times=most_times, **params)
    return StoredEvent(*rows[0]) if rows else None


def newest_events(
    tx: Tx,
    *,
    limit: int,
    before_id: int | None = None,
    kind: str | None = None,
    person_ref: str | None = None,
    viewer_id: int | None = None,
) -> tuple[SecurityEventRow, ...]:
    """Return the newest events, newest first: those before an id, of one kind, of one person.

    Without peeks into games that the viewer plays, until they are over.
    """
    query = _events_query().limit(limit)
    if viewer_id is not None:
        query = query.where(~is_hidden_peek(viewer_id))
    if before_id is not None:
        query = query.where(SecurityEvent.id < before_id)
    if kind is not None:
        query = query.where(SecurityEvent.kind == kind)
    if person_ref is not None:
        query = query.where(Account.ref == person_ref)
    return tuple(SecurityEventRow(*row) for row in tx.execute(query))


def _events_query() -> Select[Any]:
    about_id = cast(SecurityEvent.detail[_ACCOUNT_KEY].astext, BigInteger)
    entry_id = cast(SecurityEvent.detail[_LEDGER_KEY].astext, BigInteger)
    return (
        select(
            SecurityEvent.id,
            SecurityEvent.at,
            SecurityEvent.kind,
            Account.ref,
            Account.name,
            SecurityEvent.network_address,
            SecurityEvent.times,
            SecurityEvent.last_at,
            SecurityEvent.detail.op("-", return_type=SecurityEvent.detail.type)(
                cast([_ACCOUNT_KEY, _LEDGER_KEY], ARRAY(Text))
            ),
            _concerned_account.ref,
            _concerned_account.name,
            GAME.c.slug,
            GAME.c.host_name,
            GAME.c.table_name,
            Club.slug,
            Club.name,
            case((LedgerEntry.act == "setting-change", LedgerEntry.after)),
        )
        .outerjoin(Account, Account.id == SecurityEvent.account_id)
        .outerjoin(_concerned_account, _concerned_account.id == about_id)
        .outerjoin(LedgerEntry, LedgerEntry.id == entry_id)
        .outerjoin(GAME, GAME.c.id == LedgerEntry.game_id)
        .outerjoin(Club, Club.id == LedgerEntry.club_id)
        .order_by(SecurityEvent.id.desc())
    )


def forget_network_addresses(tx: Tx, before: datetime) -> int:
    """Remove the network addresses of events before this instant; return how many there were."""
    return tx.execute(
        update(SecurityEvent)
        .where(SecurityEvent.at < before, SecurityEvent.network_address.is_not(None))
        .values(network_address=None)
    ).rowcount


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete events before this instant; return how many."""
    return tx.execute(delete(SecurityEvent).where(SecurityEvent.at < before)).rowcount


def _add_statement() -> ReturningInsert[int, int]:
    columns = SecurityEvent.__table__.c
    values = {
        name: bindparam(f"new_{name}", type_=columns[name].type)
        for name in NewSecurityEvent.__struct_fields__
    }
    new_row = insert(SecurityEvent).values(
        values | {"detail": cast(bindparam("new_detail", type_=Text), JSONB)}
    )
    return new_row.on_conflict_do_update(
        index_elements=[SecurityEvent.counted_as],
        set_={
            "times": SecurityEvent.times + 1,
            "last_at": new_row.excluded.at,
            "network_address": new_row.excluded.network_address,
        },
        where=SecurityEvent.times < bindparam("most_times", type_=BigInteger),
    ).returning(SecurityEvent.id, SecurityEvent.times)


_ADD_STATEMENT: Final = Statement(_add_statement)
