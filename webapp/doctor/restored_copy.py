"""Check whether this is a restored copy that sends no emails, and whether the secret key belongs to its database."""

from datetime import datetime

from webapp.config import Settings
from webapp.doctor.result import CheckResult, CheckResults, error, ok, warning
from webapp.services.errors import Unavailable
from webapp.services.operations.email_hold import current_hold
from webapp.services.operations.health import database_info
from webapp.services.operations.key_check import (
    WRONG_KEY_ADVICE,
    WRONG_KEY_TEXT,
    is_expected_key,
)
from webapp.services.tx import Database, Tx, read_only


def check_copy(tx: Tx) -> CheckResults:
    """Yield a warning while emails are held."""
    hold = current_hold(tx)
    if hold is not None:
        yield warning(
            f"This is a copy, restored at {hold.held_at:%Y-%m-%d %H:%M} UTC from a backup of "
            f"{hold.backup_taken_at:%Y-%m-%d %H:%M} UTC: the site is closed, and no email is sent.",
            "If the original will never run again, run `lodepost release`.",
        )


def check_key(tx: Tx, settings: Settings) -> CheckResult:
    """Compare the key in the settings with the one that the database expects."""
    if is_expected_key(tx, settings.secret_key, settings.old_secret_keys):
        return ok("SECRET_KEY is the one that the database expects.")
    return error(WRONG_KEY_TEXT, WRONG_KEY_ADVICE)


def check_key_at(url: str, settings: Settings, now: datetime) -> CheckResults:
    """Yield the result of that, if the database has the tables of this release."""
    database = Database(url, pool_size=1)
    try:
        with read_only(database, now) as tx:
            if database_info(tx).is_current:
                yield check_key(tx, settings)
    except Unavailable:
        return
    finally:
        database.dispose()
