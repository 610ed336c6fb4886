"""The real Postgres of a test run: the embedded one, the system's, or one that the environment names."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import psutil
import psycopg
from psycopg import sql

from tests.support.machine_parts import system_postgres
from webapp.embedded import server
from webapp.embedded.binaries import OURS, Installation
from webapp.store.operations.migrate import upgrade

# Nothing in a test outlives the run, so nothing need reach the disk.
_CARELESS = {
    "autovacuum": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
}
_MEMORY: Final = Path("/dev/shm")
_ROOM: Final = 2**30
_OURS: Final = "lodepost-tests"


class Postgres:
    """A server on which databases come and go; every name bears the prefix of this run."""

    def __init__(self, admin_url: str, prefix: str) -> None:
        self._admin_url = _normal(admin_url)
        self._prefix = prefix
        self._numbers = count(1)
        self._template: str | None = None

    def url_of(self, database: str) -> str:
        return re.sub(r"/[^/]*$", f"/{database}", self._admin_url)

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """Yield the URL of a new database without a single table; drop it at the end."""
        with self._database("template0") as url:
            yield url

    @contextmanager
    def migrated_database(self) -> Iterator[str]:
        """Yield the URL of a new database at the newest schema; drop it at the end."""
        with self._database(self._migrated_template()) as url:
            yield url

    @contextmanager
    def copy_of(self, url: str) -> Iterator[str]:
        """Yield the URL of a database like that one, to which nobody may be connected just now; drop it at the end."""
        with self._database(url.rpartition("/")[2]) as copied:
            yield copied

    def close(self) -> None:
        if self._template is not None:
            self._say("DROP DATABASE {} WITH (FORCE)", self._template)

    def _migrated_template(self) -> str:
        if self._template is None:
            name = f"{self._prefix}_template"
            self._say("CREATE DATABASE {} TEMPLATE template0", name)
            upgrade(self.url_of(name))
            self._template = name
        return self._template

    @contextmanager
    def _database(self, template: str) -> Iterator[str]:
        name = f"{self._prefix}_{next(self._numbers)}"
        # Copying files beats copying through the log, which a template of 8 MB fills each time.
        self._say("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", name, template)
        try:
            yield self.url_of(name)
        finally:
            self._say("DROP DATABASE {} WITH (FORCE)", name)

    def _say(self, command: str, *names: str) -> None:
        plain = self._admin_url.replace("+psycopg", "", 1)
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(sql.SQL(command).format(*map(sql.Identifier, names)))


@contextmanager
def running_postgres(folder: Path) -> Iterator[Postgres]:
    """Yield the server named by LODEPOST_TEST_DATABASE_URL, or one started inside `folder`.

    That is the embedded one; with LODEPOST_TEST_POSTGRES=system, the one that is installed on this machine.
    """
    prefix = f"lodepost_test_{os.getpid()}"
    named = os.environ.get("LODEPOST_TEST_DATABASE_URL")
    if named:
        postgres = Postgres(named, prefix)
        yield postgres
        postgres.close()
        return
    with running_server(folder, _wanted()) as ours:
        yield Postgres(ours.url_of("postgres"), prefix)


@contextmanager
def quick_folder(otherwise: Path, memory: Path = _MEMORY) -> Iterator[Path]:
    """Yield a folder in memory, or the other one on a machine that has none with room for a gigabyte.

    The database of a test is four hundred files that live for a second: on a slow disk they are a third of the run.
    """
    if not _is_of_use(memory):
        yield otherwise
        return
    _forget_the_dead(memory)
    with TemporaryDirectory(prefix=f"{_OURS}-{os.getpid()}-", dir=memory) as folder:
        yield Path(folder)


def _is_of_use(memory: Path) -> bool:
    """Whether there is room, and programs may be run from it: some containers forbid that."""
    if not os.access(memory, os.W_OK):
        return False
    told = os.statvfs(memory)
    return told.f_bavail * told.f_frsize >= _ROOM and not told.f_flag & os.ST_NOEXEC


def _forget_the_dead(memory: Path) -> None:
    """What runs left that were killed. A Postgres that outlived its run ends when it finds its folder gone."""
    for folder in memory.glob(f"{_OURS}-*"):
        if not psutil.pid_exists(int(folder.name.split("-")[2])):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_server(
    folder: Path, installation: Installation, settings: Mapping[str, str] = _CARELESS
) -> Iterator[server.Server]:
    """Yield a Postgres with a cluster of its own inside `folder`."""
    running = server.start(folder, settings=settings, installation=installation)
    try:
        yield running
    finally:
        running.stop()


def _wanted() -> Installation:
    named = os.environ.get("LODEPOST_TEST_POSTGRES", "embedded")
    if named not in {"embedded", "system"}:
        raise ValueError(f"LODEPOST_TEST_POSTGRES is embedded or system, not {named!r}")
    return system_postgres() if named == "system" else OURS


def _normal(url: str) -> str:
    return re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql+psycopg://", url)
