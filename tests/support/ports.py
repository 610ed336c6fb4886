"""Free TCP ports for servers that tests start."""

import socket


def free_port() -> int:
    """Return a port on 127.0.0.1 that no process is using."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
