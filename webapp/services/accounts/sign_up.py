"""Who may create an account, which a moderator can limit to people with an invitation, or to no one."""

from typing import Final

from webapp.services.keys import hash_of
from webapp.services.tx import Tx
from webapp.site_settings import SignUp
from webapp.store.accounts import known_addresses

_INVITATION_PATHS: Final = ("/invitations/", "/club-invitations/")


def may_sign_in(tx: Tx, address: str, policy: SignUp, *, return_path: str) -> bool:
    """Return whether an address gets an email to sign in: with an account always, otherwise as the policy says.

    ``return_path`` is the page to open afterwards: someone who opened the link of an invitation is invited.
    """
    if policy is SignUp.OPEN or known_addresses.has_account(tx.connection, address):
        return True
    if policy is SignUp.CLOSED:
        return False
    token_hash = _invitation_hash(return_path)
    return known_addresses.is_invited(tx.connection, address, token_hash)


def _invitation_hash(path: str) -> bytes | None:
    for prefix in _INVITATION_PATHS:
        token = path.removeprefix(prefix)
        if token != path and token.isascii():
            return hash_of(token.partition("?")[0])
    return None
