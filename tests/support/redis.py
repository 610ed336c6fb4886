"""A Redis for one test, and settings that use it."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.ports import free_port
from tests.support.required_programs import redis_server
from webapp.kernel.config import Settings, settings_from

SECRET_KEY = "a key of tests, thirty-two bytes"
"""The key with which `factories` makes the tokens of emails that real processes send."""


def settings(**environ: str) -> Settings:
    defaults = {"DATABASE_URL": "postgresql://none@127.0.0.1:9/none", "SECRET_KEY": SECRET_KEY}
    return settings_from(defaults | environ)


def wait_until(condition: Callable[[], bool], *, timeout: float = 600) -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.02)


@contextmanager
def running_redis(folder: Path, port: int | None = None) -> Iterator[str]:
    """Yield the URL of a Redis that stores nothing on disk."""
    program, port = redis_server(), port or free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: _is_answering(port))
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.kill()


def _is_answering(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
