"""Accounts: one row per email address."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, func, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import InstrumentedAttribute

from webapp.store.play.rows import AccountRow
from webapp.store.schema.accounts import Account

ACCOUNT_COLUMNS: Final[tuple[InstrumentedAttribute[Any], ...]] = (
    Account.id,
    Account.address,
    Account.name,
    Account.language,
    Account.zone,
    Account.picks_gold,
    Account.is_moderator,
    Account.banned_until,
    Account.warning_id,
    Account.dismissed_announcement,
    Account.hold_minutes,
    Account.suppressed_until,
)
"""The columns of ``AccountRow``, in its order."""


def find_or_create(
    connection: Connection, address: str, *, language: str, zone: str, now: datetime
) -> AccountRow:
    """Return the account with this address, a new one if there is none."""
    created_row = connection.execute(
        postgresql.insert(Account)
        .values(address=address, name="", language=language, zone=zone, created_at=now)
        .on_conflict_do_nothing()
        .returning(*ACCOUNT_COLUMNS)
    ).first()
    if created_row is not None:
        return AccountRow(*created_row)
    known_row = connection.execute(
        select(*ACCOUNT_COLUMNS).where(func.lower(Account.address) == address.lower())
    ).one()
    return AccountRow(*known_row)


def find_by_address(connection: Connection, address: str) -> AccountRow | None:
    """Return the account with this address, whatever its case."""
    row = connection.execute(
        select(*ACCOUNT_COLUMNS).where(func.lower(Account.address) == address.lower())
    ).first()
    return None if row is None else AccountRow(*row)


def dismiss_announcement(connection: Connection, account_id: int, number: int) -> None:
    """Record that a person has read this announcement to the whole site, and those before it."""
    connection.execute(
        update(Account)
        .where(Account.id == account_id, Account.dismissed_announcement < number)
        .values(dismissed_announcement=number)
    )


def find(connection: Connection, account_id: int) -> AccountRow | None:
    """Return the account with this id, unless it was deleted."""
    row = connection.execute(
        select(*ACCOUNT_COLUMNS).where(Account.id == account_id, Account.address.is_not(None))
    ).first()
    return None if row is None else AccountRow(*row)


def change_profile(
    connection: Connection,
    account_id: int,
    *,
    name: str,
    language: str,
    zone: str,
    picks_gold: bool,
) -> None:
    connection.execute(
        update(Account)
        .where(Account.id == account_id)
        .values(name=name, language=language, zone=zone, picks_gold=picks_gold)
    )


def change_hold_minutes(connection: Connection, account_id: int, *, minutes: int) -> None:
    """Store for how long the turns of an account are held."""
    connection.execute(update(Account).where(Account.id == account_id).values(hold_minutes=minutes))
