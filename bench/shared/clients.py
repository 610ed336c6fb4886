"""Client processes: each keeps a connection open and sends prepared bytes, one request after another."""

import multiprocessing
import re
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple

from bench.shared.interleaving import LoadResult, quantile
from bench.shared.local_services import HOST

_PROCESSES = 2
_RECEIVE_BYTES = 65_536
_TIMEOUT = 30.0
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)

Requests = Sequence[bytes]


class ClientResult(NamedTuple):
    """One client's results: when it began and ended, and seconds and status of each request."""

    begun: float
    ended: float
    seconds: list[float]
    statuses: list[int]


@contextmanager
def client_processes() -> Iterator[list[Connection]]:
    """Start client processes that wait for requests to send."""
    spawning = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        pipes = []
        for _ in range(_PROCESSES):
            parent_end, child_end = multiprocessing.Pipe()
            process = spawning.Process(target=_serve, args=(child_end,), daemon=True)
            process.start()
            stack.callback(process.kill)
            pipes.append(parent_end)
        yield pipes


def load(
    pipes: Sequence[Connection], port: int, shares: Sequence[Requests], want: int
) -> LoadResult:
    """Let one client per share send its requests, all at once; every response must have the wanted status."""
    outcomes = list(run_clients(pipes, port, shares))
    refused = [status for one in outcomes for status in one.statuses if status != want]
    if refused:
        raise RuntimeError(f"{len(refused)} of the requests were answered with {set(refused)}")
    seconds = [each for one in outcomes for each in one.seconds]
    lasted = max(one.ended for one in outcomes) - min(one.begun for one in outcomes)
    return LoadResult(len(seconds) / lasted, quantile(seconds, 0.5), quantile(seconds, 0.99))


def run_clients(
    pipes: Sequence[Connection], port: int, shares: Sequence[Requests]
) -> Iterator[ClientResult]:
    busy = pipes[: len(shares)]
    for number, pipe in enumerate(busy):
        pipe.send((port, shares[number :: len(busy)]))
    for pipe in busy:
        pipe.recv()
    for pipe in busy:
        pipe.send("go")
    for pipe in busy:
        yield from pipe.recv()


def _serve(pipe: Connection) -> None:
    while True:
        port, shares = pipe.recv()
        with ExitStack() as stack, ThreadPoolExecutor(len(shares)) as threads:
            sockets = [stack.enter_context(_connected(port)) for _ in shares]
            pipe.send("ready")
            pipe.recv()
            pipe.send(list(threads.map(_send_all, sockets, shares)))


def _connected(port: int) -> socket.socket:
    connection = socket.create_connection((HOST, port), timeout=_TIMEOUT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _send_all(connection: socket.socket, requests: Requests) -> ClientResult:
    seconds, statuses = [], []
    begun = time.monotonic()
    for request in requests:
        started_at = time.perf_counter()
        statuses.append(_ask(connection, request))
        seconds.append(time.perf_counter() - started_at)
    return ClientResult(begun, time.monotonic(), seconds, statuses)


def _ask(connection: socket.socket, request: bytes) -> int:
    """Send one request, read the whole response and return its status."""
    connection.sendall(request)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += _receive(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    left = (int(length[1]) if length else 0) - len(body)
    while left > 0:
        left -= len(_receive(connection))
    return int(head[9:12])


def _receive(connection: socket.socket) -> bytes:
    piece = connection.recv(_RECEIVE_BYTES)
    if not piece:
        raise ConnectionError("the server has closed the connection")
    return piece
