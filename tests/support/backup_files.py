"""Backups in memory, and the contents of databases to compare."""

import io
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import IO, Any

import msgspec
import psycopg

from tests.support.transactions import NOON
from webapp.kernel.keys import StoredKeys
from webapp.operations.backup_and_restore import BackupResult, back_up, open_checked_backup, restore
from webapp.operations.queries.table_copy import TABLES

KEY = "k" * 32


ROWS_OF_EVERY_COPY = frozenset({"expected_key", "heartbeat"})
"""The tables to which a restore adds rows."""


def backup_of(url: str, *, includes_keys: bool = False) -> io.BytesIO:
    """Return a backup of the database."""
    file = io.BytesIO()
    back_up(url, file, keys=StoredKeys(KEY), includes_keys=includes_keys, now=NOON)
    return file


def restore_backup(url: str, file: IO[bytes], *, is_held: bool = False) -> BackupResult:
    """Restore a backup into an empty database, an hour after it was made."""
    return restore(url, open_checked_backup(file), is_held=is_held, now=NOON + timedelta(hours=1))


def all_rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table that a restore leaves as it is."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=str)  # type: ignore[arg-type]
            for table in TABLES
            if table not in ROWS_OF_EVERY_COPY
        }


def execute(url: str, command: str) -> list[tuple[Any, ...]]:
    """Run a statement and return its rows."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        cursor = connection.execute(command)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def with_changed_members(file: IO[bytes], change: Callable[[dict[str, bytes]], None]) -> io.BytesIO:
    """Return the same file with its members changed."""
    with zipfile.ZipFile(file) as read:
        members = {name: read.read(name) for name in read.namelist()}
    change(members)
    changed_backup = io.BytesIO()
    with zipfile.ZipFile(changed_backup, "w") as new_archive:
        for name, content in members.items():
            new_archive.writestr(name, content)
    return changed_backup


def with_manifest(file: IO[bytes], **fields: Any) -> io.BytesIO:
    """Return the same backup with these fields of its manifest changed."""

    def change(members: dict[str, bytes]) -> None:
        manifest = msgspec.json.decode(members["manifest.json"]) | fields
        members["manifest.json"] = msgspec.json.encode(manifest)

    return with_changed_members(file, change)
