"""Adjustments to Celery so that workers and beat survive the loss and every error of Redis: they reconnect every second, for ever.

By default Celery retries at growing intervals of up to half a minute and gives up after a hundred attempts, so emails would
be sent late, or never, after Redis returns. A worker that loses Redis while it runs a task also tries to restore or
acknowledge its messages over the closed connection, and dies of the error. Neither is needed: beat repeats every nudge.
"""

from collections.abc import Mapping
from typing import Any, Final

from celery.app.amqp import AMQP
from kombu import Connection
from kombu.transport import redis
from redis.exceptions import RedisError

_RETRY_OPTIONS: Final[Mapping[str, float]] = {
    "interval_start": 1,
    "interval_step": 1,
    "interval_max": 1,
}


class _Channel(redis.Channel):
    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's own
        """Acknowledge a message; one from a lost connection is redelivered by Redis itself."""
        if not self._is_closed():
            super().basic_ack(delivery_tag, multiple)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's own
        """Reject a message; one from a lost connection is redelivered by Redis itself."""
        if not self._is_closed():
            super().basic_reject(delivery_tag, requeue)

    def _is_closed(self) -> bool:
        return getattr(self.connection, "client", None) is None


class _Transport(redis.Transport):
    Channel = _Channel
    # Redis may be out of memory, read-only, loading or restricted by rules: whatever it answers, a later connection may do.
    connection_errors = (*redis.Transport.connection_errors, RedisError)


class _ReconnectingConnection(Connection):
    def ensure_connection(self, *args: Any, **kwargs: Any) -> Connection:  # type: ignore[override] # noqa: ANN401 - the library's own
        """Connect, with an attempt every second unless the caller sets other intervals."""
        return super().ensure_connection(*args, **{**_RETRY_OPTIONS, **kwargs})

    def get_transport_cls(self) -> type:
        """Return the transport below for Redis, and the library's for any other broker."""
        transport_class: type = super().get_transport_cls()
        return _Transport if transport_class is redis.Transport else transport_class


class ReconnectingAMQP(AMQP):
    """Makes a Celery application open its connections with the classes above."""

    Connection = _ReconnectingConnection
