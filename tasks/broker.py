"""How a worker and the clock live through the loss of a broker: they look for it every second, for ever, and give nothing back.

By default they look ever more seldom, up to half a minute apart, and end after a hundred times: letters would follow the return
of Redis late, or never. And a worker that loses Redis while it works gives its messages back, or acknowledges them, over the
connection that has just been closed, and dies of that. Neither is needed: the clock repeats every nudge within seconds.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from celery import beat
from celery.app.amqp import AMQP
from kombu import Connection
from kombu.transport import redis

_EVERY_SECOND: Final[Mapping[str, float]] = {
    "interval_start": 1,
    "interval_step": 1,
    "interval_max": 1,
}
_log = logging.getLogger(__name__)


class _Channel(redis.Channel):
    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's own
        """Acknowledge; what came over a connection that is gone by now, Redis takes back by itself."""
        if not self._is_gone():
            super().basic_ack(delivery_tag, multiple)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 - as above
        """Reject; as above."""
        if not self._is_gone():
            super().basic_reject(delivery_tag, requeue)

    def _is_gone(self) -> bool:
        return getattr(self.connection, "client", None) is None


class _Transport(redis.Transport):
    Channel = _Channel


class _Connection(Connection):
    def ensure_connection(self, *args: Any, **kwargs: Any) -> Connection:  # type: ignore[override] # noqa: ANN401 - the library's own
        """Connect, however long that takes; the arguments are those of the library."""
        return super().ensure_connection(*args, **{**_EVERY_SECOND, **kwargs})

    def get_transport_cls(self) -> type:
        """What speaks to the broker: our own way with Redis, the library's with anything else."""
        found: type = super().get_transport_cls()
        return _Transport if found is redis.Transport else found


class PatientAMQP(AMQP):
    """Makes the connections of an application."""

    Connection = _Connection


class Clock(beat.Scheduler):
    """Starts the jobs, and says in one line what the library tells with two tracebacks: that a broker took one of them not."""

    def apply_entry(self, entry: beat.ScheduleEntry, producer: Any = None) -> None:  # noqa: ANN401 - the library's own
        """Send one job. Nothing is made up for: it comes again in its time."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except beat.SchedulingError as problem:
            _log.warning("The broker took nothing from the clock. %s", problem)
