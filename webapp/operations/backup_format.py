"""The format of a backup file: a ZIP with one member per table, as written by COPY, and the manifest as the last member.

Any supported Postgres can restore it, unlike a file of ``pg_dump``, and no other program is needed. It keeps the positions of
sequences, because an id names an email for ever.

The manifest has the SHA-256 digest of every table. A truncated file lacks the list of members at its end, so it is not
a ZIP and cannot be mistaken for a complete backup.

Reads a ZIP file that may be hostile: in bounded memory, in the two compressions that backups use, and no bombs.

Nothing is extracted to a file, so names of members lead nowhere.
"""

import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Annotated, Final, TypeAlias

import msgspec

from webapp.kernel.operator_errors import InvalidBackup
from webapp.operations.consistency import Inconsistency
from webapp.operations.queries.table_copy import SequenceValue

_MAX_DIRECTORY_BYTES: Final = 1024 * 1024
"""The list of members; that of a backup has a few thousand bytes."""
_CHUNK_BYTES: Final = 64 * 1024
_MAX_ROW_BYTES: Final = 256 * 1024 * 1024
"""Postgres holds a row in memory, and so refuses more than a gigabyte."""
_UNCHECKED_BYTES: Final = 64 * 1024 * 1024
_MAX_RATIO: Final = 200
"""Above ``_UNCHECKED_BYTES`` a member must not unpack to so many times its size; rows of a database come to about ten."""
_COMPRESSIONS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
# Everything that `zipfile` raises for files that are none, or for one that lies about itself.
_ZIP_ERRORS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class Archive:
    """A ZIP file. The constructor and every method raise InvalidBackup."""

    def __init__(self, file: IO[bytes], *, max_row_bytes: int = _MAX_ROW_BYTES) -> None:
        self._max_row_bytes = max_row_bytes
        with _errors_as_invalid_backup():
            self._zip = zipfile.ZipFile(_BoundedReads(file))
            members = self._zip.infolist()
        self.names = [member.filename for member in members]
        if len(set(self.names)) < len(self.names):
            raise InvalidBackup("This ZIP file has two members of the same name.")
        if not {member.compress_type for member in members} <= _COMPRESSIONS:
            raise InvalidBackup(
                "This ZIP file is compressed in another way than Lodepost's backups."
            )

    def content_of(self, name: str, *, max_bytes: int) -> bytes:
        """Return a short member."""
        content = bytearray()
        for chunk in self.chunks_of(name):
            content += chunk
            if len(content) > max_bytes:
                raise InvalidBackup(f"{name} in this backup has more than {max_bytes} bytes.")
        return bytes(content)

    def chunks_of(self, name: str) -> Iterator[bytes]:
        """Yield a member in chunks."""
        guard = _UnpackingGuard(name, self._packed_size(name), self._max_row_bytes)
        with self._member(name) as member:
            while True:
                with _errors_as_invalid_backup():
                    chunk = member.read(_CHUNK_BYTES)
                if not chunk:
                    return
                guard.check(chunk)
                yield chunk

    def _packed_size(self, name: str) -> int:
        with _errors_as_invalid_backup():
            return self._zip.getinfo(name).compress_size

    @contextmanager
    def _member(self, name: str) -> Iterator[IO[bytes]]:
        with _errors_as_invalid_backup():
            member = self._zip.open(name)
        with member:
            yield member


class _UnpackingGuard:
    """Counts the bytes of a member and of its current line."""

    def __init__(self, name: str, packed_size: int, max_row_bytes: int) -> None:
        self._name = name
        self._max_row_bytes = max_row_bytes
        self._max_bytes = max(_UNCHECKED_BYTES, packed_size * _MAX_RATIO)
        self._byte_count = self._row_byte_count = 0

    def check(self, chunk: bytes) -> None:
        """Count a chunk. Raises InvalidBackup."""
        self._byte_count += len(chunk)
        line_end = chunk.rfind(b"\n")
        self._row_byte_count = (
            self._row_byte_count + len(chunk) if line_end < 0 else len(chunk) - line_end - 1
        )
        if self._byte_count > self._max_bytes or self._row_byte_count > self._max_row_bytes:
            raise InvalidBackup(f"{self._name} in this backup unpacks to far more than it should.")


class _BoundedReads:
    """A file in which no single read takes more memory than a list of members may have."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read at most so many bytes, or up to the end. Raises ValueError if that is too much."""
        content = self._file.read(
            size if 0 <= size <= _MAX_DIRECTORY_BYTES else _MAX_DIRECTORY_BYTES
        )
        if len(content) == _MAX_DIRECTORY_BYTES:
            raise ValueError("A part of this ZIP file is too long.")
        return content


@contextmanager
def _errors_as_invalid_backup() -> Iterator[None]:
    try:
        yield
    except KeyError:
        raise InvalidBackup("This ZIP file is not a complete Lodepost backup.") from None
    except _ZIP_ERRORS:
        raise InvalidBackup(
            "This file is not a complete Lodepost backup: it is truncated, damaged or something else."
        ) from None


BACKUP_FORMAT: Final = "lodepost backup 1"
_MANIFEST: Final = "manifest.json"
_MAX_MANIFEST_BYTES: Final = 16 * 1024 * 1024
_MAX_OLD_KEYS: Final = 100
_Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=63)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Instant: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
_Fingerprint: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")]
_POSSIBLE_YEARS: Final = range(2000, 9999)
"""Neither Python nor Postgres can compute with the first and the last instants that the other knows."""


class TableEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One table of the backup."""

    name: _Name
    columns: tuple[_Name, ...]
    rows: _Count
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the backup. Its repr is short because it may hold the installation's secret key."""

    format: str
    schema: _Name
    taken_at: _Instant
    tables: tuple[TableEntry, ...]
    sequences: dict[str, SequenceValue]
    inconsistencies: tuple[Inconsistency, ...]
    """What was inconsistent when the backup was made."""
    key_fingerprint: _Fingerprint
    """Distinguishes one SECRET_KEY from another without revealing it."""
    secret_key: str | None
    """The key itself, if the installation generated it and it is stored nowhere else."""
    old_secret_keys: Annotated[tuple[str, ...], msgspec.Meta(max_length=_MAX_OLD_KEYS)] = ()
    """The keys that it has replaced, as far as they still count."""

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible time, which the decoder reports like any other value."""
        if self.taken_at.year not in _POSSIBLE_YEARS:
            raise ValueError("It was made at an impossible time")

    def __repr__(self) -> str:
        return f"<Manifest of {self.taken_at:%Y-%m-%d}>"

    def row_count(self, table: str) -> int:
        return sum(entry.rows for entry in self.tables if entry.name == table)


class _ManifestFormat(msgspec.Struct):
    """The part of the manifest that every version of the format has."""

    format: str


class BackupWriter:
    """Writes the tables and then the manifest."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", compression=zipfile.ZIP_DEFLATED)

    def write_table(self, name: str, columns: tuple[str, ...], rows: Iterable[bytes]) -> TableEntry:
        """Write one table. In the text format of COPY every newline ends a row."""
        digest, count = hashlib.sha256(), 0
        with self._zip.open(_member_name(name), "w", force_zip64=True) as member:
            for chunk in rows:
                member.write(chunk)
                digest.update(chunk)
                count += chunk.count(b"\n")
        return TableEntry(name=name, columns=columns, rows=count, sha256=digest.hexdigest())

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and the list of members, without which the file is not a backup."""
        self._zip.writestr(_MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        self._zip.close()


class BackupReader:
    """Reads a backup, which may be anything. The constructor and every method raise InvalidBackup."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = Archive(file)
        self.manifest = self._read_manifest()
        self._require_members()

    def rows_of(self, table: TableEntry) -> Iterator[bytes]:
        """Yield the rows in chunks; raise InvalidBackup after the last one if the digest differs."""
        digest = hashlib.sha256()
        for chunk in self._archive.chunks_of(_member_name(table.name)):
            digest.update(chunk)
            yield chunk
        if digest.hexdigest() != table.sha256:
            raise InvalidBackup(
                f"Table {table.name} in this backup is damaged: its SHA-256 digest does not match."
            )

    def check(self) -> None:
        """Read every table once."""
        for table in self.manifest.tables:
            for _ in self.rows_of(table):
                pass

    def _read_manifest(self) -> Manifest:
        text = self._archive.content_of(_MANIFEST, max_bytes=_MAX_MANIFEST_BYTES)
        try:
            _require_format(msgspec.json.decode(text, type=_ManifestFormat).format)
            return msgspec.json.decode(text, type=Manifest)
        except RecursionError:
            raise InvalidBackup(
                "The manifest of this backup cannot be read: it is nested too deeply."
            ) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InvalidBackup(f"The manifest of this backup cannot be read: {error}.") from None

    def _require_members(self) -> None:
        expected_names = [_member_name(table.name) for table in self.manifest.tables]
        if sorted(self._archive.names) != sorted([*expected_names, _MANIFEST]):
            raise InvalidBackup("This ZIP file has other members than a Lodepost backup.")


def _require_format(format_name: str) -> None:
    if format_name != BACKUP_FORMAT:
        raise InvalidBackup(
            f"This file has format {format_name[:40]!r}; this release reads {BACKUP_FORMAT!r}. "
            "Restore it with the release that wrote it."
        )


def _member_name(table: str) -> str:
    return f"tables/{table}.copy"
