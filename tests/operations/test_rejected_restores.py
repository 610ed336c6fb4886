"""A restore rejects damaged backups and unsuitable databases, and leaves nothing behind."""

import io
import time
import zipfile
from typing import Any

import msgspec
import psycopg
import pytest

from tests.support.backup_files import (
    all_rows,
    backup_of,
    execute,
    restore_backup,
    with_changed_members,
    with_manifest,
)
from tests.support.postgres import Postgres
from tests.support.transactions import NOON
from webapp.kernel.operator_errors import InvalidBackup, UnsuitableDatabase
from webapp.kernel.tx import Database
from webapp.operations.backup_and_restore import open_checked_backup, require_restorable, restore
from webapp.operations.backup_format import BackupWriter, TableEntry
from webapp.operations.queries.table_copy import RowsRejected, load_transaction

pytestmark = pytest.mark.own_database


def test_truncated_file_is_rejected(populated_database: Database, database_url: str) -> None:
    intact_backup = backup_of(database_url).getvalue()
    for length in (
        0,
        1,
        100,
        len(intact_backup) // 2,
        len(intact_backup) - 1000,
        len(intact_backup) - 1,
    ):
        with pytest.raises(InvalidBackup, match="truncated"):
            open_checked_backup(io.BytesIO(intact_backup[:length]))


def test_file_with_one_changed_byte_is_rejected_or_reads_the_same(
    populated_database: Database, database_url: str
) -> None:
    intact_backup = backup_of(database_url).getvalue()
    for place in range(len(intact_backup) // 40, len(intact_backup), len(intact_backup) // 20):
        damaged_bytes = bytearray(intact_backup)
        damaged_bytes[place] ^= 0x10
        try:
            reader = open_checked_backup(io.BytesIO(bytes(damaged_bytes)))
        except InvalidBackup:
            continue
        # Some bytes of a ZIP have no meaning: then everything must read as it was written.
        assert reader.manifest == open_checked_backup(io.BytesIO(intact_backup)).manifest


def test_replaced_table_is_rejected(populated_database: Database, database_url: str) -> None:
    def truncate_table(members: dict[str, bytes]) -> None:
        members["tables/notification.copy"] = b""

    with pytest.raises(InvalidBackup, match="notification in this backup is damaged"):
        open_checked_backup(with_changed_members(backup_of(database_url), truncate_table))


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"format": "lodepost backup 2"}, "has format 'lodepost backup 2'"),
        ({"schema": "0000"}, "has schema 0000; this release needs"),
        ({"tables": []}, "has other members"),
        ({"sequences": {}}, "has different tables"),
        ({"taken_at": "yesterday"}, "cannot be read"),
        ({"format": 7}, "cannot be read"),
    ],
)
def test_backup_with_an_unknown_manifest_is_rejected(
    fields: dict[str, Any], message: str, database_url: str
) -> None:
    with pytest.raises(InvalidBackup, match=message):
        open_checked_backup(with_manifest(backup_of(database_url), **fields))


def test_other_zip_file_is_rejected() -> None:
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as new_archive:
        new_archive.writestr("holiday.jpg", b"sand")
    with pytest.raises(InvalidBackup, match="not a complete Lodepost backup"):
        open_checked_backup(other)


def test_database_with_rows_is_not_overwritten(
    populated_database: Database, database_url: str, postgres: Postgres
) -> None:
    file = backup_of(database_url)
    earlier_rows = all_rows(database_url)
    with pytest.raises(UnsuitableDatabase, match="not empty"):
        require_restorable(database_url)
    with pytest.raises(UnsuitableDatabase, match="not empty"):
        restore_backup(database_url, file)
    assert all_rows(database_url) == earlier_rows


def test_database_with_other_connections_is_rejected(database_url: str) -> None:
    with (
        psycopg.connect(database_url.replace("+psycopg", "")),
        pytest.raises(UnsuitableDatabase, match="has 1 other connections"),
    ):
        require_restorable(database_url, pause=lambda _: None)
    require_restorable(database_url)


def test_closing_connection_is_waited_for(database_url: str) -> None:
    other_connection = psycopg.connect(database_url.replace("+psycopg", ""))

    def close_and_wait(seconds: float) -> None:
        other_connection.close()
        time.sleep(seconds)

    require_restorable(database_url, pause=close_and_wait)
    assert other_connection.closed


def test_database_with_foreign_tables_is_rejected(empty_database_url: str) -> None:
    execute(empty_database_url, "CREATE TABLE recipes (cake text)")
    with pytest.raises(UnsuitableDatabase, match="tables that are not Lodepost's"):
        require_restorable(empty_database_url)


def test_read_only_database_is_rejected(database_url: str) -> None:
    file = backup_of(database_url)
    name = database_url.rpartition("/")[2]
    execute(database_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(UnsuitableDatabase, match="read-only"):
        require_restorable(database_url)
    with pytest.raises(UnsuitableDatabase, match="read-only"):
        restore_backup(database_url, file)


def test_failed_restore_leaves_the_database_empty(
    populated_database: Database, database_url: str, empty_database_url: str
) -> None:
    """The file is intact, but one of its rows is invalid: a seat of a game that does not exist."""
    original = open_checked_backup(backup_of(database_url))
    invalid_row = b"99\t0\t\\N\tdigger\tf\t\\\\x\t\\N\n"
    file = io.BytesIO()
    writer = BackupWriter(file)
    tables: list[TableEntry] = [
        writer.write_table(
            table.name,
            table.columns,
            [invalid_row] if table.name == "seat" else original.rows_of(table),
        )
        for table in original.manifest.tables
    ]
    writer.finish(msgspec.structs.replace(original.manifest, tables=tuple(tables)))
    with pytest.raises(InvalidBackup, match="rejects the backup's rows of seat"):
        restore_backup(empty_database_url, file)
    assert not any(all_rows(empty_database_url).values())
    restore(empty_database_url, original, is_held=False, now=NOON)


def test_backup_without_its_turns_is_rejected(
    populated_database: Database, database_url: str, empty_database_url: str
) -> None:
    original = open_checked_backup(backup_of(database_url))
    file = io.BytesIO()
    writer = BackupWriter(file)
    tables = [
        writer.write_table(
            table.name, table.columns, [] if table.name == "turn" else original.rows_of(table)
        )
        for table in original.manifest.tables
    ]
    writer.finish(msgspec.structs.replace(original.manifest, tables=tuple(tables)))
    with pytest.raises(InvalidBackup, match="inconsistencies that the backup did not list"):
        restore_backup(empty_database_url, file)
    assert not any(all_rows(empty_database_url).values())


def test_error_about_a_rejected_row_does_not_quote_it(database_url: str) -> None:
    with (
        pytest.raises(RowsRejected) as error_info,
        load_transaction(database_url) as transaction,
    ):
        transaction.insert_rows("secret", [b"hush\thush\n"])
    assert "secret (" in str(error_info.value)
    assert "hush" not in str(error_info.value)
