"""Invitations as rows, and the tokens of their links: derived from a nonce, so that the row alone lets no one in."""

from datetime import datetime
from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.keys import Keyring, TokenSource, hash_of
from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.lobby.invitations import NewInvitation

_NONCE_SIZE: Final = 16


def invitation_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an invitation."""
    return keys.token("invitation", nonce)


def add_invitation(
    tx: Tx,
    game_id: int,
    inviter: Person,
    *,
    address: str | None,
    source: TokenSource,
    now: datetime,
) -> int:
    """Store an invitation for one address, or with None the table link for everyone who has it; return its id."""
    nonce = source.random_bytes(_NONCE_SIZE)
    invitation = NewInvitation(
        game_id=game_id,
        nonce=nonce,
        token_hash=hash_of(invitation_token(nonce, source.keys)),
        address=address,
        invited_by=inviter.id,
        invited_at=now,
    )
    return invitations.add_invitation(tx.connection, invitation)
