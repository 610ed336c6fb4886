"""Write a backup of the database as of one instant, and restore one into an empty database.

Both check every game against its log.
"""

import hashlib
import hmac
from datetime import datetime
from typing import IO

import msgspec

from webapp.operator_errors import InvalidBackup
from webapp.services.operations.backup_format import (
    BACKUP_FORMAT,
    BackupReader,
    BackupWriter,
    Manifest,
)
from webapp.services.operations.consistency import (
    Inconsistency,
    InspectionResult,
    inspect_games,
    require_current_schema,
)
from webapp.store.operations import migrate, table_copy
from webapp.store.operations.table_copy import TABLES, LoadTransaction, RowsRejected


class BackupResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was written to a file or restored from it, and what the consistency check of its games found."""

    manifest: Manifest
    inspection: InspectionResult


def back_up(
    url: str, file: IO[bytes], *, key: str, includes_key: bool, now: datetime
) -> BackupResult:
    """Write the database as of one instant to an open file, while play continues.

    ``includes_key``: the key is stored nowhere else, so the backup contains it. Inconsistencies are backed up like
    everything else and listed in the manifest. Raises DatabaseFailure and SchemaMismatch.
    """
    require_current_schema(url)
    with table_copy.schema_locked_read_transaction(url) as transaction:
        inspection = inspect_games(transaction.connection)
        writer = BackupWriter(file)
        tables = [
            writer.write_table(name, columns, transaction.rows_of(name))
            for name, columns in TABLES.items()
        ]
        manifest = Manifest(
            format=BACKUP_FORMAT,
            schema=migrate.newest_revision(),
            taken_at=now,
            tables=tuple(tables),
            sequences=transaction.sequence_values(),
            inconsistencies=inspection.inconsistencies,
            key_fingerprint=_fingerprint(key),
            secret_key=key if includes_key else None,
        )
        writer.finish(manifest)
    return BackupResult(manifest=manifest, inspection=inspection)


def open_checked_backup(file: IO[bytes]) -> BackupReader:
    """Return a reader for a backup that is complete and has this release's schema. Raises InvalidBackup."""
    reader = BackupReader(file)
    manifest = reader.manifest
    if manifest.schema != migrate.newest_revision():
        raise InvalidBackup(
            f"This backup has schema {manifest.schema}; this release needs "
            f"{migrate.newest_revision()}. Restore it with the release that wrote it, then upgrade."
        )
    if {table.name: table.columns for table in manifest.tables} != TABLES or (
        manifest.sequences.keys() != table_copy.tables_with_sequence()
    ):
        raise InvalidBackup("This backup has different tables from those of this release.")
    reader.check()
    return reader


def require_restorable(url: str) -> None:
    """Raise UnsuitableDatabase unless the database is empty, writable and unused."""
    table_copy.require_restorable(url)


def restore(url: str, reader: BackupReader) -> BackupResult:
    """Fill an empty database, completely or not at all.

    Raises DatabaseFailure, UnsuitableDatabase, InvalidBackup and Misconfigured.
    """
    migrate.upgrade_schema(url)
    with table_copy.load_transaction(url) as transaction:
        _load_tables(transaction, reader)
        inspection = inspect_games(transaction.connection)
        _require_no_new_inconsistencies(inspection.inconsistencies, reader.manifest.inconsistencies)
    return BackupResult(manifest=reader.manifest, inspection=inspection)


def was_made_with_key(manifest: Manifest, key: str) -> bool:
    """Return whether the server that made the backup had this SECRET_KEY."""
    return hmac.compare_digest(manifest.key_fingerprint, _fingerprint(key))


def _load_tables(transaction: LoadTransaction, reader: BackupReader) -> None:
    try:
        for table in reader.manifest.tables:
            if transaction.insert_rows(table.name, reader.rows_of(table)) != table.rows:
                raise InvalidBackup(f"Table {table.name} does not have {table.rows} rows.")
        transaction.set_sequences(reader.manifest.sequences)
    except RowsRejected as error:
        raise InvalidBackup(f"The database rejects the backup's rows of {error}.") from None


def _require_no_new_inconsistencies(
    found_inconsistencies: tuple[Inconsistency, ...],
    known_inconsistencies: tuple[Inconsistency, ...],
) -> None:
    if set(found_inconsistencies) - set(known_inconsistencies):
        raise InvalidBackup(
            "The restored games have inconsistencies that the backup did not list; nothing was kept."
        )


def _fingerprint(key: str) -> str:
    return hmac.new(key.encode(), b"lodepost backup", hashlib.sha256).hexdigest()[:16]
