"""The Postgres and the Redis to measure on, started for one run; Postgres is as durable as in `lodepost serve`."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.shared.result_rows import MissingRequirement
from webapp.embedded import server
from webapp.kernel.config import Settings, settings_from
from webapp.operations.queries.migrate import upgrade_schema

SECRET_KEY = "a key of measurements, and long enough"
HOST = "127.0.0.1"
# Durability is unchanged; there is only no checkpoint within a round, because it would rewrite whole pages.
_NO_CHECKPOINT_SETTINGS = {"checkpoint_timeout": "1h", "max_wal_size": "16GB"}
_START_TIMEOUT = 60.0


@contextmanager
def running_server() -> Iterator[server.Server]:
    """Run an embedded Postgres in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="lodepost-bench-") as folder:
        postgres_server = server.start(Path(folder), settings=_NO_CHECKPOINT_SETTINGS)
        try:
            yield postgres_server
        finally:
            postgres_server.stop()


@contextmanager
def running_database() -> Iterator[str]:
    """Yield the URL of a new database with the newest schema."""
    with running_server() as started_server:
        started_server.ensure_database("bench")
        upgrade_schema(started_server.url_of("bench"))
        yield started_server.url_of("bench")


@contextmanager
def running_redis() -> Iterator[str]:
    """Yield the URL of a Redis that stores nothing on disk."""
    program = shutil.which("redis-server")
    if program is None:
        raise MissingRequirement("there is no redis-server")
    port = free_port()
    command = ["--bind", HOST, "--port", str(port), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen([program, *command], stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: is_listening(port), "Redis")
        yield f"redis://{HOST}:{port}/0"
    finally:
        process.terminate()
        process.wait()


def settings_for(url: str, **environ: str) -> Settings:
    """Return the settings of a server on this database."""
    return settings_from({"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY, **environ})


def libpq_url(url: str) -> str:
    """Return the URL in the form that libpq and psycopg take."""
    return url.replace("postgresql+psycopg://", "postgresql://")


def autocommit_connection(url: str) -> psycopg.Connection:
    """Open a connection that commits each statement."""
    return psycopg.connect(libpq_url(url), autocommit=True)


def free_port() -> int:
    with socket.socket() as probe_socket:
        probe_socket.bind((HOST, 0))
        return int(probe_socket.getsockname()[1])


def is_listening(port: int) -> bool:
    with socket.socket() as probe_socket:
        return probe_socket.connect_ex((HOST, port)) == 0


def wait_until(condition: Callable[[], object], server_name: str) -> None:
    """Wait until a condition holds. Raises TimeoutError after a minute."""
    deadline = time.monotonic() + _START_TIMEOUT
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{server_name} did not come up")
        time.sleep(0.01)
