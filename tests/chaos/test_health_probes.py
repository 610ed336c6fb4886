"""The probes notice a server that looks healthy while its database takes no changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

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


@pytest.mark.parametrize(
    "status, unavailable_count, wrong_answers",
    [
        (503, 2, []),
        (
            200,
            0,
            ["/readyz answered 200 during: disk full", "/healthz answered 200 during: disk full"],
        ),
        (
            500,
            0,
            ["/readyz answered 500 during: disk full", "/healthz answered 500 during: disk full"],
        ),
    ],
)
def test_every_answer_but_503_is_wrong_while_nothing_can_be_changed(
    status: int, unavailable_count: int, wrong_answers: list[str]
) -> None:
    with running_site(status) as address:
        probes = HealthProbes([address])
        probes.check_unavailable(lambda: True, "disk full")
    assert probes.unavailable_count == unavailable_count
    assert probes.wrong_answers == wrong_answers


def test_answer_is_not_judged_if_the_database_takes_changes_again() -> None:
    with running_site(200) as address:
        probes = HealthProbes([address])
        probes.check_unavailable(iter([True, False]).__next__, "disk full")
    assert probes.wrong_answers == []


def test_expected_answer_that_comes_is_not_wrong() -> None:
    with running_site(200) as address:
        probes = HealthProbes([address])
        probes.expect_soon(200, "disk full")
    assert probes.wrong_answers == []


def test_expected_answer_that_never_comes_is_wrong() -> None:
    with running_site(200) as address:
        probes = HealthProbes([address], delay_seconds=0)
        probes.expect_soon(503, "disk full")
    assert probes.wrong_answers == ["no 503 within 0 s: disk full"]
