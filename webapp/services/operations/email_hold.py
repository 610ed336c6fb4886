"""Whether this is a restored copy: no email is sent from it and no deadline runs out, until the operator releases it.

The original may still be running, or have run after the backup: its players must not get emails from two servers.
"""

from webapp.services.tx import Tx
from webapp.store.operations import email_hold
from webapp.store.operations.email_hold import EmailHoldRow


def current_hold(tx: Tx) -> EmailHoldRow | None:
    """Return since when emails are held, if they are."""
    return email_hold.find_hold(tx.connection)


def is_email_held(tx: Tx) -> bool:
    """Return whether no email may be sent."""
    return email_hold.is_held(tx.connection)
