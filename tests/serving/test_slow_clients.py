"""Idle and slow connections do not block other clients."""

import resource
import socket
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from webapp.serving.listener import listener_at
from webapp.serving.web import WebThread, _connection_limit

HALF_A_REQUEST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\na"


def app(_: dict[str, Any], answer: Callable[..., object]) -> Iterable[bytes]:
    answer("200 OK", [("Content-Length", "4")])
    return [b"gold"]


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    listener = listener_at("127.0.0.1", 0)
    web = WebThread(app, listener)
    web.start()
    yield listener.getsockname()
    web.stop()


@pytest.mark.parametrize("sent_bytes", [b"", HALF_A_REQUEST])
def test_many_slow_connections_do_not_block_another(
    address: tuple[str, int], sent_bytes: bytes
) -> None:
    slow_connections: list[socket.socket] = []
    with ExitStack() as stack:
        for _ in range(150):
            slow_connection = stack.enter_context(socket.create_connection(address))
            slow_connection.sendall(sent_bytes)
            slow_connections.append(slow_connection)
        with urllib.request.urlopen(f"http://{address[0]}:{address[1]}/") as answer:
            assert answer.read() == b"gold"
        # It was not answered because the others had been closed.
        assert not any(map(is_closed, slow_connections))


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server has closed a connection on which it has sent nothing."""
    try:
        return connection.recv(1, socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False


@pytest.mark.parametrize(
    "descriptors, limit", [(1024, 824), (4096, 1000), (256, 100), (resource.RLIM_INFINITY, 1000)]
)
def test_connection_limit_follows_the_limit_of_descriptors(descriptors: int, limit: int) -> None:
    assert _connection_limit(descriptors) == limit
