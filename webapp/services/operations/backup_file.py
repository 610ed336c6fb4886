"""What a backup is as a file: a ZIP with a member for every table, as COPY wrote it, and a manifest as the last of them.

Each table has its digest (SHA-256) in the manifest. A file that was cut short has no list of members at its end, and so
is no ZIP at all: it cannot be taken for a whole one.
"""

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Final

import msgspec

from webapp.services.operations.consistency import Disagreement
from webapp.store.operations.copying import Count

FORMAT: Final = "lodepost backup 1"
_MANIFEST: Final = "manifest.json"
_LARGEST_MANIFEST: Final = 16 * 1024 * 1024
_PIECE: Final = 64 * 1024
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class Unusable(Exception):
    """This is no backup that can be used; the sentence says why, and what would be right."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table in the file."""

    name: str
    columns: tuple[str, ...]
    rows: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds. Blank in tracebacks, for it may hold the key of the installation."""

    format: str
    schema: str
    taken_at: datetime
    tables: tuple[Table, ...]
    counts: dict[str, Count]
    disagreements: tuple[Disagreement, ...]
    """What disagreed already when the backup was made."""
    key_mark: str
    """Tells one SECRET_KEY from another, and nothing of it."""
    secret_key: str | None
    """The key itself, where the installation had drawn it and nobody else keeps it."""

    def __repr__(self) -> str:
        return f"<Manifest of {self.taken_at:%Y-%m-%d}>"

    def rows_of(self, table: str) -> int:
        return sum(entry.rows for entry in self.tables if entry.name == table)


class _Any(msgspec.Struct):
    """What every version of the format says first."""

    format: str


class Writer:
    """Writes a backup from the first table to the manifest."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", compression=zipfile.ZIP_DEFLATED)

    def put(self, name: str, columns: tuple[str, ...], rows: Iterable[bytes]) -> Table:
        """Write a table. In the text of COPY a row ends where a line ends, and nothing else does."""
        digest, count = hashlib.sha256(), 0
        with self._zip.open(_member(name), "w", force_zip64=True) as member:
            for piece in rows:
                member.write(piece)
                digest.update(piece)
                count += piece.count(b"\n")
        return Table(name=name, columns=columns, rows=count, sha256=digest.hexdigest())

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and the list of members; before this the file is none."""
        self._zip.writestr(_MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        self._zip.close()


class Reader:
    """Reads a backup. Raises Unusable, here and later."""

    def __init__(self, file: IO[bytes]) -> None:
        with _in_words():
            self._zip = zipfile.ZipFile(file)
        self.manifest = self._read_manifest()

    def rows_of(self, table: Table) -> Iterator[bytes]:
        """The rows, in pieces; Unusable at their end when they are not those that were written."""
        digest = hashlib.sha256()
        with _in_words(), self._zip.open(_member(table.name)) as member:
            for piece in iter(_reading(member), b""):
                digest.update(piece)
                yield piece
        if digest.hexdigest() != table.sha256:
            raise Unusable(
                f"The table {table.name} in this backup is not what was written: its digest differs."
            )

    def check(self) -> None:
        """Read all of it once."""
        for table in self.manifest.tables:
            for _ in self.rows_of(table):
                pass

    def _read_manifest(self) -> Manifest:
        with _in_words(), self._zip.open(_MANIFEST) as member:
            text = member.read(_LARGEST_MANIFEST)
        try:
            _require_format(msgspec.json.decode(text, type=_Any).format)
            return msgspec.json.decode(text, type=Manifest)
        except msgspec.DecodeError as problem:
            raise Unusable(f"The manifest of this backup cannot be read: {problem}.") from None


def _require_format(found: str) -> None:
    if found != FORMAT:
        raise Unusable(
            f"This file says it is {found[:40]!r}; this release reads {FORMAT!r}. "
            "Restore it with the release that wrote it."
        )


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except KeyError:
        raise Unusable("This is a ZIP, but no whole backup of Lodepost.") from None
    except _BROKEN:
        raise Unusable(
            "This is no whole backup of Lodepost: it is something else, was cut short or is damaged."
        ) from None


def _member(table: str) -> str:
    return f"tables/{table}.copy"


def _reading(member: IO[bytes]) -> Callable[[], bytes]:
    return lambda: member.read(_PIECE)
