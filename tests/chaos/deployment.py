"""A whole installation as an operator runs it: two webs, two workers, one clock, a Postgres, a Redis and a relay."""

import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import redis

from tests.chaos.launch import CLOCK
from tests.chaos.part import ROOT, Part
from tests.support.postgres import running_server
from tests.support.smtp_sink import Sink, running_sink
from webapp.embedded.binaries import PostgresPrograms
from webapp.embedded.server import Server
from webapp.store.operations.migrate import upgrade

DATABASE: Final = "lodepost"
MAIL_FROM: Final = "lodepost@lodepost.test"
_SECRET_KEY: Final = "a secret key of tests, and long enough"
_PATIENCE: Final = 120.0
_POSTGRES: Final = {
    "autovacuum": "off",
    "max_connections": "100",
    # A disk that fills up must be small, and the log of writes must leave room in it.
    "max_wal_size": "64MB",
    "min_wal_size": "32MB",
    # What is killed loses what it holds, never what the system holds for it; nobody pulls a plug here.
    "fsync": "off",
}


@dataclass
class Installation:
    """The parts, and how to reach them."""

    folder: Path
    server: Server
    relay: Sink
    broker: Part
    webs: list[Part]
    workers: list[Part]
    beat: Part
    ports: list[int]
    redis_port: int
    disk: Path | None
    """Where the database lies, if that is a small file system of its own."""

    @property
    def url(self) -> str:
        return self.server.url_of(DATABASE)

    @property
    def addresses(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    @property
    def parts(self) -> list[Part]:
        return [*self.webs, *self.workers, self.beat]

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection]:
        """A connection of the harness, as soon as the database answers; never read-only."""
        with patiently(self._connect, psycopg.OperationalError) as connection:
            yield connection

    def ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; the rows it gives, if it gives any."""
        with self.connection() as connection:
            cursor = connection.execute(query.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(
            self.url.replace("+psycopg", "", 1),
            autocommit=True,
            connect_timeout=5,
            options="-c default_transaction_read_only=off",
        )

    def queue(self) -> redis.Redis:
        return redis.Redis(port=self.redis_port, socket_timeout=5)

    def bring_redis_back(self) -> None:
        self.broker.start()
        until_true(lambda: listens(self.redis_port))

    def kill_postgres(self) -> None:
        self.server.process.kill()
        self.server.process.wait()

    def bring_postgres_back(self) -> None:
        """Once all sessions of the killed one have noticed."""
        if not self.server.is_running():
            self.server.restart()


@contextmanager
def running_installation(
    folder: Path, programs: PostgresPrograms, *, disk: Path | None = None
) -> Iterator[Installation]:
    """Yield an installation whose pages answer; everything is stopped and gone at the end."""
    with ExitStack() as stack:
        server = stack.enter_context(running_server(disk or folder, programs, _POSTGRES))
        server.ensure_database(DATABASE)
        upgrade(server.url_of(DATABASE))
        relay = stack.enter_context(running_sink())
        made = _put_together(folder, server, relay, disk)
        for part in (made.broker, *made.parts):
            stack.callback(part.kill)
        made.bring_redis_back()
        for part in made.parts:
            part.start()
        until_true(lambda: all(map(listens, made.ports)))
        yield made
        for part in reversed(made.parts):
            part.stop()


def until_true(holds: Callable[[], bool], *, within: float = _PATIENCE) -> None:
    """Wait until it holds. Raises TimeoutError."""
    until = time.monotonic() + within
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError("it did not come true in time")
        time.sleep(0.05)


def patiently(attempt: Callable[[], Any], *passing: type[Exception]) -> Any:
    """What the attempt gives, once it does without one of these errors."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        with suppress(*passing):
            return attempt()
        time.sleep(0.1)
    return attempt()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _put_together(folder: Path, server: Server, relay: Sink, disk: Path | None) -> Installation:
    ports = [_free_port(), _free_port()]
    redis_port = _free_port()
    environ = {
        "DATABASE_URL": server.url_of(DATABASE),
        "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
        "SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
        "SECRET_KEY": _SECRET_KEY,
        "BASE_URL": f"http://127.0.0.1:{ports[0]}",
        "MAIL_FROM": MAIL_FROM,
        "DATA_DIR": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
    }

    def part(verb: str, number: int = 1, **more: str) -> Part:
        name = f"{verb} {number}"
        command = [sys.executable, "-P", "-m", "tests.chaos.launch", verb]
        clock = folder / f"clock-{verb}-{number}"
        surroundings = {**environ, **more, CLOCK: str(clock)}
        made = Part(name, command, folder / f"{verb}-{number}.log", surroundings, clock=clock)
        made.set_clock(0)
        return made

    return Installation(
        folder=folder,
        server=server,
        relay=relay,
        broker=_redis_part(folder, redis_port),
        webs=[
            part("web", number, LISTEN=f"127.0.0.1:{port}") for number, port in enumerate(ports, 1)
        ],
        workers=[part("worker", 1), part("worker", 2)],
        beat=part("beat"),
        ports=ports,
        redis_port=redis_port,
        disk=disk,
    )


def _redis_part(folder: Path, port: int) -> Part:
    program = shutil.which("redis-server") or "redis-server"
    words = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    return Part("redis", [program, *words], folder / "redis.log")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
