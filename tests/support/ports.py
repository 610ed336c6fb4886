"""TCP ports for servers that tests start, each for one test run on this machine."""

import fcntl
import os
import secrets
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_MIN_PORT: Final = 10_000
_MAX_PORT: Final = 20_000
"""The highest port: below those that embedded servers choose, and those that systems give to outgoing connections."""
_HOST: Final = "127.0.0.1"


def free_port() -> int:
    """Return a port that nothing uses, and that no other process of tests gets while this one runs.

    A server may need seconds until it listens: meanwhile a port that is only free now is easily given to another.
    """
    while True:
        port = _MIN_PORT + secrets.randbelow(_MAX_PORT - _MIN_PORT)
        with suppress(OSError), socket.socket() as probe:
            _reserve(port)
            probe.bind((_HOST, port))
            return port


def _reserve(port: int) -> None:
    """Lock the file of a port until this process ends. Raises OSError if another process has locked it."""
    folder = Path(tempfile.gettempdir()) / f"lodepost-test-ports-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder / str(port), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
