"""Accounts: one row per email address."""

from sqlalchemy import func, or_, select, update
from sqlalchemy.dialects import postgresql

from webapp.accounts.person import Person
from webapp.accounts.queries.viewers import ACCOUNT_COLUMNS
from webapp.accounts.schema import Account
from webapp.clubs.schema import ClubInvitation
from webapp.kernel.tx import Tx
from webapp.lobby.schema import Invitation, SeatOffer


def find(tx: Tx, account_id: int) -> Person | None:
    """Return the account with this id, unless it was deleted."""
    row = tx.execute(
        select(*ACCOUNT_COLUMNS).where(Account.id == account_id, Account.address.is_not(None))
    ).first()
    return None if row is None else Person(*row)


def find_by_address(tx: Tx, address: str) -> Person | None:
    """Return the account with this address, whatever its case."""
    row = tx.execute(
        select(*ACCOUNT_COLUMNS).where(func.lower(Account.address) == address.lower())
    ).first()
    return None if row is None else Person(*row)


def find_or_create(tx: Tx, address: str, *, language: str, zone: str) -> Person:
    """Return the account with this address, a new one if there is none."""
    created_row = tx.execute(
        postgresql.insert(Account)
        .values(address=address, name="", language=language, zone=zone, created_at=tx.now)
        .on_conflict_do_nothing()
        .returning(*ACCOUNT_COLUMNS)
    ).first()
    if created_row is not None:
        return Person(*created_row)
    known_row = tx.execute(
        select(*ACCOUNT_COLUMNS).where(func.lower(Account.address) == address.lower())
    ).one()
    return Person(*known_row)


def lock_account(tx: Tx, account_id: int) -> None:
    """Make other transactions that change this account wait until this one ends.

    Not those that only refer to it, such as turns with emails to it: they may have locked a game that this one needs next.
    """
    tx.execute(select(Account.id).where(Account.id == account_id).with_for_update(key_share=True))


def has_account(tx: Tx, address: str) -> bool:
    account = select(Account.id).where(func.lower(Account.address) == address.lower())
    return tx.execute(select(account.exists())).scalar_one()


def is_invited(tx: Tx, address: str, token_hash: bytes | None) -> bool:
    """Return whether the address was invited to a table or a club or offered a seat, or the token is that of such a link."""
    invitations = [
        select(table.id).where(
            or_(func.lower(table.address) == address.lower(), table.token_hash == token_hash)
        )
        for table in (Invitation, ClubInvitation, SeatOffer)
    ]
    is_invited_to_any = or_(*(invitation.exists() for invitation in invitations))
    return tx.execute(select(is_invited_to_any)).scalar_one()


def change_profile(
    tx: Tx,
    account_id: int,
    *,
    name: str,
    language: str,
    zone: str,
    picks_gold: bool,
) -> None:
    tx.execute(
        update(Account)
        .where(Account.id == account_id)
        .values(name=name, language=language, zone=zone, picks_gold=picks_gold)
    )


def change_email_preferences(
    tx: Tx,
    account_id: int,
    *,
    wants_link_only: bool,
    wants_every_email: bool,
    moves_need_sign_in: bool,
) -> None:
    """Store how an account wants its emails about games."""
    tx.execute(
        update(Account)
        .where(Account.id == account_id)
        .values(
            wants_link_only=wants_link_only,
            wants_every_email=wants_every_email,
            moves_need_sign_in=moves_need_sign_in,
        )
    )


def change_hold_minutes(tx: Tx, account_id: int, *, minutes: int) -> None:
    """Store for how long the turns of an account are held."""
    tx.execute(update(Account).where(Account.id == account_id).values(hold_minutes=minutes))


def dismiss_hints(tx: Tx, account_id: int) -> None:
    """Record that a person wants no hints at the table any more."""
    tx.execute(update(Account).where(Account.id == account_id).values(wants_hints=False))


def dismiss_announcement(tx: Tx, account_id: int, number: int) -> None:
    """Record that a person has read this announcement to the whole site, and those before it."""
    tx.execute(
        update(Account)
        .where(Account.id == account_id, Account.dismissed_announcement < number)
        .values(dismissed_announcement=number)
    )
