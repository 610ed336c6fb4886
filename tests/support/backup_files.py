"""Backups in memory, and the contents of databases to compare."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import msgspec
import psycopg

from tests.support.factories import (
    NOON,
)
from webapp.services.operations.backup_and_restore import (
    back_up,
)
from webapp.store.operations.table_copy import (
    TABLES,
)

KEY = "k" * 32


def backup_of(url: str, *, includes_key: bool = False) -> io.BytesIO:
    """Return a backup of the database."""
    file = io.BytesIO()
    back_up(url, file, key=KEY, includes_key=includes_key, now=NOON)
    return file


def all_rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=str)  # type: ignore[arg-type]
            for table in TABLES
        }


def execute(url: str, command: str) -> list[tuple[Any, ...]]:
    """Run a statement and return its rows."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        cursor = connection.execute(command)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def with_changed_members(
    file: io.BytesIO, change: Callable[[dict[str, bytes]], None]
) -> io.BytesIO:
    """Return the same file with its members changed."""
    with zipfile.ZipFile(file) as read:
        members = {name: read.read(name) for name in read.namelist()}
    change(members)
    changed_backup = io.BytesIO()
    with zipfile.ZipFile(changed_backup, "w") as new_archive:
        for name, content in members.items():
            new_archive.writestr(name, content)
    return changed_backup


def with_manifest(file: io.BytesIO, **fields: Any) -> io.BytesIO:
    """Return the same backup with these fields of its manifest changed."""

    def change(members: dict[str, bytes]) -> None:
        manifest = msgspec.json.decode(members["manifest.json"]) | fields
        members["manifest.json"] = msgspec.json.encode(manifest)

    return with_changed_members(file, change)
