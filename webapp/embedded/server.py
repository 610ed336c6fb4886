"""One Postgres in one folder: started, watched and stopped."""

import fcntl
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql

from webapp.embedded.binaries import OURS, Installation
from webapp.embedded.cluster import USER, make_cluster, password_of
from webapp.embedded.errors import EmbeddedError, InUse
from webapp.embedded.launch import launch
from webapp.embedded.stale_server import clear_leftover

DATABASE = "lodepost"
"""The one that Lodepost keeps on a server of its own."""
_HOST = "127.0.0.1"
_PATIENCE = 120.0
_STOP_PATIENCE = 30.0
_PAUSE = 0.02
_PORTS_TRIED = 3
_LOWEST_PORT, _HIGHEST_PORT = 20_000, 32_000
_LONGEST_LOG = 5_000_000
_TOLD_OF_LOG = 2_000
_ALWAYS = {
    "listen_addresses": _HOST,
    "unix_socket_directories": "",
    "log_checkpoints": "off",
    # Its own log would quote the row that it refuses: a hand, a token, an address.
    "log_error_verbosity": "terse",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


@dataclass
class Server:
    """A running Postgres, and the lock that keeps its folder from anybody else."""

    folder: Path
    installation: Installation
    settings: Mapping[str, str]
    port: int
    password: str
    process: subprocess.Popen[bytes]
    lock: IO[str]

    def __repr__(self) -> str:
        return f"<Server in {self.folder} at port {self.port}>"

    def url_of(self, database: str) -> str:
        return url_at(self.port, self.password, database)

    def ensure_database(self, database: str) -> None:
        with _connect(self.port, self.password) as connection:
            known = connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", (database,)
            ).fetchone()
            if known is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))

    def runs(self) -> bool:
        return self.process.poll() is None

    def start_again(self) -> None:
        """Bring a server that has died back at the same port, so that every URL stays true."""
        data = make_cluster(self.folder, self.installation)
        clear_leftover(data)
        self.process = _launch_at(
            self.port, data, installation=self.installation, settings=self.settings
        )
        if not _answers(self.process, self.port, self.password):
            raise EmbeddedError(_last_words(self.folder))

    def stop(self) -> None:
        """End every session and shut down cleanly; may be called twice."""
        for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if not self.runs():
                break
            self.process.send_signal(how)
            try:
                self.process.wait(_STOP_PATIENCE)
            except subprocess.TimeoutExpired:
                continue
        self.lock.close()


def url_at(port: int, password: str, database: str) -> str:
    """Return the URL of a database on a server of ours."""
    return f"postgresql+psycopg://{USER}:{password}@{_HOST}:{port}/{database}"


def start(
    folder: Path,
    *,
    settings: Mapping[str, str] | None = None,
    installation: Installation = OURS,
) -> Server:
    """Start the Postgres of `folder`, made first where there is none; raise EmbeddedError, or InUse.

    `installation` is another Postgres than that of the wheel. `settings` go to Postgres on its command line, beside those that are always given. The call
    returns when the server has answered a real connection.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _only_one_in(folder)
    try:
        return _start_alone(
            folder, lock, installation=installation, settings={**_ALWAYS, **(settings or {})}
        )
    except BaseException:
        lock.close()
        raise


def _only_one_in(folder: Path) -> IO[str]:
    lock = (folder / "postgres.lock").open("a+", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise InUse(
            f"{folder} is in use by another Lodepost (process {holder}). Stop that one, or "
            "start with another --data."
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _start_alone(
    folder: Path, lock: IO[str], *, installation: Installation, settings: Mapping[str, str]
) -> Server:
    data = make_cluster(folder, installation)
    password = password_of(folder)
    clear_leftover(data)
    _turn_log(folder)
    for _ in range(_PORTS_TRIED):
        port = _free_port()
        process = _launch_at(port, data, installation=installation, settings=settings)
        try:
            if _answers(process, port, password):
                return Server(folder, installation, settings, port, password, process, lock)
        except BaseException:
            process.send_signal(signal.SIGQUIT)
            process.wait()
            raise
    raise EmbeddedError(_last_words(folder))


def _turn_log(folder: Path) -> None:
    log = _log_of(folder)
    if log.exists() and log.stat().st_size > _LONGEST_LOG:
        log.replace(log.with_suffix(".log.1"))


def _free_port() -> int:
    """Choose below the ports that systems lend to outgoing connections.

    One of those could be lent again before a server that died is back at its port.
    """
    while True:
        port = _LOWEST_PORT + secrets.randbelow(_HIGHEST_PORT - _LOWEST_PORT)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((_HOST, port))
            return port


def _launch_at(
    port: int, data: Path, *, installation: Installation, settings: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    arguments = [f"--{name}={value}" for name, value in {**settings, "port": str(port)}.items()]
    with _log_of(data.parent).open("ab") as log:
        return launch("postgres", arguments, of=installation, data=data, output=log)


def _log_of(folder: Path) -> Path:
    return folder / "postgres.log"


def _answers(process: subprocess.Popen[bytes], port: int, password: str) -> bool:
    """Wait for the server; False when it has ended instead (its port was taken, for example)."""
    until = time.monotonic() + _PATIENCE
    while process.poll() is None:
        try:
            _connect(port, password).close()
        except psycopg.OperationalError as refusal:
            if time.monotonic() > until:
                raise EmbeddedError(f"Postgres does not answer: {refusal}") from refusal
            time.sleep(_PAUSE)
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


def _last_words(folder: Path) -> str:
    log = _log_of(folder)
    words = log.read_bytes()[-_TOLD_OF_LOG:].decode(errors="replace")
    return f"Postgres ended while it was starting. The end of {log}:\n{words}"
