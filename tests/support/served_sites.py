"""Sites with a fake clock, served to real browsers from a thread of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from werkzeug.serving import make_server

from tests.support.visitors import Site


@contextmanager
def server_address(site: Site) -> Iterator[str]:
    """Serve a site from a thread; yield its address."""
    server = make_server("127.0.0.1", 0, site.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()
