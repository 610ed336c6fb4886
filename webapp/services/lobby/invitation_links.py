"""The tokens of invitations: derived from a nonce in the row, so that the row itself lets nobody in."""

from datetime import datetime
from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.keys import Keyring, Tokens, hash_of
from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.lobby.invitations import NewInvitation

_NONCE_SIZE: Final = 16


def token_of(nonce: bytes, keys: Keyring) -> str:
    """The token that an invitation's link carries."""
    return keys.token("invitation", nonce)


def open_way(
    tx: Tx,
    game_id: int,
    person: Person,
    *,
    address: str | None,
    keys: Keyring,
    tokens: Tokens,
    now: datetime,
) -> int:
    """Make a way to a table: for one address, or (None) for everybody who has the link. Its id."""
    nonce = tokens(_NONCE_SIZE)
    invitation = NewInvitation(
        game_id=game_id,
        nonce=nonce,
        token_hash=hash_of(token_of(nonce, keys)),
        address=address,
        invited_by=person.id,
        invited_at=now,
    )
    return invitations.add(tx.connection, invitation)
