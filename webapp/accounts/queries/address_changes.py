"""Requested changes of address: at most one of an account is open."""

from datetime import datetime

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from webapp.accounts.schema import Account, AddressChange
from webapp.kernel.redacted import Redacted
from webapp.kernel.schema import folded
from webapp.mail.schema import OptOut


class NewAddressChange(Redacted, frozen=True, kw_only=True):
    account_id: int
    old_address: str
    new_address: str
    nonce: bytes
    """From which the email derives its link; the row itself holds only a hash of it."""
    token_hash: bytes
    requested_at: datetime
    expires_at: datetime


class AddressChangeRow(Redacted, frozen=True):
    id: int
    account_id: int
    old_address: str
    new_address: str
    expires_at: datetime


_COLUMNS = (
    AddressChange.id,
    AddressChange.account_id,
    AddressChange.old_address,
    AddressChange.new_address,
    AddressChange.expires_at,
)
_IS_OPEN = AddressChange.confirmed_at.is_(None) & AddressChange.withdrawn_at.is_(None)


def add(connection: Connection, change: NewAddressChange) -> int:
    """Store a requested change and return its id."""
    change_id: int = connection.execute(
        insert(AddressChange).values(msgspec.structs.asdict(change)).returning(AddressChange.id)
    ).scalar_one()
    return change_id


def count_requests(connection: Connection, account_id: int, *, since: datetime) -> int:
    return connection.execute(
        select(func.count())
        .select_from(AddressChange)
        .where(AddressChange.account_id == account_id, AddressChange.requested_at > since)
    ).scalar_one()


def find_open_change(
    connection: Connection, account_id: int, *, now: datetime
) -> AddressChangeRow | None:
    """Return the change that still waits for its link, if there is one."""
    row = connection.execute(
        select(*_COLUMNS)
        .where(AddressChange.account_id == account_id, _IS_OPEN, AddressChange.expires_at > now)
        .order_by(AddressChange.id.desc())
        .limit(1)
    ).first()
    return None if row is None else AddressChangeRow(*row)


def find_open_change_with_token(
    connection: Connection, account_id: int, token_hash: bytes, *, now: datetime
) -> AddressChangeRow | None:
    """Return the account's open change with this link, if there is one."""
    row = connection.execute(
        select(*_COLUMNS).where(
            AddressChange.token_hash == token_hash,
            AddressChange.account_id == account_id,
            _IS_OPEN,
            AddressChange.expires_at > now,
        )
    ).first()
    return None if row is None else AddressChangeRow(*row)


def withdraw(connection: Connection, account_id: int, *, now: datetime) -> int:
    """Withdraw the account's open changes; return how many there were."""
    return connection.execute(
        update(AddressChange)
        .where(AddressChange.account_id == account_id, _IS_OPEN)
        .values(withdrawn_at=now)
    ).rowcount


def apply_change(connection: Connection, change: AddressChangeRow, *, now: datetime) -> bool:
    """Give the account its new address; return False if another account has it, and change nothing then."""
    try:
        with connection.begin_nested():
            connection.execute(
                update(Account)
                .where(Account.id == change.account_id)
                .values(
                    address=change.new_address,
                    bounce_score=0,
                    bounced_at=None,
                    bounce_reason=None,
                    suppressed_until=None,
                )
            )
    except IntegrityError:
        return False
    connection.execute(
        update(AddressChange).where(AddressChange.id == change.id).values(confirmed_at=now)
    )
    _copy_opt_outs(connection, change)
    return True


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete changes requested before this instant; return how many."""
    return connection.execute(
        delete(AddressChange).where(AddressChange.requested_at < before)
    ).rowcount


def _copy_opt_outs(connection: Connection, change: AddressChangeRow) -> None:
    """Stop at the new address what is stopped at the old one, where it stays stopped: addresses outlive accounts."""
    new_address = folded(change.new_address)
    copied_opt_outs = select(new_address, OptOut.scope, OptOut.game_id, OptOut.at).where(
        OptOut.address == folded(change.old_address)
    )
    connection.execute(
        postgresql.insert(OptOut)
        .from_select(["address", "scope", "game_id", "at"], copied_opt_outs)
        .on_conflict_do_nothing()
    )
