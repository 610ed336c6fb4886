"""The connections of a waitress server that stops: none may be accepted and then left without an answer.

The kernel resets connections that it has accepted and the process has not. So the server accepts all that wait and closes its
socket in one step, during which no other thread of the process can run.

Everything but the threads of requests runs in the thread of the server's loop.
"""

import ctypes
import socket
import threading
import time
from contextlib import suppress
from typing import Final, cast

from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer

_FIRST_REQUEST_SECONDS: Final = 1.0
"""A connection that was just accepted is about to bring a request."""


def closing_channel(is_draining: threading.Event) -> type[HTTPChannel]:
    """Return a class of connections that are closed after their next response once the server drains."""

    class ClosingChannel(HTTPChannel):
        def service(self) -> None:
            if is_draining.is_set():
                headers = cast("dict[str, str]", self.requests[0].headers)
                headers["CONNECTION"] = "close"
            super().service()

    return ClosingChannel


def stop_accepting(server: BaseWSGIServer) -> None:
    """Accept the connections that wait already, then close the listening socket, which would reset them."""
    # The server's own method would also close the trigger with which other threads wake the loop.
    server.del_channel()
    listener = server.socket
    assert listener is not None
    descriptor = listener.detach()
    while (connection := _accept_or_close(descriptor)) is not None:
        try:
            server.set_socket_options(connection)
            address = connection.getpeername()
        except OSError:  # The client has gone already.
            connection.close()
        else:
            server.channel_class(server, connection, address, server.adj, map=vars(server)["_map"])


def _accept_or_close(descriptor: int) -> socket.socket | None:
    """Return the next connection that waits, or close the descriptor of the listening socket.

    Python's own functions let other threads run, for milliseconds, between looking and closing; these do not.
    """
    libc = ctypes.PyDLL(None)
    accepted_descriptor = libc.accept(descriptor, None, None)
    if accepted_descriptor < 0:
        libc.close(descriptor)
        return None
    return socket.socket(fileno=accepted_descriptor)


def close_idle_connections(server: BaseWSGIServer) -> None:
    """Close the connections that bring no request and owe no response."""
    channels = cast("dict[int, HTTPChannel]", server.active_channels)
    for channel in list(channels.values()):
        if not _is_busy(channel):
            channel.handle_close()


def _is_busy(channel: HTTPChannel) -> bool:
    is_receiving = channel.request is not None or _has_unread_bytes(channel.socket)
    is_answering = bool(channel.requests or channel.total_outbufs_len)
    return is_receiving or is_answering or _is_new(channel)


def _is_new(channel: HTTPChannel) -> bool:
    is_unused = channel.last_activity == channel.creation_time
    return is_unused and time.time() - channel.creation_time < _FIRST_REQUEST_SECONDS


def _has_unread_bytes(connection: socket.socket | None) -> bool:
    if connection is not None:
        with suppress(OSError):
            return bool(connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    return False
