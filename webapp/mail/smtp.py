"""Mails to a relay, over connections that are kept open between letters."""

import smtplib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final, NamedTuple

from webapp.mail.dialogue import (
    Refusal,
    forget,
    hand_over,
    hang_up,
    propose,
    unreachable_when_lost,
)
from webapp.mail.errors import Unreachable
from webapp.mail.parcel import RenderedEmail
from webapp.mail.relay import Relay, connect

HANDING_OVER: Final = 3
"""Answers that a letter waits for once it may have arrived: to RCPT, DATA and the end of the data."""
_KEPT_FOR: Final = 60.0
_RESTS_FOR: Final = 10.0
"""Seconds for which nobody tries to connect after somebody failed: four threads that wait for a dead relay do nothing else."""


class _Kept(NamedTuple):
    connection: smtplib.SMTP
    since: float


class SmtpTransport:
    """Hands messages to one relay. Threads share it; while a message is under way it has a connection to itself.

    ``clock`` gives seconds that never run backwards.
    """

    def __init__(
        self,
        relay: Relay,
        *,
        clock: Callable[[], float] = time.monotonic,
        connect: Callable[[Relay], smtplib.SMTP] = connect,
    ) -> None:
        self._relay = relay
        self._clock = clock
        self._connect = connect
        self._rests_until = float("-inf")
        self._lock = Lock()
        self._kept: list[_Kept] = []
        self._last_sender_only = False

    def send(self, parcel: RenderedEmail) -> None:
        """Return once the relay has answered 250. Raises Later, Unreachable, Unsure or Never."""
        senders = parcel.senders[-1:] if self._last_sender_only else parcel.senders
        try:
            self._send_as(senders[0], parcel)
        except Refusal as refusal:
            if len(senders) == 1 or not refusal.may_be_about_sender:
                raise refusal.for_the_letter() from refusal
            self._send_as_the_last(parcel, refusal)

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for connection, _ in kept:
            hang_up(connection)

    def _send_as_the_last(self, parcel: RenderedEmail, first: Refusal) -> None:
        """Some relays take mail from one address only; then bounces cannot name their letter."""
        try:
            self._send_as(parcel.senders[-1], parcel)
        except Refusal as second:
            raise first.for_the_letter() from second
        self._last_sender_only = True

    def _send_as(self, sender: str, parcel: RenderedEmail) -> None:
        connection = self._begin(sender, parcel)
        if not parcel.is_in_time():
            # The connection that took so long is there for the next try.
            if forget(connection):
                self._keep(connection)
            raise Unreachable("it took too long to come to the message")
        with self._in_good_order(connection):
            hand_over(connection, parcel.recipient, parcel.message)
        self._keep(connection)

    def _begin(self, sender: str, parcel: RenderedEmail) -> smtplib.SMTP:
        """A connection that has accepted the sender; a kept one may have died of waiting."""
        while (kept := self._take()) is not None:
            with suppress(Unreachable):
                return self._propose(kept, sender, parcel)
        return self._propose(self._fresh(), sender, parcel)

    def _fresh(self) -> smtplib.SMTP:
        if self._clock() < self._rests_until:
            raise Unreachable("there was no connection to be had a moment ago")
        try:
            with unreachable_when_lost():
                return self._connect(self._relay)
        except Unreachable:
            self._rests_until = self._clock() + _RESTS_FOR
            raise

    def _propose(
        self, connection: smtplib.SMTP, sender: str, parcel: RenderedEmail
    ) -> smtplib.SMTP:
        with self._in_good_order(connection):
            propose(connection, sender, size=len(parcel.message))
        return connection

    @contextmanager
    def _in_good_order(self, connection: smtplib.SMTP) -> Iterator[None]:
        """After a refusal the connection is kept for the next message; after anything else that fails it is closed."""
        try:
            yield
        except Refusal:
            if forget(connection):
                self._keep(connection)
            raise
        except BaseException:
            connection.close()
            raise

    def _take(self) -> smtplib.SMTP | None:
        oldest = self._clock() - _KEPT_FOR
        with self._lock:
            kept = self._kept.pop() if self._kept else None
        if kept is None or kept.since >= oldest:
            return kept and kept.connection
        hang_up(kept.connection)
        return self._take()

    def _keep(self, connection: smtplib.SMTP) -> None:
        with self._lock:
            self._kept.append(_Kept(connection, self._clock()))
