"""Write a backup of the database as of one instant, and restore one into an empty database.

Both check every game against its log.
"""

import hmac
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Final

import msgspec

from webapp.kernel.keys import (
    StoredKeys,
    fingerprint_of,
    has_staged_keys,
    is_valid_key,
    settle_staged_keys,
)
from webapp.kernel.operator_errors import InvalidBackup
from webapp.operations.backup_format import BACKUP_FORMAT, BackupReader, BackupWriter, Manifest
from webapp.operations.consistency import (
    Inconsistency,
    InspectionResult,
    inspect_games,
    require_current_schema,
)
from webapp.operations.queries import migrate, restored_copy, table_copy
from webapp.operations.queries.table_copy import TABLES, LoadTransaction, RowsRejected

RESTORED_NOTICE: Final = (
    "The site is being restored from a backup. Nothing can be played until that is done."
)
"""What visitors read until the copy is released."""


class BackupResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was written to a file or restored from it, and what the consistency check of its games found."""

    manifest: Manifest
    inspection: InspectionResult
    is_held: bool = False
    """Whether no email is sent from the restored copy until it is released."""


def back_up(
    url: str, file: IO[bytes], *, keys: StoredKeys, includes_keys: bool, now: datetime
) -> BackupResult:
    """Write the database as of one instant to an open file, while play continues.

    ``includes_keys``: they are stored nowhere else, so the backup contains them. Inconsistencies are backed up like
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
            key_fingerprint=fingerprint_of(keys.current),
            secret_key=keys.current if includes_keys else None,
            old_secret_keys=keys.old if includes_keys else (),
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
    _check_keys(manifest)
    reader.check()
    return reader


def _check_keys(manifest: Manifest) -> None:
    """Raise InvalidBackup for keys that no server could use."""
    if manifest.secret_key is None:
        return
    is_described = hmac.compare_digest(
        manifest.key_fingerprint.encode(), fingerprint_of(manifest.secret_key).encode()
    )
    if not is_described or not all(
        map(is_valid_key, (manifest.secret_key, *manifest.old_secret_keys))
    ):
        raise InvalidBackup("The secret key in this backup is damaged.")


def require_restorable(url: str, *, pause: Callable[[float], object] = time.sleep) -> None:
    """Raise UnsuitableDatabase unless the database is empty, writable and unused."""
    table_copy.require_restorable(url, pause=pause)


def restore(url: str, reader: BackupReader, *, is_held: bool, now: datetime) -> BackupResult:
    """Fill an empty database, completely or not at all; ``is_held``: no email is sent from it until it is released.

    A backup of a held copy is held in any case. Either way, deadlines move by the time since they were last watched before the backup. Raises DatabaseFailure,
    UnsuitableDatabase, InvalidBackup and Misconfigured.
    """
    migrate.upgrade_schema(url)
    with table_copy.load_transaction(url) as transaction:
        _load_tables(transaction, reader)
        inspection = inspect_games(transaction.connection)
        _require_no_new_inconsistencies(inspection.inconsistencies, reader.manifest.inconsistencies)
        is_held = is_held or restored_copy.is_held(transaction.connection)
        _adapt_copy(transaction, reader.manifest, is_held=is_held, now=now)
    return BackupResult(manifest=reader.manifest, inspection=inspection, is_held=is_held)


def _adapt_copy(
    transaction: LoadTransaction, manifest: Manifest, *, is_held: bool, now: datetime
) -> None:
    connection = transaction.connection
    # The key in the backup will be that of the restored installation; any other is the operator's to set.
    store_key = restored_copy.expect_key if manifest.secret_key else restored_copy.keep_expected_key
    store_key(connection, manifest.key_fingerprint, now=now)
    restored_copy.watch_deadlines_since(connection, manifest.taken_at)
    if is_held:
        restored_copy.hold_emails(
            connection, taken_at=manifest.taken_at, notice=RESTORED_NOTICE, now=now
        )


def keys_in(manifest: Manifest) -> StoredKeys | None:
    """Return the keys that the backup contains, if any."""
    if manifest.secret_key is None:
        return None
    return StoredKeys(manifest.secret_key, manifest.old_secret_keys)


def finish_interrupted_restore(url: str, folder: Path) -> bool:
    """Put the keys of a restore into place that was killed after its COMMIT; drop them if it was killed before.

    Return whether there were such keys. Raises DatabaseFailure.
    """
    if not has_staged_keys(folder):
        return False
    with table_copy.read_transaction(url) as transaction:
        fingerprint = restored_copy.expected_fingerprint(transaction.connection)
    return settle_staged_keys(folder, fingerprint)


def was_restored_from(url: str, manifest: Manifest) -> bool:
    """Return whether the database is a copy made from this backup that has not been released. Raises DatabaseFailure."""
    with table_copy.read_transaction(url) as transaction:
        return restored_copy.is_copy_of(transaction.connection, manifest.taken_at)


def was_made_with_one_of(manifest: Manifest, keys: Sequence[str]) -> bool:
    """Return whether the server that made the backup had one of these keys as its SECRET_KEY."""
    return manifest.key_fingerprint in {fingerprint_of(key) for key in keys}


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
