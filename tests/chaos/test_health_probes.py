"""The probes notice a server that looks healthy while its database takes no changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from tests.chaos.health_probes import HealthProbes


@contextmanager
def running_site(status: int) -> Iterator[str]:
    """Yield the address of a server that answers every request with this status."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_probes_find_a_server_that_looks_healthy_while_nothing_can_be_changed() -> None:
    with running_site(503) as sick_site, running_site(200) as healthy_site:
        sick_probes = HealthProbes([sick_site], delay_seconds=0)
        healthy_probes = HealthProbes([healthy_site], delay_seconds=0)
        for probes in (sick_probes, healthy_probes):
            probes.check_unavailable(lambda: True, "disk full")
            probes.expect_soon(503, "disk full")
    assert (sick_probes.unavailable_count, sick_probes.wrong_answers) == (2, [])
    assert healthy_probes.wrong_answers == [
        "/readyz answered 200 during: disk full",
        "/healthz answered 200 during: disk full",
        "no 503 within 0 s: disk full",
    ]
