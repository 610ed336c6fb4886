"""The Postgres server of a test run: the embedded one, the system's, or the one in LODEPOST_TEST_DATABASE_URL."""

import atexit
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

import psutil
import psycopg
from psycopg import sql

from tests.support.required_programs import system_postgres
from tests.support.transactions import transaction
from webapp.embedded import server
from webapp.embedded.cluster import ensure_cluster
from webapp.embedded.programs import BUNDLED_POSTGRES, PostgresPrograms
from webapp.kernel.tx import Database
from webapp.operations.queries.migrate import upgrade_schema

# Test data need not survive a crash, so nothing has to reach the disk; and it is small, so that starting processes for a
# parallel query takes longer than the query.
_FAST_SETTINGS = {
    "jit": "off",
    # Planning a statement takes longer than running it.
    "plan_cache_mode": "force_generic_plan",
    "max_parallel_workers_per_gather": "0",
    "autovacuum": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
}
_MEMORY_FOLDER: Final = Path("/dev/shm")
_MIN_FREE_BYTES: Final = 2**30
_FOLDER_PREFIX: Final = "lodepost-tests"


class Postgres:
    """A server on which tests create databases; their names start with the prefix of this run."""

    def __init__(self, admin_url: str, prefix: str) -> None:
        self._admin_url = _normalised_url(admin_url)
        self._prefix = prefix
        self._numbers = count(1)
        self._template: str | None = None

    def url_of(self, database: str) -> str:
        return re.sub(r"/[^/]*$", f"/{database}", self._admin_url)

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """Yield the URL of a new database without a single table; drop it at the end."""
        with self._database_from_template("template0") as url:
            yield url

    @contextmanager
    def migrated_database(self) -> Iterator[str]:
        """Yield the URL of a new database at the newest schema; drop it at the end."""
        with self._database_from_template(self._migrated_template()) as url:
            yield url

    @contextmanager
    def copy_of(self, url: str) -> Iterator[str]:
        """Yield the URL of a copy of a database, which must have no connections; drop it at the end."""
        with self._database_from_template(url.rpartition("/")[2]) as copied_url:
            yield copied_url

    def close(self) -> None:
        if self._template is not None:
            self._execute("DROP DATABASE {} WITH (FORCE)", self._template)

    def _migrated_template(self) -> str:
        if self._template is None:
            name = f"{self._prefix}_template"
            self._execute("CREATE DATABASE {} TEMPLATE template0", name)
            upgrade_schema(self.url_of(name))
            self._template = name
        return self._template

    @contextmanager
    def _database_from_template(self, template: str) -> Iterator[str]:
        name = f"{self._prefix}_{next(self._numbers)}"
        # Copying the files is faster than copying through the write-ahead log.
        self._execute("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", name, template)
        try:
            yield self.url_of(name)
        finally:
            self._execute("DROP DATABASE {} WITH (FORCE)", name)

    def _execute(self, command: str, *names: str) -> None:
        driver_url = self._admin_url.replace("+psycopg", "", 1)
        with psycopg.connect(driver_url, autocommit=True) as connection:
            connection.execute(sql.SQL(command).format(*map(sql.Identifier, names)))


@contextmanager
def running_postgres(folder: Path) -> Iterator[Postgres]:
    """Yield the server of LODEPOST_TEST_DATABASE_URL, or one started in ``folder``.

    The latter is the embedded one or, with LODEPOST_TEST_POSTGRES=system, the one installed on this machine.
    """
    prefix = f"lodepost_test_{os.getpid()}"
    url = os.environ.get("LODEPOST_TEST_DATABASE_URL")
    if url:
        postgres = Postgres(url, prefix)
        yield postgres
        postgres.close()
        return
    with running_server(folder, _programs_to_test()) as started_server:
        yield Postgres(started_server.url_of("postgres"), prefix)


@contextmanager
def memory_folder(fallback: Path, memory: Path = _MEMORY_FOLDER) -> Iterator[Path]:
    """Yield a folder in memory, or the fallback if there is none with a free gigabyte.

    Each test database consists of four hundred short-lived files; on a slow disk they take a third of the run.
    """
    if not _is_usable(memory):
        yield fallback
        return
    _delete_stale_folders(memory)
    with TemporaryDirectory(prefix=f"{_FOLDER_PREFIX}-{os.getpid()}-", dir=memory) as folder:
        yield Path(folder)


def _is_usable(memory: Path) -> bool:
    """Return whether the folder has enough room and allows executables, which some containers forbid."""
    if not os.access(memory, os.W_OK):
        return False
    status = os.statvfs(memory)
    return status.f_bavail * status.f_frsize >= _MIN_FREE_BYTES and not status.f_flag & os.ST_NOEXEC


def _delete_stale_folders(memory: Path) -> None:
    """Delete the folders of runs that were killed. A Postgres that is still running there ends without its folder."""
    for folder in memory.glob(f"{_FOLDER_PREFIX}-*"):
        if not psutil.pid_exists(int(folder.name.split("-")[2])):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_server(
    folder: Path, programs: PostgresPrograms, settings: Mapping[str, str] = _FAST_SETTINGS
) -> Iterator[server.Server]:
    """Yield a running Postgres with its own cluster in ``folder``."""
    copy_cluster(folder, programs)
    started_server = server.start(folder, settings=settings, programs=programs)
    try:
        yield started_server
    finally:
        started_server.stop()


def copy_cluster(folder: Path, programs: PostgresPrograms = BUNDLED_POSTGRES) -> None:
    """Give a server's new data folder the cluster that the server would make; copying one is far cheaper."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if (folder / "postgres").exists():
        return
    for name in ("postgres", "postgres-password"):
        # It also copies the owners: root makes the cluster of another user.
        command = ["cp", "-a", str(_cluster_template(programs) / name), str(folder / name)]
        subprocess.run(command, check=True)


@cache
def _cluster_template(programs: PostgresPrograms) -> Path:
    """Return a folder with a cluster that no server has used. It is deleted when the process ends."""
    memory = _MEMORY_FOLDER if _is_usable(_MEMORY_FOLDER) else None
    folder = Path(mkdtemp(prefix=f"{_FOLDER_PREFIX}-{os.getpid()}-", dir=memory))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ensure_cluster(folder, programs)
    return folder


def _programs_to_test() -> PostgresPrograms:
    choice = os.environ.get("LODEPOST_TEST_POSTGRES", "embedded")
    if choice not in {"embedded", "system"}:
        raise ValueError(f"LODEPOST_TEST_POSTGRES is embedded or system, not {choice!r}")
    return system_postgres() if choice == "system" else BUNDLED_POSTGRES


def _normalised_url(url: str) -> str:
    return re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql+psycopg://", url)


def make_read_only(database: Database) -> None:
    """Make a database read-only, like a standby or one that its operator has made read-only."""
    with transaction(database) as tx:
        name = tx.connection.exec_driver_sql("SELECT current_database()").scalar_one()
        tx.connection.exec_driver_sql(
            f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'
        )
    # Open connections keep their setting.
    database.dispose()


def make_writable(database: Database) -> None:
    """Undo `make_read_only`, as an operator does: connections that are open meanwhile keep refusing changes."""
    url = database.engine.url.set(drivername="postgresql")
    with psycopg.connect(
        url.render_as_string(hide_password=False),
        autocommit=True,
        options="-c default_transaction_read_only=off",
    ) as operator:
        command = sql.SQL("ALTER DATABASE {} RESET default_transaction_read_only")
        operator.execute(command.format(sql.Identifier(url.database or "")))
