"""Stopping sign-in emails for a day: offered in each of them to a person who has not requested it.

Browsers in which the address has signed in before still get them, so a stranger who sees an email cannot lock its owner out.
"""

from datetime import timedelta
from typing import Final

from webapp.services import security_log
from webapp.services.errors import NotFound
from webapp.services.keys import hash_of
from webapp.services.security_log import SecurityEventKind
from webapp.services.tx import Tx
from webapp.store.accounts import sign_ins

PAUSE: Final = timedelta(hours=24)


def is_pause_possible(tx: Tx, token: str) -> bool:
    """Return whether the link in an email still works; it does for about two days. Opening it stops nothing."""
    return sign_ins.address_of_pause_token(tx.connection, hash_of(token)) is not None


def pause_sign_in_emails(tx: Tx, token: str) -> None:
    """Stop the emails, and let those that were sent be of no use; repeating it changes nothing. Raises NotFound."""
    address = sign_ins.address_of_pause_token(tx.connection, hash_of(token))
    if address is None:
        raise NotFound
    sign_ins.lock_address(tx.connection, address)
    if sign_ins.is_paused(tx.connection, address, now=tx.now):
        return
    sign_ins.pause(tx.connection, address, now=tx.now, until=tx.now + PAUSE)
    security_log.record(tx, SecurityEventKind.SIGN_IN_PAUSED, account_id=None)
