"""Client processes with open connections, which send prepared bytes: one request after another, or each at its time.

Requests at their times are an open loop: they come no later because the server is slow, and what they take counts from when they
were to be sent.
"""

import multiprocessing
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from bench.shared.interleaving import LoadResult, quantile
from bench.shared.local_services import HOST

_PROCESS_COUNT = 2
_RECEIVE_BYTES = 65_536
_TIMEOUT_SECONDS = 30.0
_OPEN_LOOP_CONNECTION_COUNT = 48
_SECONDS_UNTIL_BEGIN = 0.05
_CONTENT_LENGTH_PATTERN = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)

Requests = Sequence[bytes]


class TimedRequest(NamedTuple):
    """A request to be sent this many seconds after the beginning."""

    at: float
    request: bytes


class ClientResult(NamedTuple):
    """One client's results: when it began and ended, and seconds and status of each request."""

    began_at: float
    ended_at: float
    seconds: list[float]
    statuses: list[int]


@contextmanager
def client_processes() -> Iterator[list[Connection]]:
    """Start client processes that wait for requests to send."""
    spawn_context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        pipes = []
        for _ in range(_PROCESS_COUNT):
            parent_end, child_end = multiprocessing.Pipe()
            process = spawn_context.Process(target=_serve, args=(child_end,), daemon=True)
            process.start()
            stack.callback(process.kill)
            pipes.append(parent_end)
        yield pipes


def load(
    pipes: Sequence[Connection],
    port: int,
    requests_by_client: Sequence[Requests],
    expected_status: int,
) -> LoadResult:
    """Let one client per share send its requests, all at once; every response must have the wanted status."""
    outcomes = list(run_clients(pipes, port, requests_by_client))
    unexpected_statuses = [
        status for outcome in outcomes for status in outcome.statuses if status != expected_status
    ]
    if unexpected_statuses:
        raise RuntimeError(
            f"{len(unexpected_statuses)} of the requests were answered with {set(unexpected_statuses)}"
        )
    seconds = [request_seconds for outcome in outcomes for request_seconds in outcome.seconds]
    total_seconds = max(outcome.ended_at for outcome in outcomes) - min(
        outcome.began_at for outcome in outcomes
    )
    return LoadResult(len(seconds) / total_seconds, quantile(seconds, 0.5), quantile(seconds, 0.99))


def run_clients(
    pipes: Sequence[Connection], port: int, requests_by_client: Sequence[Requests]
) -> Iterator[ClientResult]:
    """Let each client send its requests, one after another."""
    return _run_shares(pipes, port, _send_all, requests_by_client)


def send_on_time(
    pipes: Sequence[Connection], port: int, timed_requests: Sequence[TimedRequest]
) -> list[tuple[float, int]]:
    """Send requests at their times; return the seconds and the status of each, in order."""
    connection_count = min(_OPEN_LOOP_CONNECTION_COUNT, len(timed_requests))
    indices_by_connection = [
        range(number, len(timed_requests), connection_count) for number in range(connection_count)
    ]
    shares = [[timed_requests[index] for index in indices] for indices in indices_by_connection]
    outcomes: dict[int, tuple[float, int]] = {}
    # One process after another comes with all of its shares.
    for number, result in zip(
        _share_order(len(shares), len(pipes)),
        _run_shares(pipes, port, _send_all_on_time, shares),
        strict=True,
    ):
        outcomes |= zip(
            indices_by_connection[number],
            zip(result.seconds, result.statuses, strict=True),
            strict=True,
        )
    return [outcomes[index] for index in range(len(timed_requests))]


def _share_order(share_count: int, process_count: int) -> Iterator[int]:
    for number in range(process_count):
        yield from range(number, share_count, process_count)


def _run_shares(
    pipes: Sequence[Connection],
    port: int,
    send: Callable[[socket.socket, Any, float], ClientResult],
    shares: Sequence[Any],
) -> Iterator[ClientResult]:
    used_pipes = pipes[: len(shares)]
    for number, pipe in enumerate(used_pipes):
        pipe.send((port, send, shares[number :: len(used_pipes)]))
    for pipe in used_pipes:
        pipe.recv()
    begins_at = time.monotonic() + _SECONDS_UNTIL_BEGIN
    for pipe in used_pipes:
        pipe.send(begins_at)
    for pipe in used_pipes:
        yield from pipe.recv()


def _serve(pipe: Connection) -> None:
    while True:
        port, send, shares = pipe.recv()
        with ExitStack() as stack, ThreadPoolExecutor(len(shares)) as thread_pool:
            sockets = [stack.enter_context(_connect(port)) for _ in shares]
            pipe.send("ready")
            begins_at = pipe.recv()
            pipe.send(list(thread_pool.map(partial(send, begins_at=begins_at), sockets, shares)))


def _connect(port: int) -> socket.socket:
    connection = socket.create_connection((HOST, port), timeout=_TIMEOUT_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _send_all(connection: socket.socket, requests: Requests, begins_at: float) -> ClientResult:
    seconds, statuses = [], []
    _sleep_until(begins_at)
    began_at = time.monotonic()
    for request in requests:
        started_at = time.perf_counter()
        statuses.append(_send_request(connection, request))
        seconds.append(time.perf_counter() - started_at)
    return ClientResult(began_at, time.monotonic(), seconds, statuses)


def _send_all_on_time(
    connection: socket.socket, timed_requests: Sequence[TimedRequest], begins_at: float
) -> ClientResult:
    seconds, statuses = [], []
    for at, request in timed_requests:
        _sleep_until(begins_at + at)
        statuses.append(_send_request(connection, request))
        seconds.append(time.monotonic() - begins_at - at)
    return ClientResult(begins_at, time.monotonic(), seconds, statuses)


def _sleep_until(instant: float) -> None:
    time.sleep(max(0.0, instant - time.monotonic()))


def _send_request(connection: socket.socket, request: bytes) -> int:
    """Send one request, read the whole response and return its status."""
    connection.sendall(request)
    response = b""
    while b"\r\n\r\n" not in response:
        response += _receive_bytes(connection)
    response_head, _, body = response.partition(b"\r\n\r\n")
    content_length = _CONTENT_LENGTH_PATTERN.search(response_head)
    remaining_bytes = (int(content_length[1]) if content_length else 0) - len(body)
    while remaining_bytes > 0:
        remaining_bytes -= len(_receive_bytes(connection))
    return int(response_head[9:12])


def _receive_bytes(connection: socket.socket) -> bytes:
    received = connection.recv(_RECEIVE_BYTES)
    if not received:
        raise ConnectionError("the server has closed the connection")
    return received
