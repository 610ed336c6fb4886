"""Run the web application with waitress in a thread of its own."""

import resource
import socket
import threading
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.server import create_server

from webapp.operator_errors import Misconfigured

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_THREAD_COUNT = 8
_MAX_BODY_BYTES = 4 * 1024 * 1024
_SHUTDOWN_TIMEOUT_SECONDS = 5.0
_MAX_CONNECTIONS = 1000
_MIN_CONNECTIONS = 100
# File descriptors left for the database, the queue, logs and libraries.
_RESERVED_DESCRIPTORS = 200
_IDLE_TIMEOUT_SECONDS = 30
_CLEANUP_SECONDS = 5


def listener_at(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address. Raises Misconfigured if it is not available."""
    try:
        return _bound_socket(host, port)
    except OSError as error:
        problem = (
            f"Lodepost cannot listen on {host} port {port}: {error.strerror}. "
            "Choose another with --port or LISTEN."
        )
        raise Misconfigured([problem]) from error


def _bound_socket(host: str, port: int) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def _descriptor_limit() -> int:
    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft_limit


def _connection_limit(descriptors: int) -> int:
    if descriptors == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    return max(_MIN_CONNECTIONS, min(_MAX_CONNECTIONS, descriptors - _RESERVED_DESCRIPTORS))


class WebThread(threading.Thread):
    """Answers HTTP on a bound socket until ``stop`` is called."""

    def __init__(self, app: "WSGIApplication", listener: socket.socket) -> None:
        super().__init__(name="web", daemon=True)
        self._server: Any = create_server(
            app,
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

    def run(self) -> None:
        self._server.run()

    def stop(self) -> None:
        """Finish the running requests, then close every connection."""
        self._server.task_dispatcher.shutdown(timeout=_SHUTDOWN_TIMEOUT_SECONDS)
        self._server.trigger.pull_trigger(self._close_server)
        self.join(_SHUTDOWN_TIMEOUT_SECONDS)

    def _close_server(self) -> None:
        # The loop of the thread ends when no connection is left.
        wasyncore.close_all(self._server._map)  # noqa: SLF001 (waitress offers no other way)
