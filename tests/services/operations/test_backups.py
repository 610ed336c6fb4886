"""A backup contains everything as of one instant; it is restored completely, or not at all."""

import io
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import (
    NOON,
    Guest,
    deal_game,
    play_to_end,
    play_turn,
    sign_in_guest,
    sign_in_guests,
    table_settings,
)
from tests.support.postgres import Postgres
from webapp.operator_errors import InvalidBackup, SchemaMismatch, UnsuitableDatabase
from webapp.services.operations.backup_file import BackupReader, BackupWriter, Manifest, TableEntry
from webapp.services.operations.backups import (
    back_up,
    open_checked,
    require_restorable,
    restore,
    was_made_with_key,
)
from webapp.services.tx import Database
from webapp.store.operations.table_copy import (
    TABLES,
    RowsRejected,
    load_transaction,
    schema_locked_read_transaction,
)

KEY = "k" * 32


@pytest.fixture
def populated(database: Database, slug: str, guests: list[Guest]) -> Database:
    """A running game, a finished one, sessions and emails."""
    play_turn(database, slug, guests[0])
    play_to_end(database, deal_game(database, guests[:1], table_settings(seats=3)), guests[:1])
    database.dispose()
    return database


def backup_of(url: str, *, includes_key: bool = False) -> io.BytesIO:
    file = io.BytesIO()
    back_up(url, file, key=KEY, includes_key=includes_key, now=NOON)
    return file


def all_rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=str)  # type: ignore[arg-type]
            for table in TABLES
        }


def execute(url: str, command: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        cursor = connection.execute(command)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def changed(file: io.BytesIO, change: Callable[[dict[str, bytes]], None]) -> io.BytesIO:
    """Return the same file with its members changed."""
    with zipfile.ZipFile(file) as read:
        members = {name: read.read(name) for name in read.namelist()}
    change(members)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as written:
        for name, content in members.items():
            written.writestr(name, content)
    return out


def with_manifest(file: io.BytesIO, **fields: Any) -> io.BytesIO:
    def change(members: dict[str, bytes]) -> None:
        manifest = msgspec.json.decode(members["manifest.json"]) | fields
        members["manifest.json"] = msgspec.json.encode(manifest)

    return changed(file, change)


def test_restored_database_equals_the_original(
    populated: Database, database_url: str, postgres: Postgres
) -> None:
    file = backup_of(database_url)
    with postgres.empty_database() as url:
        result = restore(url, open_checked(file))
        assert all_rows(url) == all_rows(database_url)
    assert result.inspection.inconsistencies == ()
    assert result.inspection.games == 2
    assert result.inspection.turns == result.manifest.row_count("turn") > 10
    assert all(all_rows(database_url)[name] for name in ("account", "session", "notification"))


def test_sequences_continue_even_if_their_rows_were_deleted(
    database: Database, database_url: str, postgres: Postgres
) -> None:
    sign_in_guests(database, ALICE, BOB)
    database.dispose()
    # The email of a sign-in is unique by the number of the sign-in: with a repeated number it would never be sent.
    execute(database_url, "DELETE FROM sign_in")
    with postgres.empty_database() as url:
        restore(url, open_checked(backup_of(database_url)))
        numbers = [
            execute(one, "SELECT nextval('sign_in_id_seq')")[0][0] for one in (url, database_url)
        ]
        fresh = [execute(one, "SELECT nextval('game_id_seq')")[0][0] for one in (url, database_url)]
    assert numbers[0] == numbers[1] == 3
    assert fresh == [1, 1]


def test_play_continues_in_a_restored_database(
    populated: Database, slug: str, guests: list[Guest], database_url: str, postgres: Postgres
) -> None:
    from webapp.services.tx import Database

    with postgres.empty_database() as url:
        restore(url, open_checked(backup_of(database_url)))
        restored = Database(url, pool_size=1)
        before = play_turn(restored, slug, guests[1]).seq
        sign_in_guest(restored, DAVE)
        restored.dispose()
    assert before == play_turn(populated, slug, guests[1]).seq


def test_backup_excludes_later_commits(
    populated: Database, slug: str, guests: list[Guest], database_url: str
) -> None:
    with schema_locked_read_transaction(database_url) as transaction:
        games = b"".join(transaction.rows_of("game"))
        play_turn(populated, slug, guests[1])
        turns = b"".join(transaction.rows_of("turn")).count(b"\n")
        assert b"".join(transaction.rows_of("game")) == games
    assert len(all_rows(database_url)["turn"]) == turns + 1


def test_large_table_is_read_in_small_chunks(database_url: str) -> None:
    execute(
        database_url,
        "INSERT INTO notification (kind, dedup_key, first_due_at, due_at, message) "
        "SELECT 'sign-in', n, now(), now(), decode(repeat('ab', 2000), 'hex') "
        "FROM generate_series(1, 2000) AS n",
    )
    with schema_locked_read_transaction(database_url) as transaction:
        sizes = [len(chunk) for chunk in transaction.rows_of("notification")]
    reader = open_checked(backup_of(database_url))
    table = next(table for table in reader.manifest.tables if table.name == "notification")
    assert sum(sizes) > 8_000_000
    assert max(sizes) < 100_000
    assert max(map(len, reader.rows_of(table))) < 100_000
    assert table.rows == 2000


def test_backup_includes_the_key_only_on_request(database_url: str) -> None:
    without = backup_of(database_url)
    assert open_checked(without).manifest.secret_key is None
    assert KEY.encode() not in without.getvalue()
    manifest = open_checked(backup_of(database_url, includes_key=True)).manifest
    assert manifest.secret_key == KEY
    assert was_made_with_key(manifest, KEY)
    assert not was_made_with_key(manifest, "o" * 32)
    assert KEY not in repr(manifest)


def test_truncated_file_is_rejected(populated: Database, database_url: str) -> None:
    whole = backup_of(database_url).getvalue()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1000, len(whole) - 1):
        with pytest.raises(InvalidBackup, match="truncated"):
            open_checked(io.BytesIO(whole[:length]))


def test_file_with_one_changed_byte_is_rejected_or_reads_the_same(
    populated: Database, database_url: str
) -> None:
    whole = backup_of(database_url).getvalue()
    for place in range(len(whole) // 40, len(whole), len(whole) // 20):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        try:
            reader = open_checked(io.BytesIO(bytes(damaged)))
        except InvalidBackup:
            continue
        # Some bytes of a ZIP have no meaning: then everything must read as it was written.
        assert reader.manifest == open_checked(io.BytesIO(whole)).manifest


def test_replaced_table_is_rejected(populated: Database, database_url: str) -> None:
    def empty_table(members: dict[str, bytes]) -> None:
        members["tables/notification.copy"] = b""

    with pytest.raises(InvalidBackup, match="notification in this backup is damaged"):
        open_checked(changed(backup_of(database_url), empty_table))


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"format": "lodepost backup 2"}, "has format 'lodepost backup 2'"),
        ({"schema": "0000"}, "has schema 0000; this release needs"),
        ({"tables": []}, "has different tables"),
        ({"sequences": {}}, "has different tables"),
        ({"taken_at": "yesterday"}, "cannot be read"),
        ({"format": 7}, "cannot be read"),
    ],
)
def test_backup_with_an_unknown_manifest_is_rejected(
    fields: dict[str, Any], words: str, database_url: str
) -> None:
    with pytest.raises(InvalidBackup, match=words):
        open_checked(with_manifest(backup_of(database_url), **fields))


def test_other_zip_file_is_rejected() -> None:
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as written:
        written.writestr("holiday.jpg", b"sand")
    with pytest.raises(InvalidBackup, match="not a complete Lodepost backup"):
        open_checked(other)


def test_database_with_rows_is_not_overwritten(
    populated: Database, database_url: str, postgres: Postgres
) -> None:
    file = backup_of(database_url)
    before = all_rows(database_url)
    with pytest.raises(UnsuitableDatabase, match="not empty"):
        require_restorable(database_url)
    with pytest.raises(UnsuitableDatabase, match="not empty"):
        restore(database_url, open_checked(file))
    assert all_rows(database_url) == before


def test_database_with_other_connections_is_rejected(database_url: str) -> None:
    with (
        psycopg.connect(database_url.replace("+psycopg", "")),
        pytest.raises(UnsuitableDatabase, match="has 1 other connections"),
    ):
        require_restorable(database_url)
    require_restorable(database_url)


def test_closing_connection_is_waited_for(database_url: str) -> None:
    leaving = psycopg.connect(database_url.replace("+psycopg", ""))
    timer = threading.Timer(0.2, leaving.close)
    timer.start()
    require_restorable(database_url)
    timer.join()


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
        restore(database_url, open_checked(file))


def test_failed_restore_leaves_the_database_empty(
    populated: Database, database_url: str, empty_database_url: str
) -> None:
    """The file is intact, but one of its rows is invalid: a seat of a game that does not exist."""
    original = open_checked(backup_of(database_url))
    bad = b"99\t0\t\\N\tdigger\tf\t\\\\x\t\\N\n"
    file = io.BytesIO()
    writer = BackupWriter(file)
    tables: list[TableEntry] = [
        writer.write_table(
            table.name, table.columns, [bad] if table.name == "seat" else original.rows_of(table)
        )
        for table in original.manifest.tables
    ]
    writer.finish(msgspec.structs.replace(original.manifest, tables=tuple(tables)))
    with pytest.raises(InvalidBackup, match="rejects the backup's rows of seat"):
        restore(empty_database_url, open_checked(file))
    assert not any(all_rows(empty_database_url).values())
    restore(empty_database_url, original)


def test_backup_without_its_turns_is_rejected(
    populated: Database, database_url: str, empty_database_url: str
) -> None:
    original = open_checked(backup_of(database_url))
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
        restore(empty_database_url, open_checked(file))
    assert not any(all_rows(empty_database_url).values())


def test_known_inconsistencies_are_restored_and_reported(
    populated: Database, slug: str, database_url: str, empty_database_url: str
) -> None:
    execute(database_url, f"UPDATE game SET awaiting = 2 WHERE slug = '{slug}'")
    result = restore(empty_database_url, open_checked(backup_of(database_url)))
    assert [one.slug for one in result.inspection.inconsistencies] == [slug]
    assert all_rows(empty_database_url) == all_rows(database_url)


def test_database_with_another_schema_is_not_backed_up(database_url: str) -> None:
    execute(database_url, "UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(SchemaMismatch, match="has schema 0000"):
        backup_of(database_url)


def test_error_about_a_rejected_row_does_not_quote_it(database_url: str) -> None:
    with (
        pytest.raises(RowsRejected) as rejected,
        load_transaction(database_url) as transaction,
    ):
        transaction.insert_rows("secret", [b"hush\thush\n"])
    assert "secret (" in str(rejected.value)
    assert "hush" not in str(rejected.value)


def test_manifest_is_read_as_written(database_url: str) -> None:
    file = backup_of(database_url)
    manifest: Manifest = BackupReader(file).manifest
    assert manifest.taken_at == NOON
    assert [table.name for table in manifest.tables] == list(TABLES)


def test_special_characters_survive_a_restore(
    database: Database, database_url: str, empty_database_url: str
) -> None:
    sign_in_guest(database, CAROL)
    database.dispose()
    execute(database_url, r"UPDATE account SET name = E'Tab\tLine\nSlash\\N ą 🂡'")
    restore(empty_database_url, open_checked(backup_of(database_url)))
    assert all_rows(empty_database_url) == all_rows(database_url)


def test_backup_contains_no_path_of_this_machine(populated: Database, database_url: str) -> None:
    assert str(Path.cwd()).encode() not in backup_of(database_url).getvalue()
