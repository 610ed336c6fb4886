"""Invitations as rows, and the tokens of their links: derived from a nonce, so that the row alone lets no one in."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.keys import Keyring, TokenSource
from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.lobby.invitations import InvitationRow, NewInvitation

_PURPOSE: Final = "invitation"


def invitation_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an invitation."""
    return keys.link_token(_PURPOSE, nonce)


def table_link_token(rows: Sequence[InvitationRow], keys: Keyring) -> str | None:
    """Return the token of a table's own link; None if it has none, or one of a key that is no longer known."""
    tokens = (
        invitation_token(row.nonce, keys)
        for row in rows
        if row.address is None and keys.has_key_of(row.nonce)
    )
    return next(tokens, None)


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
