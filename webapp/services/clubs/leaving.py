"""Leaving a club with a form that may be sent twice: who has left a private club may no longer see it."""

from typing import Final

from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import person_for
from webapp.services.clubs.access import club_for
from webapp.services.clubs.members import leave_club
from webapp.services.errors import DenialReason, NotAllowed, NotFound
from webapp.services.keys import Keyring
from webapp.services.tx import Tx

_PURPOSE: Final = "was in club"


def leave_proof(slug: str, person: Person, keys: Keyring) -> str:
    """Return the token in the form of a member, which proves later that they were shown the club."""
    return keys.token(_PURPOSE, slug, person.id)


def leave_club_once(tx: Tx, slug: str, cookie: str | None, *, proof: str, keys: Keyring) -> bool:
    """Leave the club, or take back the request to join; return whether it was only a request.

    The proof makes the second answer the same as the first, and tells others nothing about whether the club exists. Raises
    NotFound and NotAllowed.
    """
    try:
        access = club_for(tx, slug, cookie, mode="change")
    except NotFound:
        person = person_for(tx, cookie)
        if person is None or not _is_valid_proof(proof, slug, person, keys):
            raise
        return False
    if access.me is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    leave_club(tx, access)
    return access.has_requested


def _is_valid_proof(proof: str, slug: str, person: Person, keys: Keyring) -> bool:
    return keys.is_token(proof, _PURPOSE, slug, person.id)
