"""Record in the security log that a command was run on private data."""

import logging
from collections.abc import Mapping
from typing import Any

from webapp.clock import utc_now
from webapp.services.errors import Unavailable
from webapp.services.security_log import record_command
from webapp.services.tx import Database, transaction

_log = logging.getLogger(__name__)


def record_in_database(url: str, command: str, subjects: Mapping[str, Any] | None = None) -> None:
    """Record a command in the database that it was run on; only warn if that takes no changes, such as a standby."""
    database = Database(url, pool_size=1)
    try:
        with transaction(database, utc_now()) as tx:
            record_command(tx, command, subjects=subjects)
    except Unavailable:
        _log.warning("The security log takes no changes: `lodepost %s` is not recorded.", command)
    finally:
        database.dispose()
