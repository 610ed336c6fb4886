"""A file that claims to be a backup may hold anything: it is refused with a message, in bounded memory."""

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.backup_files import KEY, backup_of, with_changed_members, with_manifest
from tests.support.postgres import Postgres
from webapp.kernel.operator_errors import InvalidBackup
from webapp.operations.backup_and_restore import open_checked_backup
from webapp.operations.backup_format import Archive, BackupReader
from webapp.operations.queries.migrate import upgrade_schema

pytestmark = pytest.mark.own_database

_MANIFEST: Final = "manifest.json"
_MEGABYTE: Final = 1024 * 1024


@pytest.fixture(scope="module")
def intact_backup(postgres: Postgres) -> bytes:
    """A backup of a database without rows."""
    with postgres.empty_database() as url:
        upgrade_schema(url)
        return backup_of(url, includes_keys=True).getvalue()


def members_of(file: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(file)) as zip_file:
        return {name: zip_file.read(name) for name in zip_file.namelist()}


def zip_of(members: list[tuple[str, bytes]], compression: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as zip_file:
        for name, content in members:
            zip_file.writestr(name, content)
    return file


def read(file: io.BytesIO) -> None:
    """Read it as a restore does. Only InvalidBackup may be raised."""
    open_checked_backup(file)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000,
        b'{"format":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"format":"lodepost backup 1","schema":' + b"[" * 5000,
        b'{"format":"lodepost backup 1","x":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
        b"",
        b"\xff\xfe",
        b"null",
        b"1e999999",
    ],
)
def test_manifest_that_is_no_manifest_is_refused(text: bytes, intact_backup: bytes) -> None:
    members = members_of(intact_backup) | {_MANIFEST: text}
    with pytest.raises(InvalidBackup, match="manifest of this backup cannot be read"):
        read(zip_of(list(members.items())))


@pytest.mark.parametrize(
    "fields",
    [
        {"taken_at": "2026-03-02T12:00:00"},
        {"taken_at": 10**30},
        {"taken_at": "0001-01-01T00:00:00+14:00"},
        {"taken_at": "9999-12-31T23:59:59-14:00"},
        {"schema": "x" * 10_000},
        {"key_fingerprint": "\u00e9"},
        {"key_fingerprint": 7},
        {"key_fingerprint": "\0", "secret_key": None},
        {"secret_key": "short"},
        {"secret_key": "k" * 31 + "\n"},
        {"secret_key": "o" * 32},
        {"secret_key": "k" * 10_000},
        {"old_secret_keys": ["two\nlines" + "x" * 32]},
        {"old_secret_keys": [KEY] * 1000},
        {"old_secret_keys": None},
        {"sequences": {"game": {"last": 10**40, "is_used": True}}},
        {"inconsistencies": [["x", "no-such-kind"]]},
        {"tables": [{"name": "../../etc/passwd", "columns": [], "rows": 1, "sha256": ""}]},
        {"tables": [{"name": "account", "columns": ["id"], "rows": -1, "sha256": ""}]},
    ],
)
def test_manifest_with_impossible_values_is_refused(
    fields: dict[str, Any], intact_backup: bytes
) -> None:
    with pytest.raises(InvalidBackup):
        read(with_manifest(io.BytesIO(intact_backup), **fields))


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_compressions_are_refused(compression: int, intact_backup: bytes) -> None:
    with pytest.raises(InvalidBackup, match="compressed in another way"):
        read(zip_of(list(members_of(intact_backup).items()), compression))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    "name, message",
    [
        (_MANIFEST, "two members of the same name"),
        ("tables/account.copy", "two members of the same name"),
        ("../../etc/passwd", "other members"),
        ("/tables/account.copy", "other members"),
        ("tables/", "other members"),
    ],
)
def test_members_that_no_backup_has_are_refused(
    name: str, message: str, intact_backup: bytes
) -> None:
    with pytest.raises(InvalidBackup, match=message):
        read(zip_of([*members_of(intact_backup).items(), (name, b"")]))


def test_missing_table_is_refused(intact_backup: bytes) -> None:
    members = members_of(intact_backup)
    del members["tables/account.copy"]
    with pytest.raises(InvalidBackup, match="other members"):
        read(zip_of(list(members.items())))


def memory_needed(step: Callable[[], object]) -> int:
    """Return the most bytes that were in use at a time while a step was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(InvalidBackup):
            step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", [_MANIFEST, "tables/account.copy"])
def test_bomb_is_refused_in_little_memory(name: str, intact_backup: bytes) -> None:
    members = members_of(intact_backup) | {name: b"1\n" * (40 * _MEGABYTE)}
    bomb = zip_of(list(members.items()))
    assert len(bomb.getvalue()) < _MEGABYTE
    assert memory_needed(lambda: read(bomb)) < 40 * _MEGABYTE


def test_long_list_of_members_is_not_read(intact_backup: bytes) -> None:
    members = [(f"tables/{number}.copy", b"") for number in range(30_000)]
    file = zip_of([*members_of(intact_backup).items(), *members], zipfile.ZIP_STORED)
    assert memory_needed(lambda: BackupReader(file)) < 5 * _MEGABYTE


def test_row_that_does_not_end_is_refused() -> None:
    file = zip_of([("a", b"x" * 200_000)], zipfile.ZIP_STORED)
    with pytest.raises(InvalidBackup, match="unpacks to far more"):
        list(Archive(file, max_row_bytes=100_000).chunks_of("a"))


@given(data=st.data())
def test_damaged_backup_is_refused_or_reads_the_same(
    data: st.DataObject, intact_backup: bytes
) -> None:
    damaged = bytearray(intact_backup)
    places = st.integers(0, len(damaged) - 1)
    # The list of members at the end says where everything is: it is damaged half of the time.
    list_places = st.integers(len(damaged) - 4000, len(damaged) - 1)
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(places | list_places)
        damaged[place] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]) | st.integers(0, 255))
    end = data.draw(st.just(len(damaged)) | places)
    file = io.BytesIO(bytes(damaged[:end]))
    try:
        reader = open_checked_backup(file)
    except InvalidBackup:
        return
    assert reader.manifest == open_checked_backup(io.BytesIO(intact_backup)).manifest


_JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children)
    ),
    max_leaves=8,
)


@given(data=st.data())
def test_manifest_with_other_types_is_refused(data: st.DataObject, intact_backup: bytes) -> None:
    manifest = json.loads(members_of(intact_backup)[_MANIFEST])
    name = data.draw(st.sampled_from(sorted(manifest)))
    value = data.draw(_JSON_VALUES)
    if value == manifest[name] or name in {"taken_at", "inconsistencies", "old_secret_keys"}:
        value = [[[7]]]
    text = json.dumps(manifest | {name: value}).encode()
    changed = with_changed_members(
        io.BytesIO(intact_backup), lambda members: members.update({_MANIFEST: text})
    )
    if name == "secret_key" and value is None:
        read(changed)
        return
    with pytest.raises(InvalidBackup):
        read(changed)


def test_absurd_lengths_in_the_list_of_members_are_refused(intact_backup: bytes) -> None:
    start = intact_backup.rindex(b"PK\x05\x06")
    for offset in (12, 16):
        damaged = bytearray(intact_backup)
        struct.pack_into("<I", damaged, start + offset, 2**32 - 1)
        with pytest.raises(InvalidBackup):
            read(io.BytesIO(bytes(damaged)))


def test_messages_about_hostile_text_stay_short(intact_backup: bytes) -> None:
    text = msgspec.json.encode({"format": "\x1b[2J" * 10_000})
    changed = with_changed_members(
        io.BytesIO(intact_backup), lambda members: members.update({_MANIFEST: text})
    )
    with pytest.raises(InvalidBackup) as refusal:
        read(changed)
    assert len(str(refusal.value)) < 300
