"""Run the web application with waitress in a thread of its own, which leaves no request without an answer when it stops."""

import resource
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, MultiSocketServer, create_server

from webapp.kernel import urls

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


_THREAD_COUNT = 8
_MAX_BODY_BYTES = 4 * 1024 * 1024
_CLOSE_INTERVAL_SECONDS = 0.02
_MAX_CONNECTIONS = 1000
_MIN_CONNECTIONS = 100
# File descriptors left for the database, the queue, logs and libraries.
_RESERVED_DESCRIPTORS = 200
_IDLE_TIMEOUT_SECONDS = 30
_CLEANUP_SECONDS = 5
_STOPPING_BODY: Final = b'{"ready": false, "stopping": true}\n'


def _descriptor_limit() -> int:
    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft_limit


def _connection_limit(descriptors: int) -> int:
    if descriptors == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    return max(_MIN_CONNECTIONS, min(_MAX_CONNECTIONS, descriptors - _RESERVED_DESCRIPTORS))


class StopTimeouts(NamedTuple):
    """How long a stopping server waits, in seconds."""

    first_request: float = 1.0
    """For the request of a connection that was just accepted."""
    finish: float = 10.0
    """For requests that have begun, and their responses."""
    shutdown: float = 5.0
    """For its own threads."""


class WebThread(threading.Thread):
    """Answers HTTP on a bound socket until ``stop`` is called."""

    def __init__(
        self,
        app: "WSGIApplication",
        listener: socket.socket,
        *,
        timeouts: StopTimeouts = StopTimeouts(),  # noqa: B008 - a constant
    ) -> None:
        super().__init__(name="web", daemon=True)
        self._timeouts = timeouts
        self._is_draining = threading.Event()
        server: BaseWSGIServer | MultiSocketServer = create_server(
            self._unready_while_draining(app),
            sockets=[listener],
            threads=_THREAD_COUNT,
            ident=None,
            max_request_body_size=_MAX_BODY_BYTES,
            # Until its request is complete, a connection needs a descriptor but no thread. At the limit no other
            # client is accepted, so the limit is high and idle connections are closed soon.
            connection_limit=_connection_limit(_descriptor_limit()),
            channel_timeout=_IDLE_TIMEOUT_SECONDS,
            cleanup_interval=_CLEANUP_SECONDS,
            # `select` does not support descriptors above 1023.
            asyncore_use_poll=True,
            # The application evaluates these headers itself: it trusts TRUSTED_PROXIES of them, and requests with
            # any of them are not local.
            clear_untrusted_proxy_headers=False,
        )
        # It has one socket.
        assert isinstance(server, BaseWSGIServer)
        server.channel_class = _closing_channel(self._is_draining)
        self._server: Any = server

    def run(self) -> None:
        self._server.run()

    def drain(self) -> None:
        """Answer every request, but say at /readyz that other processes should get the next ones."""
        self._is_draining.set()

    def stop(self) -> None:
        """Accept nothing more, finish the requests of the connections that are there, then close them."""
        self.drain()
        self._run_in_loop(lambda: _stop_accepting(self._server))
        gives_up_at = time.monotonic() + self._timeouts.finish
        while self._has_connections() and time.monotonic() < gives_up_at:
            self._run_in_loop(self._close_idle_connections)
            time.sleep(_CLOSE_INTERVAL_SECONDS)
        self._server.task_dispatcher.shutdown(timeout=self._timeouts.shutdown)
        # The loop of the thread ends when no connection is left, not even its trigger.
        self._run_in_loop(lambda: wasyncore.close_all(self._server._map))  # noqa: SLF001 (waitress offers no other way)
        self.join(self._timeouts.shutdown)

    def _close_idle_connections(self) -> None:
        """Close the connections that bring no request and owe no response."""
        channels = cast("dict[int, HTTPChannel]", self._server.active_channels)
        for channel in list(channels.values()):
            if not _is_busy(channel, self._timeouts.first_request):
                channel.handle_close()

    def _has_connections(self) -> bool:
        return bool(self._server.active_channels) and self.is_alive()

    def _run_in_loop(self, function: Callable[[], None]) -> None:
        """Run a function in the thread of the loop, and wait for its end if that thread is running."""
        is_done = threading.Event()

        def run() -> None:
            try:
                function()
            finally:
                is_done.set()

        self._server.trigger.pull_trigger(run)
        if self.is_alive():
            is_done.wait(self._timeouts.shutdown)

    def _unready_while_draining(self, app: "WSGIApplication") -> "WSGIApplication":
        def application(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
            if self._is_draining.is_set() and environ.get("PATH_INFO") == urls.readiness_probe():
                headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
                start("503 Service Unavailable", headers)
                return [_STOPPING_BODY]
            return app(environ, start)

        return application


def _closing_channel(is_draining: threading.Event) -> type[HTTPChannel]:
    """Return a class of connections that are closed after their next response once the server drains."""

    class ClosingChannel(HTTPChannel):
        def service(self) -> None:
            if is_draining.is_set():
                headers = cast("dict[str, str]", self.requests[0].headers)
                headers["CONNECTION"] = "close"
            super().service()

    return ClosingChannel


def _stop_accepting(server: BaseWSGIServer) -> None:
    """Accept the connections that wait already, then close the listening socket: the kernel resets those that it has accepted and we have not."""
    # The server's own method would also close the trigger with which other threads wake the loop.
    server.del_channel()
    listener = server.socket
    assert listener is not None
    while True:
        try:
            connection, address = listener.accept()
        except ConnectionAbortedError:
            continue
        except OSError:
            # None waits, or there are descriptors for no more.
            break
        # Otherwise the client has gone already.
        with suppress(OSError):
            server.set_socket_options(connection)
            server.channel_class(server, connection, address, server.adj, map=vars(server)["_map"])
    listener.close()


def _is_busy(channel: HTTPChannel, first_request_seconds: float) -> bool:
    is_receiving = channel.request is not None or _has_unread_bytes(channel.socket)
    is_answering = bool(channel.requests or channel.total_outbufs_len)
    is_unused = channel.last_activity == channel.creation_time
    is_new = is_unused and time.time() - channel.creation_time < first_request_seconds
    return is_receiving or is_answering or is_new


def _has_unread_bytes(connection: socket.socket | None) -> bool:
    if connection is not None:
        with suppress(OSError):
            return bool(connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    return False
