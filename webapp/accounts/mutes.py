"""Mutes: people whose messages a person does not want to read, at any table. The muted are never shown it.

Their messages are left out of everything that the person reads: tables, history and emails. Nothing says that one is missing.
"""

from typing import Final

from webapp.accounts.person import Person, is_storable
from webapp.accounts.queries import mutes
from webapp.accounts.queries.mutes import MuteRow, NewMute
from webapp.kernel.errors import FieldError, FieldErrors
from webapp.kernel.keyring import RandomBytes, random_token
from webapp.kernel.tx import Tx

MAX_MUTED_PEOPLE: Final = 500
_REF_SIZE: Final = 9


def mute_account(
    tx: Tx, person: Person, account_id: int, *, name: str, tokens: RandomBytes
) -> None:
    """Mute the owner of this account, who wrote under this name. Raises FieldErrors for too many."""
    if len(mutes.mutes_of_account(tx, person.id)) >= MAX_MUTED_PEOPLE:
        raise FieldErrors(FieldError("name", "too-many", {"max": MAX_MUTED_PEOPLE}))
    new_mute = NewMute(
        muter_id=person.id,
        muted_id=account_id,
        ref=random_token(tokens, _REF_SIZE),
        name=name,
        muted_at=tx.now,
    )
    mutes.add(tx, new_mute)


def mutes_made_by(tx: Tx, person: Person) -> tuple[MuteRow, ...]:
    """Return whom the person has muted, newest first."""
    return mutes.mutes_of_account(tx, person.id)


def unmute(tx: Tx, person: Person, ref: str) -> None:
    """Delete one of the person's mutes. Deleting it twice changes nothing, and neither does another person's mute."""
    if is_storable(ref):
        mutes.delete_by_ref(tx, person.id, ref)
