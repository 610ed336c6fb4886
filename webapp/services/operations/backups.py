"""A backup made of one instant, and an empty database filled from one; both sides fold every log onto its snapshot."""

import hashlib
import hmac
from datetime import datetime
from typing import IO

import msgspec

from webapp.services.operations.backup_file import FORMAT, Manifest, Reader, Unusable, Writer
from webapp.services.operations.consistency import (
    Disagreement,
    Inspected,
    NotThisSchema,
    inspect_at,
    require_this_schema,
)
from webapp.store.operations import copying, migrate
from webapp.store.operations.copying import (
    TABLES,
    Away,
    Filling,
    Instant,
    Occupied,
    Rejected,
    require_free,
)

__all__ = [
    "Away",
    "Manifest",
    "NotThisSchema",
    "Occupied",
    "Unusable",
    "back_up",
    "bears_mark_of",
    "checked_reader",
    "require_free",
    "restore",
]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What went into a file or a database, and what was found when its logs were folded."""

    manifest: Manifest
    inspected: Inspected


def back_up(url: str, file: IO[bytes], *, key: str, carries_key: bool, now: datetime) -> Made:
    """Write the database to an open file, as it stands at one instant, with whoever plays going on.

    ``carries_key``: nobody else keeps the installation's key. Raises Away, and NotThisSchema when the database is not at
    the schema of this release. What disagrees in it is noted, not left out.
    """
    require_this_schema(url)
    with copying.locked_instant_of(url) as instant:
        inspected = inspect_at(instant.connection)
        manifest = _write(
            instant,
            Writer(file),
            taken_at=now,
            found=inspected.disagreements,
            key=key,
            carries_key=carries_key,
        )
    return Made(manifest=manifest, inspected=inspected)


def checked_reader(file: IO[bytes]) -> Reader:
    """A backup that was read through once, is whole and of this release's schema. Raises Unusable."""
    reader = Reader(file)
    manifest = reader.manifest
    if manifest.schema != migrate.newest_revision():
        raise Unusable(
            f"This backup is of the schema {manifest.schema}, and this release is at "
            f"{migrate.newest_revision()}. Restore it with the release that wrote it, then upgrade."
        )
    if {table.name: table.columns for table in manifest.tables} != TABLES or (
        manifest.counts.keys() != copying.counted_tables()
    ):
        raise Unusable(
            "This backup names other tables than this release has; it was not made by it."
        )
    reader.check()
    return reader


def restore(url: str, reader: Reader) -> Made:
    """Fill an empty database, all or nothing; see `require_free`. Raises Away, Occupied, Unusable and Misconfigured."""
    migrate.upgrade(url)
    with copying.filling(url) as into:
        _fill(into, reader)
        inspected = inspect_at(into.connection)
        _require_no_more(inspected.disagreements, reader.manifest.disagreements)
    return Made(manifest=reader.manifest, inspected=inspected)


def bears_mark_of(manifest: Manifest, key: str) -> bool:
    """Whether the backup was made by a server with this SECRET_KEY."""
    return hmac.compare_digest(manifest.key_mark, _mark_of(key))


def _write(
    instant: Instant,
    writer: Writer,
    *,
    taken_at: datetime,
    found: tuple[Disagreement, ...],
    key: str,
    carries_key: bool,
) -> Manifest:
    tables = [writer.put(name, TABLES[name], instant.rows_of(name)) for name in TABLES]
    manifest = Manifest(
        format=FORMAT,
        schema=migrate.newest_revision(),
        taken_at=taken_at,
        tables=tuple(tables),
        counts=instant.counts(),
        disagreements=found,
        key_mark=_mark_of(key),
        secret_key=key if carries_key else None,
    )
    writer.finish(manifest)
    return manifest


def _fill(into: Filling, reader: Reader) -> None:
    try:
        for table in reader.manifest.tables:
            if into.put(table.name, reader.rows_of(table)) != table.rows:
                raise Unusable(f"The table {table.name} has more or fewer rows than it should.")
        into.set_counts(reader.manifest.counts)
    except Rejected as problem:
        raise Unusable(f"The database refuses what this backup holds for {problem}.") from None


def _require_no_more(found: tuple[Disagreement, ...], known: tuple[Disagreement, ...]) -> None:
    if set(found) - set(known):
        raise Unusable(
            "What was filled in disagrees with itself where the backup did not; nothing was kept."
        )


def _mark_of(key: str) -> str:
    return hmac.new(key.encode(), b"lodepost backup", hashlib.sha256).hexdigest()[:16]
