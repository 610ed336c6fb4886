"""The web application behind waitress, in a thread of its own."""

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
