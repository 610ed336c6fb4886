"""Sites with a fake clock, served to real browsers from a thread of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from werkzeug.serving import make_server

from tests.support.visitors import Site

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


@contextmanager
def server_address(site: Site) -> Iterator[str]:
    """Serve a site from a thread; yield its address."""
    server = make_server("127.0.0.1", 0, _closing(site.app), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


def _closing(app: "WSGIApplication") -> "WSGIApplication":
    """Return the application with answers that are read and closed before they are sent.

    Werkzeug's server never closes an answer whose browser has gone meanwhile, and the open file would fail another test.
    """

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> list[bytes]:
        body = app(environ, start_response)
        try:
            return [b"".join(body)]
        finally:
            if hasattr(body, "close"):
                body.close()

    return answer
