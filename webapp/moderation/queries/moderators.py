"""Which accounts moderate the site."""

import msgspec
from sqlalchemy import func, select, update

from webapp.accounts.schema import Account
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx


class ModeratorRow(Redacted, frozen=True):
    """A moderator of the site."""

    id: int
    address: str
    name: str


class ChangedModerator(msgspec.Struct, frozen=True):
    """An account, and whether it was changed: it may have been what it should become."""

    id: int
    has_changed: bool


def all_moderators(tx: Tx) -> tuple[ModeratorRow, ...]:
    """Return the moderators of the site, by address."""
    rows = tx.execute(
        select(Account.id, func.coalesce(Account.address, ""), Account.name)
        .where(Account.is_moderator)
        .order_by(func.lower(Account.address))
    )
    return tuple(ModeratorRow(*row) for row in rows)


def refs_and_names(tx: Tx) -> tuple[tuple[str, str], ...]:
    """Return the references and the names of the moderators of the site, by name."""
    rows = tx.execute(
        select(Account.ref, Account.name)
        .where(Account.is_moderator)
        .order_by(func.lower(Account.name), Account.id)
    )
    return tuple((row.ref, row.name) for row in rows)


def set_moderator(tx: Tx, address: str, *, is_moderator: bool) -> ChangedModerator | None:
    """Make the account with this address a moderator, or not one; None if there is no account."""
    account = tx.execute(
        select(Account.id, Account.is_moderator)
        .where(func.lower(Account.address) == address.lower())
        .with_for_update()
    ).first()
    if account is None:
        return None
    tx.execute(update(Account).where(Account.id == account.id).values(is_moderator=is_moderator))
    return ChangedModerator(account.id, has_changed=account.is_moderator != is_moderator)
