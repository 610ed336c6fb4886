"""Invitations as rows, and the tokens of their links: derived from a nonce, so that the row alone lets no one in."""

from datetime import datetime
from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.keys import Keyring, TokenSource
from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.lobby.invitations import NewInvitation

_PURPOSE: Final = "invitation"


def invitation_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an invitation."""
    return keys.token(_PURPOSE, nonce)


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
    link = source.new_link(_PURPOSE)
    invitation = NewInvitation(
        game_id=game_id,
        nonce=link.nonce,
        token_hash=link.token_hash,
        address=address,
        invited_by=inviter.id,
        invited_at=now,
    )
    return invitations.add_invitation(tx.connection, invitation)
