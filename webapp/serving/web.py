"""The web application behind waitress, in a thread of its own."""

import resource
import socket
import threading
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.server import create_server

from webapp.config import Misconfigured

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_THREADS = 8
_LARGEST_BODY = 4 * 1024 * 1024
_LAST_REQUESTS = 5.0
_MOST_CONNECTIONS = 1000
_FEWEST_CONNECTIONS = 100
# The database, the queue, logs and libraries want descriptors too.
_OWN_FILES = 200
_LONGEST_SILENCE = 30
_LOOK_FOR_SILENT = 5


def listener_at(host: str, port: int) -> socket.socket:
    """Take the address; raise Misconfigured with the reason when it cannot be had."""
    try:
        return _bound(host, port)
    except OSError as refusal:
        problem = (
            f"Lodepost cannot listen at {host} port {port}: {refusal.strerror}. "
            "Choose another with --port or LISTEN."
        )
        raise Misconfigured([problem]) from refusal


def _bound(host: str, port: int) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def _descriptors() -> int:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return allowed


def _room_for_connections(allowed: int) -> int:
    if allowed == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(_FEWEST_CONNECTIONS, min(_MOST_CONNECTIONS, allowed - _OWN_FILES))


class WebThread(threading.Thread):
    """Answers HTTP at a bound socket until `stop`."""

    def __init__(self, app: "WSGIApplication", listener: socket.socket) -> None:
        super().__init__(name="web", daemon=True)
        self._server: Any = create_server(
            app,
            sockets=[listener],
            threads=_THREADS,
            ident=None,
            max_request_body_size=_LARGEST_BODY,
            # A connection costs a descriptor and no thread until its request has come whole; at the limit
            # nobody else is heard, so there is room for many, and none may be silent for long.
            connection_limit=_room_for_connections(_descriptors()),
            channel_timeout=_LONGEST_SILENCE,
            cleanup_interval=_LOOK_FOR_SILENT,
            # `select` knows no descriptor above 1023.
            asyncore_use_poll=True,
            # The application itself judges these headers: it trusts TRUSTED_PROXIES of them, and
            # the mailbox hides from whoever sends one.
            clear_untrusted_proxy_headers=False,
        )

    def run(self) -> None:
        self._server.run()

    def stop(self) -> None:
        """Finish what is being answered, then close every connection."""
        self._server.task_dispatcher.shutdown(timeout=_LAST_REQUESTS)
        self._server.trigger.pull_trigger(self._close)
        self.join(_LAST_REQUESTS)

    def _close(self) -> None:
        # With nothing left to watch, the loop of the thread ends.
        wasyncore.close_all(self._server._map)  # noqa: SLF001 (waitress offers no other way)
