"""Where it is measured: a Postgres of our own as durable as that of `lodepost serve`, and a Redis of our own."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.shared.rows import Missing
from webapp.config import Settings, settings_from
from webapp.embedded import server
from webapp.store.operations.migrate import upgrade

SECRET_KEY = "a key of measurements, and long enough"
HOST = "127.0.0.1"
# Nothing that takes durability away; only no checkpoint amid a round, which would rewrite whole pages.
_STEADY = {"checkpoint_timeout": "1h", "max_wal_size": "16GB"}
_PATIENCE = 60.0


@contextmanager
def running_server() -> Iterator[server.Server]:
    """An embedded Postgres in a folder of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lodepost-bench-") as folder:
        running = server.start(Path(folder), settings=_STEADY)
        try:
            yield running
        finally:
            running.stop()


@contextmanager
def running_database() -> Iterator[str]:
    """The URL of a new database at the newest schema."""
    with running_server() as running:
        running.ensure_database("bench")
        upgrade(running.url_of("bench"))
        yield running.url_of("bench")


@contextmanager
def running_redis() -> Iterator[str]:
    """The URL of a Redis that keeps nothing."""
    program = shutil.which("redis-server")
    if program is None:
        raise Missing("there is no redis-server")
    port = free_port()
    words = ["--bind", HOST, "--port", str(port), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL)
    try:
        until(lambda: listens_at(port), "Redis")
        yield f"redis://{HOST}:{port}/0"
    finally:
        process.terminate()
        process.wait()


def settings_for(url: str, **given: str) -> Settings:
    """Settings as the environment of a server at this database would give them."""
    return settings_from({"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY, **given})


def plainly(url: str) -> str:
    """The URL as Postgres's own programs and psycopg know it."""
    return url.replace("postgresql+psycopg://", "postgresql://")


def connected(url: str) -> psycopg.Connection:
    """A plain connection that commits each statement."""
    return psycopg.connect(plainly(url), autocommit=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def listens_at(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def until(holds: object, what: str) -> None:
    """Wait for something to be so; raise TimeoutError when it takes a minute."""
    assert callable(holds)
    given_up_at = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > given_up_at:
            raise TimeoutError(f"{what} did not come up")
        time.sleep(0.01)
