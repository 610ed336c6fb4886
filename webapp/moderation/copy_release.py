"""Releasing a restored copy: the site opens, emails are sent again, and all deadlines move by the time since the backup."""

import secrets
from datetime import timedelta

from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.site_settings import SiteSettings
from webapp.kernel.tx import Tx
from webapp.moderation.settings_change import SettingsChange, change_settings
from webapp.operations import maintenance
from webapp.operations.queries import email_hold
from webapp.operations.queries.email_hold import EmailHoldRow


class NotHeld(OperatorError):
    """No emails are held, so there is nothing to release."""


def shift_earlier_clocks(tx: Tx) -> bool:
    """Shift the next clocks after what ended before the backup was made; return whether there are more.

    Only then the time since can be given back as well. Raises NotHeld.
    """
    _lock_hold(tx)
    return maintenance.shift_next_games(tx)


def release(
    tx: Tx,
    *,
    reason: str,
    drop_older_than: timedelta | None,
    defaults: SiteSettings,
) -> int:
    """Send emails again and open the site; workers move all deadlines next. Return how many waiting emails were dropped.

    ``drop_older_than``: emails that have waited for longer are never sent. Raises NotHeld, and FieldErrors for the reason.
    """
    hold = _lock_hold(tx)
    dropped_count = 0
    if drop_older_than is not None:
        dropped_count = email_hold.drop_emails_due_before(tx, tx.now - drop_older_than)
    email_hold.remove_hold(tx)
    maintenance.continue_since(tx, hold.clocks_stopped_at)
    opening = SettingsChange(
        values={"maintenance": ""}, reason=reason, form_id=secrets.token_urlsafe()
    )
    change_settings(tx, None, opening, defaults=defaults)
    maintenance.end(tx)
    return dropped_count


def _lock_hold(tx: Tx) -> EmailHoldRow:
    hold = email_hold.find_hold(tx, lock=True)
    if hold is None:
        raise NotHeld("No emails are held: there is nothing to release.")
    return hold
