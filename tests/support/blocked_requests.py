"""Wait until a request in another thread waits for a lock that the test holds."""

import time
from concurrent.futures import Future
from typing import Any

from sqlalchemy import text

from tests.support.transactions import transaction
from webapp.kernel.tx import Database


def wait_until_blocked_or_done(database: Database, future: Future[Any]) -> None:
    """Return once the request is done, or some transaction waits for a lock."""
    waiting_locks = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    while not future.done():
        with transaction(database) as tx:
            if tx.execute(waiting_locks).scalar_one():
                return
        time.sleep(0.01)
