"""Requested changes of address: at most one of an account is open."""

from datetime import datetime

import msgspec
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from webapp.accounts.schema import Account, AddressChange
from webapp.kernel.redacted import Redacted
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx
from webapp.mail.schema import OptOut


class NewAddressChange(Redacted, frozen=True, kw_only=True):
    account_id: int
    old_address: str
    new_address: str
    nonce: bytes
    """The nonce from which the email derives its link; the row itself holds only a hash of the link's token."""
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


def add(tx: Tx, change: NewAddressChange) -> int:
    """Store a requested change and return its id."""
    change_id: int = tx.execute(
        insert(AddressChange).values(msgspec.structs.asdict(change)).returning(AddressChange.id)
    ).scalar_one()
    return change_id


def count_requests(tx: Tx, account_id: int, *, since: datetime) -> int:
    return tx.execute(
        select(func.count())
        .select_from(AddressChange)
        .where(AddressChange.account_id == account_id, AddressChange.requested_at > since)
    ).scalar_one()


def find_open_change(tx: Tx, account_id: int) -> AddressChangeRow | None:
    """Return the change that still waits for its link, if there is one."""
    row = tx.execute(
        select(*_COLUMNS)
        .where(AddressChange.account_id == account_id, _IS_OPEN, AddressChange.expires_at > tx.now)
        .order_by(AddressChange.id.desc())
        .limit(1)
    ).first()
    return None if row is None else AddressChangeRow(*row)


def find_open_change_with_token(
    tx: Tx, account_id: int, token_hash: bytes
) -> AddressChangeRow | None:
    """Return the account's open change with this link, if there is one."""
    row = tx.execute(
        select(*_COLUMNS).where(
            AddressChange.token_hash == token_hash,
            AddressChange.account_id == account_id,
            _IS_OPEN,
            AddressChange.expires_at > tx.now,
        )
    ).first()
    return None if row is None else AddressChangeRow(*row)


def withdraw(tx: Tx, account_id: int) -> int:
    """Withdraw the account's open changes; return how many there were."""
    return tx.execute(
        update(AddressChange)
        .where(AddressChange.account_id == account_id, _IS_OPEN)
        .values(withdrawn_at=tx.now)
    ).rowcount


def apply_change(tx: Tx, change: AddressChangeRow) -> bool:
    """Give the account its new address; return False if another account has it, and change nothing then."""
    try:
        with tx.connection.begin_nested():
            tx.execute(
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
    tx.execute(
        update(AddressChange).where(AddressChange.id == change.id).values(confirmed_at=tx.now)
    )
    _copy_opt_outs(tx, change)
    return True


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete changes requested before this instant; return how many."""
    return tx.execute(delete(AddressChange).where(AddressChange.requested_at < before)).rowcount


def _copy_opt_outs(tx: Tx, change: AddressChangeRow) -> None:
    """Stop at the new address what is stopped at the old one, where it stays stopped: addresses outlive accounts."""
    new_address = folded(change.new_address)
    copied_opt_outs = select(new_address, OptOut.scope, OptOut.game_id, OptOut.at).where(
        OptOut.address == folded(change.old_address)
    )
    tx.execute(
        postgresql.insert(OptOut)
        .from_select(["address", "scope", "game_id", "at"], copied_opt_outs)
        .on_conflict_do_nothing()
    )
