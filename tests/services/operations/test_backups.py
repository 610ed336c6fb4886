"""A backup holds everything of one instant; what comes out of it is what went in, or nothing is kept."""

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
    deal,
    play,
    play_to_the_end,
    sign_in_all,
    sign_in_guest,
    wish,
)
from tests.support.postgres import Postgres
from webapp.services.operations.backup_file import Manifest, Reader, Table, Unusable, Writer
from webapp.services.operations.backups import (
    NotThisSchema,
    Occupied,
    back_up,
    bears_mark_of,
    checked_reader,
    require_free,
    restore,
)
from webapp.services.tx import Database
from webapp.store.operations.copying import TABLES, Rejected, filling, locked_instant_of

KEY = "k" * 32


@pytest.fixture
def town(database: Database, slug: str, guests: list[Guest]) -> Database:
    """A game under way, a finished one, an open table, sessions, letters."""
    play(database, slug, guests[0])
    play_to_the_end(database, deal(database, guests[:1], wish(seats=3)), guests[:1])
    database.dispose()
    return database


def backup_of(url: str, *, carries_key: bool = False) -> io.BytesIO:
    file = io.BytesIO()
    back_up(url, file, key=KEY, carries_key=carries_key, now=NOON)
    return file


def everything_in(url: str) -> dict[str, list[tuple[Any, ...]]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=str)  # type: ignore[arg-type]
            for table in TABLES
        }


def say(url: str, command: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        cursor = connection.execute(command)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def changed(file: io.BytesIO, change: Callable[[dict[str, bytes]], None]) -> io.BytesIO:
    """The same file with its members changed."""
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


def test_what_comes_out_is_what_went_in(
    town: Database, database_url: str, postgres: Postgres
) -> None:
    file = backup_of(database_url)
    with postgres.empty_database() as url:
        made = restore(url, checked_reader(file))
        assert everything_in(url) == everything_in(database_url)
    assert made.inspected.disagreements == ()
    assert made.inspected.games == 2
    assert made.inspected.turns == made.manifest.rows_of("turn") > 10
    assert all(everything_in(database_url)[name] for name in ("account", "session", "notification"))


def test_numbers_go_on_where_they_stood_though_the_rows_are_gone(
    database: Database, database_url: str, postgres: Postgres
) -> None:
    sign_in_all(database, ALICE, BOB)
    database.dispose()
    # A letter of a sign-in is known by the sign-in's number: a second one of that number would never go out.
    say(database_url, "DELETE FROM sign_in")
    with postgres.empty_database() as url:
        restore(url, checked_reader(backup_of(database_url)))
        numbers = [
            say(one, "SELECT nextval('sign_in_id_seq')")[0][0] for one in (url, database_url)
        ]
        fresh = [say(one, "SELECT nextval('game_id_seq')")[0][0] for one in (url, database_url)]
    assert numbers[0] == numbers[1] == 3
    assert fresh == [1, 1]


def test_play_goes_on_in_a_restored_database(
    town: Database, slug: str, guests: list[Guest], database_url: str, postgres: Postgres
) -> None:
    from webapp.services.tx import database_for

    with postgres.empty_database() as url:
        restore(url, checked_reader(backup_of(database_url)))
        restored = database_for(url, pool_size=1)
        before = play(restored, slug, guests[1]).seq
        sign_in_guest(restored, DAVE)
        restored.dispose()
    assert before == play(town, slug, guests[1]).seq


def test_what_is_committed_meanwhile_is_not_in_it(
    town: Database, slug: str, guests: list[Guest], database_url: str
) -> None:
    with locked_instant_of(database_url) as instant:
        games = b"".join(instant.rows_of("game"))
        play(town, slug, guests[1])
        turns = b"".join(instant.rows_of("turn")).count(b"\n")
        assert b"".join(instant.rows_of("game")) == games
    assert len(everything_in(database_url)["turn"]) == turns + 1


def test_a_large_table_comes_in_small_pieces(database_url: str) -> None:
    say(
        database_url,
        "INSERT INTO notification (kind, occasion, owed_at, due_at, message) "
        "SELECT 'sign-in', n, now(), now(), decode(repeat('ab', 2000), 'hex') "
        "FROM generate_series(1, 2000) AS n",
    )
    with locked_instant_of(database_url) as instant:
        sizes = [len(piece) for piece in instant.rows_of("notification")]
    reader = checked_reader(backup_of(database_url))
    table = next(table for table in reader.manifest.tables if table.name == "notification")
    assert sum(sizes) > 8_000_000
    assert max(sizes) < 100_000
    assert max(map(len, reader.rows_of(table))) < 100_000
    assert table.rows == 2000


def test_the_key_is_in_it_only_where_nobody_else_keeps_it(database_url: str) -> None:
    without = backup_of(database_url)
    assert checked_reader(without).manifest.secret_key is None
    assert KEY.encode() not in without.getvalue()
    manifest = checked_reader(backup_of(database_url, carries_key=True)).manifest
    assert manifest.secret_key == KEY
    assert bears_mark_of(manifest, KEY)
    assert not bears_mark_of(manifest, "o" * 32)
    assert KEY not in repr(manifest)


def test_a_file_that_was_cut_short_is_refused(town: Database, database_url: str) -> None:
    whole = backup_of(database_url).getvalue()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1000, len(whole) - 1):
        with pytest.raises(Unusable, match="cut short"):
            checked_reader(io.BytesIO(whole[:length]))


def test_a_file_with_one_changed_byte_is_refused(town: Database, database_url: str) -> None:
    whole = backup_of(database_url).getvalue()
    for place in range(len(whole) // 40, len(whole), len(whole) // 20):
        spoilt = bytearray(whole)
        spoilt[place] ^= 0x10
        try:
            reader = checked_reader(io.BytesIO(bytes(spoilt)))
        except Unusable:
            continue
        # Some bytes of a ZIP say nothing: then everything reads as it was written.
        assert reader.manifest == checked_reader(io.BytesIO(whole)).manifest


def test_a_table_that_was_exchanged_is_refused(town: Database, database_url: str) -> None:
    def rob(members: dict[str, bytes]) -> None:
        members["tables/notification.copy"] = b""

    with pytest.raises(Unusable, match="notification in this backup is not what was written"):
        checked_reader(changed(backup_of(database_url), rob))


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"format": "lodepost backup 2"}, "says it is 'lodepost backup 2'"),
        ({"schema": "0000"}, "of the schema 0000, and this release is at"),
        ({"tables": []}, "names other tables"),
        ({"counts": {}}, "names other tables"),
        ({"taken_at": "yesterday"}, "cannot be read"),
        ({"format": 7}, "cannot be read"),
    ],
)
def test_a_backup_of_another_kind_is_refused_in_words(
    fields: dict[str, Any], words: str, database_url: str
) -> None:
    with pytest.raises(Unusable, match=words):
        checked_reader(with_manifest(backup_of(database_url), **fields))


def test_another_zip_is_refused_in_words() -> None:
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as written:
        written.writestr("holiday.jpg", b"sand")
    with pytest.raises(Unusable, match="no whole backup of Lodepost"):
        checked_reader(other)


def test_a_database_with_anything_in_it_is_left_alone(
    town: Database, database_url: str, postgres: Postgres
) -> None:
    file = backup_of(database_url)
    before = everything_in(database_url)
    with pytest.raises(Occupied, match="not empty"):
        require_free(database_url)
    with pytest.raises(Occupied, match="not empty"):
        restore(database_url, checked_reader(file))
    assert everything_in(database_url) == before


def test_a_database_that_somebody_uses_is_left_alone(database_url: str) -> None:
    with (
        psycopg.connect(database_url.replace("+psycopg", "")),
        pytest.raises(Occupied, match="Others are connected"),
    ):
        require_free(database_url)
    require_free(database_url)


def test_who_leaves_while_it_looks_is_waited_for(database_url: str) -> None:
    leaving = psycopg.connect(database_url.replace("+psycopg", ""))
    timer = threading.Timer(0.2, leaving.close)
    timer.start()
    require_free(database_url)
    timer.join()


def test_a_database_of_something_else_is_left_alone(empty_database_url: str) -> None:
    say(empty_database_url, "CREATE TABLE recipes (cake text)")
    with pytest.raises(Occupied, match="tables that are not Lodepost's"):
        require_free(empty_database_url)


def test_a_database_that_cannot_be_written_says_so(database_url: str) -> None:
    file = backup_of(database_url)
    name = database_url.rpartition("/")[2]
    say(database_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(Occupied, match="read-only"):
        require_free(database_url)
    with pytest.raises(Occupied, match="read-only"):
        restore(database_url, checked_reader(file))


def test_a_backup_that_breaks_off_in_the_middle_leaves_nothing(
    town: Database, database_url: str, empty_database_url: str
) -> None:
    """The file is whole in itself, but one of its rows cannot be: the seats of a game that is not there."""
    honest = checked_reader(backup_of(database_url))
    bad = b"99\t0\t\\N\tdigger\tf\t\\\\x\t\\N\n"
    file = io.BytesIO()
    writer = Writer(file)
    tables: list[Table] = [
        writer.put(
            table.name, table.columns, [bad] if table.name == "seat" else honest.rows_of(table)
        )
        for table in honest.manifest.tables
    ]
    writer.finish(msgspec.structs.replace(honest.manifest, tables=tuple(tables)))
    with pytest.raises(Unusable, match="refuses what this backup holds for seat"):
        restore(empty_database_url, checked_reader(file))
    assert not any(everything_in(empty_database_url).values())
    restore(empty_database_url, honest)


def test_a_backup_that_lost_turns_is_not_kept(
    town: Database, database_url: str, empty_database_url: str
) -> None:
    honest = checked_reader(backup_of(database_url))
    file = io.BytesIO()
    writer = Writer(file)
    tables = [
        writer.put(table.name, table.columns, [] if table.name == "turn" else honest.rows_of(table))
        for table in honest.manifest.tables
    ]
    writer.finish(msgspec.structs.replace(honest.manifest, tables=tuple(tables)))
    with pytest.raises(Unusable, match="disagrees with itself where the backup did not"):
        restore(empty_database_url, checked_reader(file))
    assert not any(everything_in(empty_database_url).values())


def test_what_disagreed_before_is_carried_over_and_told(
    town: Database, slug: str, database_url: str, empty_database_url: str
) -> None:
    say(database_url, f"UPDATE game SET awaiting = 2 WHERE slug = '{slug}'")
    made = restore(empty_database_url, checked_reader(backup_of(database_url)))
    assert [one.slug for one in made.inspected.disagreements] == [slug]
    assert everything_in(empty_database_url) == everything_in(database_url)


def test_a_database_of_another_release_is_not_backed_up(database_url: str) -> None:
    say(database_url, "UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(NotThisSchema, match="stands at 0000"):
        backup_of(database_url)


def test_a_refused_row_is_told_without_what_is_in_it(database_url: str) -> None:
    with (
        pytest.raises(Rejected) as refused,
        filling(database_url) as into,
    ):
        into.put("secret", [b"hush\thush\n"])
    assert "secret (" in str(refused.value)
    assert "hush" not in str(refused.value)


def test_a_manifest_reads_as_it_was_written(database_url: str) -> None:
    file = backup_of(database_url)
    manifest: Manifest = Reader(file).manifest
    assert manifest.taken_at == NOON
    assert [table.name for table in manifest.tables] == list(TABLES)


def test_characters_of_a_name_survive(
    database: Database, database_url: str, empty_database_url: str
) -> None:
    sign_in_guest(database, CAROL)
    database.dispose()
    say(database_url, r"UPDATE account SET name = E'Tab\tLine\nSlash\\N ą 🂡'")
    restore(empty_database_url, checked_reader(backup_of(database_url)))
    assert everything_in(empty_database_url) == everything_in(database_url)


def test_no_folder_of_this_machine_is_in_it(town: Database, database_url: str) -> None:
    assert str(Path.cwd()).encode() not in backup_of(database_url).getvalue()
