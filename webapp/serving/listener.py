"""The socket on which the pages are served: opened before anything else, and deaf before it is closed."""

import ctypes
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Final

from webapp.kernel.operator_errors import Misconfigured

_HANDSHAKE_SECONDS: Final = 0.05
"""How long the last packet of a handshake may take from the proxy, which is on the same host or near."""
# Linux, <asm/socket.h> and <linux/filter.h>. Python does not name them.
_ATTACH_FILTER: Final = 26
_LOAD_BYTE, _JUMP_IF_BITS, _RETURN = 0x30, 0x45, 0x06
_FLAGS_OFFSET, _SYN, _WHOLE = 13, 0x02, 0xFFFF
_DROP_SYN: Final = (
    (_LOAD_BYTE, 0, 0, _FLAGS_OFFSET),
    (_JUMP_IF_BITS, 0, 1, _SYN),
    (_RETURN, 0, 0, 0),
    (_RETURN, 0, 0, _WHOLE),
)
"""A classic BPF program: (operation, instructions to skip if true, if false, operand). It drops TCP packets with SYN (RFC 9293)."""


def listener_at(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address. Raises Misconfigured if it is not available."""
    try:
        return _bound_socket(host, port)
    except OSError as error:
        problem = (
            f"Lodepost cannot listen on {host} port {port}: {error.strerror}. "
            "Choose another with --port or LISTEN."
        )
        raise Misconfigured([problem]) from error


def _bound_socket(host: str, port: int) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def ignore_new_connections(listener: socket.socket) -> None:
    """Let no new connection begin, and let handshakes end that have begun: who accepts until none waits has accepted all.

    Without this, a connection that completes between the last ``accept`` and the close of the listener is reset, although
    its client may have sent a request. A client that is ignored tries again after a second: it finds the next server, or is
    refused. This counts for every process that listens on the socket. Elsewhere than on Linux it does nothing.
    """
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *step) for step in _DROP_SYN)
    )
    reference = struct.pack("HL", len(_DROP_SYN), ctypes.addressof(program))
    # A sandbox may not know filters.
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, reference)
        time.sleep(_HANDSHAKE_SECONDS)
