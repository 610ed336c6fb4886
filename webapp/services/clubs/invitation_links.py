"""Storing invitations to clubs, and the tokens of their links, which are made like those of invitations to tables."""

from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.keys import Keyring, TokenSource
from webapp.services.tx import Tx
from webapp.store.clubs import invitations
from webapp.store.clubs.invitations import NewClubInvitation

_PURPOSE: Final = "club invitation"


def club_invitation_token(nonce: bytes, keys: Keyring) -> str:
    """Return the token in the link of an invitation."""
    return keys.link_token(_PURPOSE, nonce)


def add_club_invitation(
    tx: Tx,
    club_id: int,
    inviter: Person,
    *,
    address: str | None,
    source: TokenSource,
) -> int:
    """Store an invitation for one address, or with None the club's link for everyone who has it; return its id."""
    link = source.new_link(_PURPOSE)
    invitation = NewClubInvitation(
        club_id=club_id,
        nonce=link.nonce,
        token_hash=link.token_hash,
        address=address,
        invited_by=inviter.id,
        invited_at=tx.now,
    )
    return invitations.add(tx.connection, invitation)


def renew_club_link(tx: Tx, club_id: int, person: Person, *, source: TokenSource) -> None:
    """Replace the club's link by a new one, so that no one can join with the old one any more."""
    invitations.delete_link(tx.connection, club_id)
    add_club_invitation(tx, club_id, person, address=None, source=source)
