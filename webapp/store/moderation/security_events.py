"""The security log: its events are added by services and listed for site moderators."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import BigInteger, Connection, Text, cast, delete, insert, select, update
from sqlalchemy.orm import aliased

from webapp.store.schema.accounts import Account
from webapp.store.schema.security import SecurityEvent


class NewSecurityEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event to be recorded; the fields mean what the columns of ``SecurityEvent`` mean."""

    kind: str
    account_id: int | None
    network_address: str | None = None
    detail: Mapping[str, Any] = {}
    at: datetime


class SecurityEventRow(msgspec.Struct, frozen=True):
    """A recorded event, with the name of its person as it is today."""

    id: int
    at: datetime
    kind: str
    ref: str | None
    """Of the person; None for the operator, and for someone who is not signed in."""
    name: str | None
    network_address: str | None
    detail: dict[str, Any]
    """Without the account that the event is about."""
    about_ref: str | None
    """Of the person that the event is about, if it is about one."""
    about_name: str | None


_concerned_account = aliased(Account, name="about")
_ABOUT_KEY: Final = "account"
"""Of the id of the account that an event is about, among its details; the id itself is shown to no one."""


def add(connection: Connection, event: NewSecurityEvent) -> int:
    """Add an event and return its id."""
    return connection.execute(
        insert(SecurityEvent).values(msgspec.structs.asdict(event)).returning(SecurityEvent.id)
    ).scalar_one()


def newest(
    connection: Connection,
    *,
    limit: int,
    before_id: int | None = None,
    kind: str | None = None,
    person_ref: str | None = None,
) -> tuple[SecurityEventRow, ...]:
    """Return the newest events, newest first: those before an id, of one kind, of one person."""
    about_id = cast(SecurityEvent.detail[_ABOUT_KEY].astext, BigInteger)
    query = (
        select(
            SecurityEvent.id,
            SecurityEvent.at,
            SecurityEvent.kind,
            Account.ref,
            Account.name,
            SecurityEvent.network_address,
            SecurityEvent.detail.op("-", return_type=SecurityEvent.detail.type)(
                cast(_ABOUT_KEY, Text)
            ),
            _concerned_account.ref,
            _concerned_account.name,
        )
        .outerjoin(Account, Account.id == SecurityEvent.account_id)
        .outerjoin(_concerned_account, _concerned_account.id == about_id)
        .order_by(SecurityEvent.id.desc())
        .limit(limit)
    )
    if before_id is not None:
        query = query.where(SecurityEvent.id < before_id)
    if kind is not None:
        query = query.where(SecurityEvent.kind == kind)
    if person_ref is not None:
        query = query.where(Account.ref == person_ref)
    return tuple(SecurityEventRow(*row) for row in connection.execute(query))


def forget_network_addresses(connection: Connection, *, before: datetime) -> int:
    """Remove the network addresses of events before this instant; return how many there were."""
    return connection.execute(
        update(SecurityEvent)
        .where(SecurityEvent.at < before, SecurityEvent.network_address.is_not(None))
        .values(network_address=None)
    ).rowcount


def delete_old(connection: Connection, *, before: datetime) -> int:
    """Delete events before this instant; return how many."""
    return connection.execute(delete(SecurityEvent).where(SecurityEvent.at < before)).rowcount
