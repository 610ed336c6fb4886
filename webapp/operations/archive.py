"""Reads a ZIP file that may be hostile: in bounded memory, in the two compressions that backups use, and no bombs.

Nothing is extracted to a file, so names of members lead nowhere.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

from webapp.kernel.operator_errors import InvalidBackup

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
