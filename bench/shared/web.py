"""Web servers to measure: `lodepost web` as started in production, and a bare one as the anchor."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from bench.shared.local_services import HOST, SECRET_KEY, free_port, is_listening, wait_until


class WebServer(NamedTuple):
    """A web server in its own process."""

    process: subprocess.Popen[bytes]
    port: int


def base_url(port: int) -> str:
    return f"http://{HOST}:{port}"


@contextmanager
def lodepost_web(url: str, redis_url: str, process_count: int) -> Iterator[WebServer]:
    """Run `lodepost web` with this database and this Redis, in so many processes."""
    port = free_port()
    module_arguments = ["webapp.cli", "web", "--port", str(port), "--processes", str(process_count)]
    with _running_server(port, module_arguments, environ(url, redis_url, port)) as web:
        yield web


@contextmanager
def bare_web(url: str, process_count: int = 1) -> Iterator[WebServer]:
    """Run a bare Flask application behind the same web server, in so many processes."""
    port = free_port()
    module_arguments = ["bench.peers.bare_flask", str(process_count)]
    bare_environ = {"DATABASE_URL": url, "LISTEN": f"{HOST}:{port}", "SECRET_KEY": SECRET_KEY}
    with _running_server(port, module_arguments, bare_environ) as web:
        yield web


def environ(url: str, redis_url: str, port: int) -> dict[str, str]:
    return {
        "DATABASE_URL": url,
        "REDIS_URL": redis_url,
        "SECRET_KEY": SECRET_KEY,
        "BASE_URL": base_url(port),
        "DRAIN_SECONDS": "0",
    }


@contextmanager
def _running_server(
    port: int, module_arguments: list[str], environ_variables: Mapping[str, str]
) -> Iterator[WebServer]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", *module_arguments],
        env={**os.environ, **environ_variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: process.poll() is not None or is_listening(port), module_arguments[0])
        if process.poll() is not None:
            raise RuntimeError(f"{module_arguments[0]} ended at once with {process.returncode}")
        yield WebServer(process, port)
    finally:
        process.terminate()
        process.wait()
