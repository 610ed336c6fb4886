"""The connection of workers to Redis, which survives its failures; ``tasks.broker`` says why."""

from contextlib import suppress

from kombu.transport import redis
from redis.exceptions import RedisError


class _Channel(redis.Channel):
    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's own
        """Acknowledge a message; one from a lost connection, or that a full Redis keeps, is redelivered by Redis itself."""
        if not self._is_closed():
            with suppress(RedisError):
                super().basic_ack(delivery_tag, multiple)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's own
        """Reject a message; one from a lost connection is redelivered by Redis itself."""
        if not self._is_closed():
            super().basic_reject(delivery_tag, requeue)

    def _is_closed(self) -> bool:
        return getattr(self.connection, "client", None) is None


class Transport(redis.Transport):
    """Reconnects whatever Redis answers, and neither restores nor acknowledges over a closed connection."""

    Channel = _Channel
    # Redis may be out of memory, read-only, loading or restricted by rules: whatever it answers, a later connection may do.
    connection_errors = (*redis.Transport.connection_errors, RedisError)
