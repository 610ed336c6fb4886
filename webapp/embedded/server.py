"""Start, restart and stop the embedded Postgres of one data folder, or attach to one that is running there."""

import fcntl
import os
import secrets
import signal
import socket
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql

from webapp.embedded.cluster import USER, ensure_cluster, password_of
from webapp.embedded.programs import (
    BUNDLED_POSTGRES,
    PostgresPrograms,
    forget_libpq_environment,
    launch,
)
from webapp.embedded.stale_server import clear_stale_server
from webapp.kernel.operator_errors import EmbeddedError, FolderInUse, StartCancelled

DATABASE = "lodepost"
"""The name of the database on the embedded server."""
_HOST = "127.0.0.1"
_START_TIMEOUT_SECONDS = 120.0
_STOP_TIMEOUT_SECONDS = 30.0
_POLL_SECONDS = 0.02
_REPEAT_SIGNAL_SECONDS = 2.0
_PORT_ATTEMPT_COUNT = 3
_MIN_PORT, _MAX_PORT = 20_000, 32_000
_MAX_LOG_BYTES = 5_000_000
_QUOTED_LINE_COUNT = 20
_DEFAULT_SETTINGS = {
    "listen_addresses": _HOST,
    "unix_socket_directories": "",
    "log_checkpoints": "off",
    # Its log would otherwise quote rejected rows: a hand, a token, an address.
    "log_error_verbosity": "terse",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Nothing is replicated, and one process reads as fast as a small server needs: others would only take memory.
    "max_logical_replication_workers": "0",
}
_SETTINGS_SINCE_18 = {"io_method": "sync"}
_MAJOR_WITH_IO_METHOD = 18
_PORT_LINE_NUMBER = 3


@dataclass
class Server:
    """A running Postgres, and the lock on its folder."""

    folder: Path
    programs: PostgresPrograms
    settings: Mapping[str, str]
    port: int
    password: str
    process: subprocess.Popen[bytes]
    lock: IO[str]

    def __repr__(self) -> str:
        return f"<Server in {self.folder} at port {self.port}>"

    def url_of(self, database: str) -> str:
        """Return the URL of a database on this server."""
        return _url_at(self.port, self.password, database)

    def ensure_database(self, database: str) -> None:
        """Create the database if it does not exist. Raises EmbeddedError."""
        try:
            with _connect(self.port, self.password) as connection:
                existing_row = connection.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", (database,)
                ).fetchone()
                if existing_row is None:
                    name = sql.Identifier(database)
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        except psycopg.Error as error:
            cause = error.diag.message_primary or str(error).strip()
            raise EmbeddedError(
                f"The database in {self.folder} can't be created: {cause}."
            ) from error

    def is_running(self) -> bool:
        return self.process.poll() is None

    def restart(self) -> None:
        """Start a server that has died again on the same port, so that its URLs stay valid."""
        data_folder = ensure_cluster(self.folder, self.programs)
        clear_stale_server(data_folder)
        self.process = _launch_on_port(
            self.port, data_folder, programs=self.programs, settings=self.settings
        )
        if not _wait_until_ready(self.process, self.port, self.password):
            raise EmbeddedError(_startup_error(self.folder))

    def stop(self) -> None:
        """End every session and shut down; may be called twice."""
        for signal_number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if not self.is_running():
                break
            self.process.send_signal(signal_number)
            try:
                self.process.wait(_STOP_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                continue
        self.lock.close()


def _url_at(port: int, password: str, database: str) -> str:
    """Return the URL of a database on an embedded server."""
    return f"postgresql+psycopg://{USER}:{password}@{_HOST}:{port}/{database}"


def start(
    folder: Path,
    *,
    settings: Mapping[str, str] | None = None,
    programs: PostgresPrograms = BUNDLED_POSTGRES,
    is_stopping: Callable[[], bool] = lambda: False,
) -> Server:
    """Start the Postgres of ``folder``, created if missing, and wait until it accepts connections.

    ``settings`` are added to the default ones on its command line. Raises EmbeddedError, FolderInUse, or StartCancelled
    once ``is_stopping`` returns True.
    """
    forget_libpq_environment()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _exclusive_lock(folder)
    try:
        return _start_in_locked_folder(
            folder,
            lock,
            programs=programs,
            settings={**_default_settings(programs), **(settings or {})},
            is_stopping=is_stopping,
        )
    except BaseException:
        lock.close()
        raise


@contextmanager
def attach(folder: Path) -> Iterator[str]:
    """Yield the URL of the database in ``folder``, whether or not a server is running on it. Raises EmbeddedError."""
    if not (folder / "postgres").is_dir():
        raise EmbeddedError(
            f"There is no database in {folder}. Choose the folder with --data, or set DATABASE_URL."
        )
    try:
        server = start(folder)
    except FolderInUse:
        yield _url_of_running_server(folder)
        return
    try:
        yield server.url_of(DATABASE)
    finally:
        server.stop()


@contextmanager
def attach_exclusively(folder: Path) -> Iterator[str]:
    """Yield the URL of the database in ``folder``, created if missing. Raises FolderInUse if a server is running on it."""
    server = start(folder)
    try:
        server.ensure_database(DATABASE)
        yield server.url_of(DATABASE)
    finally:
        server.stop()


def _url_of_running_server(folder: Path) -> str:
    forget_libpq_environment()
    try:
        lines = (folder / "postgres" / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        url = _url_at(int(lines[_PORT_LINE_NUMBER]), password_of(folder), DATABASE)
        psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5).close()
    except (OSError, IndexError, ValueError, psycopg.Error):
        raise EmbeddedError(
            f"Another Lodepost is starting or stopping in {folder}. Try again in a moment."
        ) from None
    return url


def _exclusive_lock(folder: Path) -> IO[str]:
    lock = (folder / "postgres.lock").open("a+", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise FolderInUse(
            f"{folder} is in use by another Lodepost (process {holder}). Stop it, or "
            "use another --data folder."
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _default_settings(programs: PostgresPrograms) -> dict[str, str]:
    return _DEFAULT_SETTINGS | (
        _SETTINGS_SINCE_18 if int(programs.major) >= _MAJOR_WITH_IO_METHOD else {}
    )


def _start_in_locked_folder(
    folder: Path,
    lock: IO[str],
    *,
    programs: PostgresPrograms,
    settings: Mapping[str, str],
    is_stopping: Callable[[], bool],
) -> Server:
    data_folder = ensure_cluster(folder, programs, is_stopping=is_stopping)
    password = password_of(folder)
    clear_stale_server(data_folder)
    _rotate_log(folder)
    for _ in range(_PORT_ATTEMPT_COUNT):
        port = _free_port()
        process = _launch_on_port(port, data_folder, programs=programs, settings=settings)
        try:
            if _wait_until_ready(process, port, password, is_stopping):
                return Server(folder, programs, settings, port, password, process, lock)
        except BaseException:
            _end_at_once(process)
            raise
    raise EmbeddedError(_startup_error(folder))


def _end_at_once(process: subprocess.Popen[bytes]) -> None:
    """End a server that was started a moment ago. The signal is repeated, because one that comes too early may be lost."""
    while process.poll() is None:
        process.send_signal(signal.SIGQUIT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_REPEAT_SIGNAL_SECONDS)


def _rotate_log(folder: Path) -> None:
    log = _log_of(folder)
    if log.exists() and log.stat().st_size > _MAX_LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))


def _free_port() -> int:
    """Return a free port below the range that systems use for outgoing connections.

    A port in that range could be taken by a connection while a server that died is being restarted.
    """
    while True:
        port = _MIN_PORT + secrets.randbelow(_MAX_PORT - _MIN_PORT)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((_HOST, port))
            return port


def _launch_on_port(
    port: int, data_folder: Path, *, programs: PostgresPrograms, settings: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    arguments = [f"--{name}={value}" for name, value in {**settings, "port": str(port)}.items()]
    with _log_of(data_folder.parent).open("ab") as log:
        return launch("postgres", arguments, programs=programs, data_folder=data_folder, output=log)


def _log_of(folder: Path) -> Path:
    return folder / "postgres.log"


def _wait_until_ready(
    process: subprocess.Popen[bytes],
    port: int,
    password: str,
    is_stopping: Callable[[], bool] = lambda: False,
) -> bool:
    """Wait until the server accepts a connection; return False if it ended (its port was taken, for example)."""
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while process.poll() is None:
        if is_stopping():
            raise StartCancelled
        try:
            _connect(port, password).close()
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise EmbeddedError(f"Postgres does not answer: {error}") from error
            time.sleep(_POLL_SECONDS)
        else:
            return True
    return False


def _connect(port: int, password: str) -> psycopg.Connection:
    return psycopg.connect(
        host=_HOST,
        port=port,
        user=USER,
        password=password,
        dbname="postgres",
        autocommit=True,
        connect_timeout=5,
    )


def _startup_error(folder: Path) -> str:
    log = _log_of(folder)
    with log.open(encoding="utf-8", errors="backslashreplace") as lines:
        last_lines = "".join(deque(lines, _QUOTED_LINE_COUNT))
    return f"Postgres stopped while starting. The end of {log}:\n{last_lines}"
