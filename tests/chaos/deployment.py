"""A complete deployment: two web servers, two workers, one beat, a receiver of emails, a Postgres, a Redis and a mail relay."""

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

from tests.chaos.launch import CLOCK_FILE_VARIABLE, DATABASE_CLOCK_FILE_VARIABLE, MAIL_PORT_VARIABLE
from tests.chaos.managed_process import ROOT, ManagedProcess, write_clock
from tests.support.ports import free_port
from tests.support.postgres import running_server
from tests.support.smtp_sink import Sink, running_sink
from webapp.embedded.programs import PostgresPrograms
from webapp.embedded.server import Server
from webapp.operations.queries.migrate import upgrade_schema

DATABASE_NAME: Final = "lodepost"
REPLY_ADDRESS: Final = "reply@lodepost.test"
AUTHSERV_ID: Final = "mx.lodepost.test"
"""The mail server that proves who has sent an email."""
MAIL_FROM: Final = "lodepost@lodepost.test"
_SECRET_KEY: Final = "a secret key of tests, and long enough"
_TIMEOUT_SECONDS: Final = 300.0
POSTGRES_SETTINGS: Final = {
    "autovacuum": "off",
    "max_connections": "100",
    # The disk that gets filled is small, so the write-ahead log must be small too.
    "max_wal_size": "64MB",
    "min_wal_size": "32MB",
    # Only processes are killed, so what they wrote stays in the system's cache.
    "fsync": "off",
}


@dataclass
class Deployment:
    """The processes, and how to reach them."""

    folder: Path
    server: Server
    relay: Sink
    redis_server: ManagedProcess
    web_processes: list[ManagedProcess]
    workers: list[ManagedProcess]
    beat: ManagedProcess
    mail_in: ManagedProcess
    mail_port: int
    """Where `mail_in` receives emails."""
    ports: list[int]
    redis_port: int
    disk: Path | None
    """The folder of the database, if it is a small file system of its own."""
    seconds_ahead: float = 0
    """How far all clocks are ahead of the real time, that of the database included."""
    most_seconds_ahead: float = 0
    """How far they ever were."""

    @property
    def url(self) -> str:
        return self.server.url_of(DATABASE_NAME)

    @property
    def addresses(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    @property
    def processes(self) -> list[ManagedProcess]:
        return [*self.web_processes, *self.workers, self.beat, self.mail_in]

    @property
    def now_sql(self) -> str:
        """The time of the database as its processes are given it."""
        return f"(now() + interval '{self.seconds_ahead} seconds')"

    def set_all_clocks(self, seconds_ahead: float) -> None:
        """Set all clocks, that of the database included, ahead of the real time."""
        self.seconds_ahead = seconds_ahead
        self.most_seconds_ahead = max(self.most_seconds_ahead, seconds_ahead)
        write_clock(_database_clock_file(self.folder), seconds_ahead)
        for process in self.processes:
            process.set_clock(seconds_ahead)

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection]:
        """Yield a connection as soon as the database answers; it is never read-only."""
        with retry_until_success(self._connect, psycopg.OperationalError) as connection:
            yield connection

    def execute(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows, if any."""
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

    def redis_client(self) -> redis.Redis:
        return redis.Redis(port=self.redis_port, socket_timeout=5)

    def start_redis(self) -> None:
        self.redis_server.start()
        wait_until(lambda: is_listening(self.redis_port))

    def kill_postgres(self) -> None:
        self.server.process.kill()
        self.server.process.wait()

    def restart_postgres(self) -> None:
        """Start Postgres again, once all sessions of the killed server have ended."""
        if not self.server.is_running():
            self.server.restart()


@contextmanager
def running_deployment(
    folder: Path, programs: PostgresPrograms, *, disk: Path | None = None
) -> Iterator[Deployment]:
    """Yield a deployment whose web servers listen; stop everything at the end."""
    with ExitStack() as stack:
        server = stack.enter_context(running_server(disk or folder, programs, POSTGRES_SETTINGS))
        server.ensure_database(DATABASE_NAME)
        upgrade_schema(server.url_of(DATABASE_NAME))
        relay = stack.enter_context(running_sink())
        deployment = _configure(folder, server, relay, disk)
        for process in (deployment.redis_server, *deployment.processes):
            stack.callback(process.kill)
        deployment.start_redis()
        for process in deployment.processes:
            process.start()
        wait_until(lambda: all(map(is_listening, [*deployment.ports, deployment.mail_port])))
        yield deployment
        for process in reversed(deployment.processes):
            process.stop()


def wait_until(condition: Callable[[], bool], *, timeout: float = _TIMEOUT_SECONDS) -> None:
    """Wait until ``condition()`` is true. Raises TimeoutError."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the condition did not become true in time")
        time.sleep(0.05)


def retry_until_success(attempt: Callable[[], Any], *retried_errors: type[Exception]) -> Any:
    """Return the result of ``attempt()``, repeated while it raises one of these errors."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        with suppress(*retried_errors):
            return attempt()
        time.sleep(0.1)
    return attempt()


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _configure(folder: Path, server: Server, relay: Sink, disk: Path | None) -> Deployment:
    ports = [free_port(), free_port()]
    redis_port, mail_port = free_port(), free_port()
    environ = _environ(folder, server, relay, redis_port) | {
        "BASE_URL": f"http://127.0.0.1:{ports[0]}",
        MAIL_PORT_VARIABLE: str(mail_port),
    }
    write_clock(_database_clock_file(folder), 0)

    def process(command_name: str, number: int = 1, **variables_of_process: str) -> ManagedProcess:
        name = f"{command_name} {number}"
        command = [sys.executable, "-P", "-m", "tests.chaos.launch", command_name]
        clock_file = folder / f"clock-{command_name}-{number}"
        variables = {**environ, **variables_of_process, CLOCK_FILE_VARIABLE: str(clock_file)}
        managed_process = ManagedProcess(
            name, command, folder / f"{command_name}-{number}.log", variables, clock_file=clock_file
        )
        managed_process.set_clock(0)
        return managed_process

    return Deployment(
        folder=folder,
        server=server,
        relay=relay,
        redis_server=_redis_process(folder, redis_port),
        web_processes=[
            process("web", number, LISTEN=f"127.0.0.1:{port}")
            for number, port in enumerate(ports, 1)
        ],
        workers=[process("worker", 1), process("worker", 2)],
        beat=process("beat"),
        mail_in=process("mail-in"),
        mail_port=mail_port,
        ports=ports,
        redis_port=redis_port,
        disk=disk,
    )


def _environ(folder: Path, server: Server, relay: Sink, redis_port: int) -> dict[str, str]:
    return {
        "DATABASE_URL": server.url_of(DATABASE_NAME),
        "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
        "SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
        "SECRET_KEY": _SECRET_KEY,
        "MAIL_FROM": MAIL_FROM,
        "REPLY_ADDRESS": REPLY_ADDRESS,
        "AUTHSERV_ID": AUTHSERV_ID,
        # No proxy is in front that would have to notice.
        "DRAIN_SECONDS": "0",
        # The simulated players are always on the site: their emails must not wait for them to leave it.
        "EMAIL_WAIT_MINUTES": "0",
        "DATA_DIR": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
        DATABASE_CLOCK_FILE_VARIABLE: str(_database_clock_file(folder)),
    }


def _database_clock_file(folder: Path) -> Path:
    return folder / "clock-database"


def _redis_process(folder: Path, port: int) -> ManagedProcess:
    program = shutil.which("redis-server") or "redis-server"
    arguments = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    return ManagedProcess("redis", [program, *arguments], folder / "redis.log")
