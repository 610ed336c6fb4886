"""Invitations as rows, and the tokens of their links: derived from a nonce, so that the row alone lets no one in."""

from collections.abc import Sequence
from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.keys import Keyring, TokenSource
from webapp.services.tx import Tx
from webapp.store.lobby import invitations
from webapp.store.lobby.invitations import InvitationRow, NewInvitation
from webapp.store.redacted import Redacted

_PURPOSE: Final = "invitation"


class Invitee(Redacted, frozen=True):
    """Whom an invitation is for; with a name, the inviter is shown that and never the address."""

    address: str
    name: str | None = None


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


def link_of_invitation(tx: Tx, invitation_id: int, keys: Keyring) -> str | None:
    """Return the token of an invitation's link; None if there is no such invitation any more, or its key is no longer known."""
    nonce = invitations.nonce_of(tx.connection, invitation_id)
    if nonce is None or not keys.has_key_of(nonce):
        return None
    return invitation_token(nonce, keys)


def add_invitation(
    tx: Tx,
    game_id: int,
    inviter: Person,
    *,
    invitee: Invitee | None,
    source: TokenSource,
) -> int:
    """Store an invitation for one person, or with None the table link for everyone who has it; return its id."""
    link = source.new_link(_PURPOSE)
    invitation = NewInvitation(
        game_id=game_id,
        nonce=link.nonce,
        token_hash=link.token_hash,
        address=None if invitee is None else invitee.address,
        name=None if invitee is None else invitee.name,
        invited_by=inviter.id,
        invited_at=tx.now,
    )
    return invitations.add_invitation(tx.connection, invitation)
