"""`lodepost web --processes`: several processes at one address, which replace each other and lose no request."""

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import RemoteDisconnected
from subprocess import Popen

import psutil
import pytest

from tests.commands.test_processes import (
    STOP_SECONDS,
    UNREACHABLE_REDIS_URL,
    fetch_page,
    web_server,
)
from webapp.kernel import urls

COUNT_LINE = (
    'lodepost_request_seconds_count{endpoint="about.show_about",method="GET",status="200"} '
)


@pytest.fixture
def server(database_url: str) -> Iterator[tuple[Popen[str], str]]:
    environ = {
        "DATABASE_URL": database_url,
        "SECRET_KEY": "k" * 32,
        "REDIS_URL": UNREACHABLE_REDIS_URL,
        "DRAIN_SECONDS": "0",
    }
    with web_server("web", "--processes=2", **environ) as (process, address):
        # Listening begins before the processes are forked.
        wait_for_web_processes(process)
        yield process, address


def wait_for_web_processes(parent: Popen[str], *, without: int = 0) -> list[psutil.Process]:
    """Return both; the one beside them that writes log lines has a single thread."""
    give_up_at = time.monotonic() + STOP_SECONDS
    while time.monotonic() < give_up_at:
        children = psutil.Process(parent.pid).children()
        web_processes = [
            child
            for child in children
            if child.pid != without
            and child.status() != psutil.STATUS_ZOMBIE
            and child.num_threads() > 1
        ]
        if len(web_processes) == 2:
            return web_processes
        time.sleep(0.05)
    pytest.fail("there were never two web processes")


def test_killed_process_is_replaced_and_what_it_counted_is_kept(
    server: tuple[Popen[str], str],
) -> None:
    process, address = server
    for _ in range(20):
        assert fetch_page(address + urls.about())[0] == 200
    killed_process = wait_for_web_processes(process)[0]
    killed_process.kill()
    wait_for_web_processes(process, without=killed_process.pid)
    assert COUNT_LINE + "20.0" in fetch_page(address + urls.metrics())[1].splitlines()


def test_stop_answers_every_request_that_was_accepted(server: tuple[Popen[str], str]) -> None:
    process, address = server
    children = psutil.Process(process.pid).children()
    with ThreadPoolExecutor() as executor:
        results = [executor.submit(request_until_refused, address + urls.about()) for _ in range(4)]
        assert fetch_page(address + urls.about())[0] == 200
        process.terminate()
        assert [result.result() for result in results] == [None] * 4
    assert process.wait(STOP_SECONDS) == 0
    assert psutil.wait_procs(children, timeout=STOP_SECONDS)[1] == []


def request_until_refused(address: str) -> str | None:
    """Request a page until nothing listens any more; return how a request failed that had been accepted."""
    while True:
        try:
            with urllib.request.urlopen(address, timeout=STOP_SECONDS) as answer:
                answer.read()
        except urllib.error.URLError as error:
            return None if isinstance(error.reason, ConnectionRefusedError) else str(error.reason)
        except (ConnectionResetError, RemoteDisconnected) as error:
            return repr(error)


def test_processes_end_with_their_parent(server: tuple[Popen[str], str]) -> None:
    process, _ = server
    children = psutil.Process(process.pid).children()
    process.kill()
    assert psutil.wait_procs(children, timeout=STOP_SECONDS)[1] == []
