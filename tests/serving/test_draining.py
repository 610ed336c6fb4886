"""A web process hears that it should stop, and answers every request that reached it."""

import http.client
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from webapp.serving.listener import ignore_new_connections, listener_at
from webapp.serving.process import stop_signals
from webapp.serving.web import StopTimeouts, WebThread

REQUEST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
BODY = b"gold"
CLIENT_COUNT = 8
WAIT_SECONDS = 120
"""After that long, what a test waits for will not happen, however slow the machine is."""
needs_filters = pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters packets")


class SlowApp:
    """Answers what it was sent; at /slow only once it may."""

    def __init__(self) -> None:
        self.is_running = threading.Event()
        self.may_answer = threading.Event()

    def __call__(self, environ: dict[str, Any], answer: Callable[..., object]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        if environ["PATH_INFO"] == "/slow":
            self.is_running.set()
            assert self.may_answer.wait(WAIT_SECONDS)
        answer("200 OK", [("Content-Length", str(len(body)))])
        return [body]


@pytest.fixture
def app() -> SlowApp:
    return SlowApp()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with listener_at("127.0.0.1", 0) as listener:
        yield listener


@pytest.fixture
def web(app: SlowApp, listener: socket.socket) -> Iterator[WebThread]:
    with running_web(
        app, listener, StopTimeouts(finish=WAIT_SECONDS, shutdown=WAIT_SECONDS)
    ) as web:
        yield web


@contextmanager
def running_web(
    app: SlowApp, listener: socket.socket, timeouts: StopTimeouts
) -> Iterator[WebThread]:
    web = WebThread(app, listener, timeouts=timeouts)
    web.start()
    yield web
    if web.is_alive():
        web.stop()


@pytest.fixture
def connection(web: WebThread) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(web), timeout=WAIT_SECONDS)
    yield connection
    connection.close()


def port_of(web: WebThread) -> int:
    return int(web._server.effective_port)


def test_draining_process_is_unready_and_answers_requests(
    web: WebThread, connection: http.client.HTTPConnection
) -> None:
    connection.request("GET", "/readyz")
    with connection.getresponse() as response:
        assert (response.status, response.headers["Connection"]) == (200, None)
    web.drain()
    connection.request("GET", "/readyz")
    with connection.getresponse() as response:
        assert (response.status, response.headers["Connection"]) == (503, "close")
    connection.request("POST", "/", BODY)
    with connection.getresponse() as response:
        assert (response.read(), response.headers["Connection"]) == (BODY, "close")


def test_running_request_is_finished(
    web: WebThread, app: SlowApp, connection: http.client.HTTPConnection
) -> None:
    connection.request("POST", "/slow", BODY)
    assert app.is_running.wait(WAIT_SECONDS)
    stopping = threading.Thread(target=web.stop)
    stopping.start()
    wait_until_closed(web)
    app.may_answer.set()
    with connection.getresponse() as response:
        assert response.read() == BODY
    stopping.join()


def test_request_of_which_a_part_has_arrived_is_answered(web: WebThread) -> None:
    with socket.create_connection(("127.0.0.1", port_of(web)), timeout=WAIT_SECONDS) as connection:
        connection.sendall(REQUEST)
        stopping = threading.Thread(target=web.stop)
        stopping.start()
        wait_until_closed(web)
        connection.sendall(BODY)
        assert connection.makefile("rb").read().endswith(BODY)
        stopping.join()


def test_idle_connection_does_not_delay_the_end(
    web: WebThread, connection: http.client.HTTPConnection
) -> None:
    connection.request("POST", "/", BODY)
    with connection.getresponse() as response:
        assert response.read() == BODY
    web.stop()
    assert not web.is_alive()
    assert connection.sock is not None
    assert connection.sock.recv(1) == b""


def test_process_stops_although_descriptors_have_run_out(web: WebThread) -> None:
    with socket.socket() as client, no_free_descriptors():
        client.connect(("127.0.0.1", port_of(web)))
        web.stop()
        assert not web.is_alive()


def test_signal_is_heard_while_the_lock_of_the_event_is_held() -> None:
    with stop_signals() as stop_event:
        with stop_event._cond:
            signal.raise_signal(signal.SIGTERM)
        assert stop_event.wait(WAIT_SECONDS)


@needs_filters
def test_no_accepted_connection_is_left_without_an_answer(
    app: SlowApp, listener: socket.socket
) -> None:
    first_answers = [threading.Event() for _ in range(CLIENT_COUNT)]
    patient = StopTimeouts(*[WAIT_SECONDS] * 3)
    with ThreadPoolExecutor(CLIENT_COUNT) as pool, running_web(app, listener, patient) as web:
        clients = [pool.submit(post_until_refused, port_of(web), each) for each in first_answers]
        assert all(first_answer.wait(WAIT_SECONDS) for first_answer in first_answers)
        ignore_new_connections(listener)
        web.stop()
        for client in clients:
            client.result()


@needs_filters
def test_connection_that_begins_late_is_ignored(listener: socket.socket) -> None:
    listener.listen()
    with socket.create_connection(listener.getsockname(), timeout=WAIT_SECONDS) as client:
        ignore_new_connections(listener)
        with pytest.raises(TimeoutError):
            socket.create_connection(listener.getsockname(), timeout=0.3)
        served, _ = listener.accept()
        with served:
            client.sendall(REQUEST)
            assert served.recv(len(REQUEST), socket.MSG_WAITALL) == REQUEST
            served.sendall(BODY)
            assert client.recv(len(BODY), socket.MSG_WAITALL) == BODY


@contextmanager
def no_free_descriptors() -> Iterator[None]:
    """Let this process open nothing meanwhile."""
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The system gives out the lowest number that is free.
    with socket.socket() as probe:
        next_descriptor = probe.fileno()
    resource.setrlimit(resource.RLIMIT_NOFILE, (next_descriptor, hard_limit))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft_limit, hard_limit))


def post_until_refused(port: int, first_answer: threading.Event) -> None:
    """Send requests, each on a connection of its own, until none is accepted. AssertionError if one is left without an answer."""
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)
        except (ConnectionRefusedError, ConnectionResetError):
            # Reset before it was made, because the system stopped listening meanwhile: the process never saw it.
            return
        with connection:
            connection.sendall(REQUEST + BODY)
            # A connection that was reset raises.
            received = b""
            while not received.endswith(BODY):
                chunk = connection.recv(1000)
                assert chunk
                received += chunk
            first_answer.set()


def wait_until_closed(web: WebThread) -> None:
    """Wait until no connection is accepted any more."""
    port = port_of(web)
    with suppress(ConnectionRefusedError, ConnectionResetError):
        while True:
            socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS).close()
