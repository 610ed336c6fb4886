"""Log whether a process that starts has the secret key that belongs to its database."""

import logging

from webapp.clock import utc_now
from webapp.config import Settings
from webapp.services.errors import Unavailable
from webapp.services.operations.health import is_schema_behind
from webapp.services.operations.key_check import WRONG_KEY_ADVICE, WRONG_KEY_TEXT, check_key
from webapp.services.tx import Database, transaction

_log = logging.getLogger(__name__)


def report_key(settings: Settings) -> None:
    """Log an error for a wrong key, and let the database expect a new one. The process starts all the same, to show pages."""
    database = Database(settings.database_url, pool_size=1)
    try:
        with transaction(database, utc_now()) as tx:
            if is_schema_behind(tx):
                return
            state = check_key(tx, settings.secret_key, settings.old_secret_keys)
    except Unavailable:
        _log.warning("The database does not answer, so SECRET_KEY was not checked.")
        return
    finally:
        database.dispose()
    if state == "wrong":
        _log.error("%s %s", WRONG_KEY_TEXT, WRONG_KEY_ADVICE)
    if state == "replaced":
        _log.warning("The database expects the new SECRET_KEY from now on; old ones still count.")
