"""Nudges of a process that runs no jobs itself: messages of Celery's protocol 2, sent by kombu alone.

Celery would be loaded whole for a message without arguments: six megabytes in every web process.
https://docs.celeryq.dev/en/stable/internals/protocol.html
"""

import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from kombu import Connection, Producer

from webapp.clock import utc_now
from webapp.config import Settings

QUEUE: Final = "lodepost"
NUDGE_LASTS: Final = timedelta(seconds=60)
"""How long a nudge is of use: until then the clock has looked many times."""
_LOST_AFTER: Final = 300
"""Seconds after which Redis hands a task to somebody else. All processes must say the same."""
_ANSWERS_WITHIN: Final = 5
"""Seconds that a broker has to answer; without a limit a hung Redis holds up whoever publishes, for ever."""
REDIS: Final = {
    "visibility_timeout": _LOST_AFTER,
    # By default a task of a worker that was killed comes back after a minute and a half longer than that.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_timeout": _ANSWERS_WITHIN,
    "socket_connect_timeout": _ANSWERS_WITHIN,
}
_NO_ARGUMENTS: Final[tuple[object, ...]] = (
    (),
    {},
    {"callbacks": None, "errbacks": None, "chain": None, "chord": None},
)


class Messenger:
    """Sends tasks by name to the workers at a Redis. For one thread: it keeps its connection."""

    def __init__(
        self,
        settings: Settings,
        *,
        now: Callable[[], datetime] = utc_now,
        options: Mapping[str, float] = REDIS,
    ) -> None:
        self._url = settings.broker_url
        self._options = options
        self._now = now
        self._open: tuple[Connection, Producer] | None = None

    def __call__(self, name: str) -> None:
        """Send it, or raise whatever the broker has against it; the next one finds a new connection then."""
        ident = str(uuid.uuid4())
        try:
            self._connected().publish(
                _NO_ARGUMENTS,
                exchange="",
                routing_key=QUEUE,
                serializer="json",
                retry=False,
                headers=headers_of(name, ident, expires=self._now() + NUDGE_LASTS),
                correlation_id=ident,
                reply_to="",
            )
        except Exception:
            self._hang_up()
            raise

    def _connected(self) -> Producer:
        if self._open is None:
            connection = Connection(self._url, transport_options=dict(self._options))
            # Asked for its default channel a connection would wait for a broker that is away, for ever.
            self._open = connection, Producer(connection.channel(), auto_declare=False)
        return self._open[1]

    def _hang_up(self) -> None:
        left, self._open = self._open, None
        if left is not None:
            # It is broken already.
            with suppress(Exception):
                left[0].close()


def headers_of(name: str, ident: str, *, expires: datetime) -> dict[str, Any]:
    """The headers of a task without arguments whose result nobody waits for."""
    return {
        "lang": "py",
        "task": name,
        "id": ident,
        "shadow": None,
        "eta": None,
        "expires": expires.isoformat(),
        "group": None,
        "group_index": None,
        "retries": 0,
        "timelimit": [None, None],
        "root_id": ident,
        "parent_id": None,
        "argsrepr": "()",
        "kwargsrepr": "{}",
        "origin": "lodepost web",
        "ignore_result": True,
        "replaced_task_nesting": 0,
        "stamped_headers": None,
        "stamps": {},
    }
