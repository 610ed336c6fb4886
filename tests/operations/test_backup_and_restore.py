"""A backup contains everything as of one instant, and can be restored completely."""

import zipfile
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from engine.wire import stored_json
from tests.support.backup_files import KEY, all_rows, backup_of, execute, restore_backup
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import Guest, play_turn, sign_in_by_email, sign_in_guest
from tests.support.postgres import Postgres
from tests.support.transactions import NOON, transaction
from webapp.kernel.operator_errors import SchemaMismatch
from webapp.kernel.tx import Database
from webapp.mail.schema import Notification, StoredMessage
from webapp.operations.backup_and_restore import open_checked_backup, was_made_with_one_of
from webapp.operations.backup_format import BackupReader, Manifest
from webapp.operations.consistency import inspect_database
from webapp.operations.queries.table_copy import TABLES, schema_locked_read_transaction
from webapp.play.schema import Game, Turn

pytestmark = pytest.mark.own_database


def test_restored_database_equals_the_original(
    populated_database: Database, database_url: str, postgres: Postgres
) -> None:
    file = backup_of(database_url)
    with postgres.empty_database() as url:
        result = restore_backup(url, file)
        assert all_rows(url) == all_rows(database_url)
    assert result.inspection.inconsistencies == ()
    assert result.inspection.games == 2
    assert result.inspection.turns == result.manifest.row_count("turn") > 10
    assert all(all_rows(database_url)[name] for name in ("account", "session", "notification"))


def test_sequences_continue_even_if_their_rows_were_deleted(
    database: Database, database_url: str, postgres: Postgres
) -> None:
    for character in (ALICE, BOB):
        sign_in_by_email(database, character)
    database.dispose()
    # The email of a sign-in is unique by the number of the sign-in: with a repeated number it would never be sent.
    execute(database_url, "DELETE FROM sign_in")
    with postgres.empty_database() as url:
        restore_backup(url, backup_of(database_url))
        numbers = [
            execute(source_url, "SELECT nextval('sign_in_id_seq')")[0][0]
            for source_url in (url, database_url)
        ]
        fresh_values = [
            execute(source_url, "SELECT nextval('game_id_seq')")[0][0]
            for source_url in (url, database_url)
        ]
    assert numbers[0] == numbers[1] == 3
    assert fresh_values == [1, 1]


def test_play_continues_in_a_restored_database(
    populated_database: Database,
    slug: str,
    guests: list[Guest],
    database_url: str,
    postgres: Postgres,
) -> None:
    from webapp.kernel.tx import Database

    with postgres.empty_database() as url:
        restore_backup(url, backup_of(database_url))
        restored_database = Database(url, pool_size=1)
        restored_seq = play_turn(restored_database, slug, guests[1]).seq
        sign_in_guest(restored_database, DAVE)
        restored_database.dispose()
    assert restored_seq == play_turn(populated_database, slug, guests[1]).seq


def test_plain_and_compressed_turns_are_restored_and_continued(
    populated_database: Database,
    slug: str,
    guests: list[Guest],
    database_url: str,
    empty_database_url: str,
) -> None:
    with transaction(populated_database) as tx:
        query = select(Game.id, Game.state, Turn.events).join(Turn, Turn.game_id == Game.id)
        game_id, state, events = tx.execute(query.where(Game.slug == slug, Turn.seq == 0)).one()
        tx.execute(update(Game).where(Game.id == game_id).values(state=stored_json(state)))
        first_turn = update(Turn).where(Turn.game_id == game_id, Turn.seq == 0)
        tx.execute(first_turn.values(events=stored_json(events)))
    result = restore_backup(empty_database_url, backup_of(database_url))
    assert result.inspection.inconsistencies == ()
    assert all_rows(empty_database_url) == all_rows(database_url)
    restored_database = Database(empty_database_url, pool_size=1)
    play_turn(restored_database, slug, guests[1])
    restored_database.dispose()
    assert inspect_database(empty_database_url).inconsistencies == ()


def test_backup_excludes_later_commits(
    populated_database: Database, slug: str, guests: list[Guest], database_url: str
) -> None:
    with schema_locked_read_transaction(database_url) as transaction:
        games = b"".join(transaction.rows_of("game"))
        play_turn(populated_database, slug, guests[1])
        turns = b"".join(transaction.rows_of("turn")).count(b"\n")
        assert b"".join(transaction.rows_of("game")) == games
    assert len(all_rows(database_url)["turn"]) == turns + 1


def test_backup_reads_a_large_table_in_small_chunks(database_url: str) -> None:
    execute(
        database_url,
        "INSERT INTO notification (kind, dedup_key, first_due_at, due_at, reason) "
        "SELECT 'sign-in', n, now(), now(), repeat('ab', 2000) "
        "FROM generate_series(1, 2000) AS n",
    )
    with schema_locked_read_transaction(database_url) as transaction:
        sizes = [len(chunk) for chunk in transaction.rows_of("notification")]
    reader = open_checked_backup(backup_of(database_url))
    table = next(table for table in reader.manifest.tables if table.name == "notification")
    assert sum(sizes) > 8_000_000
    assert max(sizes) < 100_000
    assert max(map(len, reader.rows_of(table))) < 100_000
    assert table.rows == 2000


def test_backup_contains_no_messages_of_emails(
    populated_database: Database, database_url: str, empty_database_url: str
) -> None:
    with transaction(populated_database) as tx:
        query = select(Notification.id).where(Notification.status == "pending")
        row = {"notification_id": tx.execute(query).scalars().first(), "message": b"live token"}
        tx.execute(insert(StoredMessage), [row])
    file = backup_of(database_url)
    with zipfile.ZipFile(file) as archive:
        members = [archive.read(name) for name in archive.namelist()]
    assert not any(b"live token".hex().encode() in member for member in members)
    restore_backup(empty_database_url, file)
    assert execute(empty_database_url, "SELECT count(*) FROM stored_message") == [(0,)]


def test_backup_includes_the_key_only_on_request(database_url: str) -> None:
    backup_without_key = backup_of(database_url)
    assert open_checked_backup(backup_without_key).manifest.secret_key is None
    assert KEY.encode() not in backup_without_key.getvalue()
    manifest = open_checked_backup(backup_of(database_url, includes_keys=True)).manifest
    assert manifest.secret_key == KEY
    assert was_made_with_one_of(manifest, ["o" * 32, KEY])
    assert not was_made_with_one_of(manifest, ["o" * 32])
    assert KEY not in repr(manifest)


def test_known_inconsistencies_are_restored_and_reported(
    populated_database: Database, slug: str, database_url: str, empty_database_url: str
) -> None:
    execute(database_url, f"UPDATE game SET awaiting = 2 WHERE slug = '{slug}'")
    result = restore_backup(empty_database_url, backup_of(database_url))
    assert [source_url.slug for source_url in result.inspection.inconsistencies] == [slug]
    assert all_rows(empty_database_url) == all_rows(database_url)


def test_database_with_another_schema_is_not_backed_up(database_url: str) -> None:
    execute(database_url, "UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(SchemaMismatch, match="has schema 0000"):
        backup_of(database_url)


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
    restore_backup(empty_database_url, backup_of(database_url))
    assert all_rows(empty_database_url) == all_rows(database_url)


def test_backup_contains_no_path_of_this_machine(
    populated_database: Database, database_url: str
) -> None:
    assert str(Path.cwd()).encode() not in backup_of(database_url).getvalue()
