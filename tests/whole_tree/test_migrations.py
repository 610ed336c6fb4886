from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import NullPool, create_engine

from tests.support.postgres import Postgres
from webapp.config import Misconfigured
from webapp.resources import migrations_folder
from webapp.store.operations.migrate import (
    _config,
    _connected,
    _refuse_older_than,
    check,
    is_current,
    newest_revision,
    revision_of,
    upgrade,
)


def test_migrations_build_exactly_what_the_models_describe(database_url: str) -> None:
    check(database_url)


def test_an_upgrade_that_has_nothing_to_do_changes_nothing(database_url: str) -> None:
    before = revision_of(database_url)
    upgrade(database_url)
    assert revision_of(database_url) == before == newest_revision()


def test_an_empty_database_reaches_the_newest_schema(empty_database_url: str) -> None:
    assert revision_of(empty_database_url) is None
    upgrade(empty_database_url)
    assert revision_of(empty_database_url) == newest_revision()


def test_who_sat_down_before_names_were_kept_goes_on_under_the_account_s(
    empty_database_url: str,
) -> None:
    with _connected(empty_database_url) as connection:
        command.upgrade(_config(connection), "0001")
        connection.exec_driver_sql(
            "INSERT INTO account (address, name, language, zone, created_at)"
            " VALUES ('a@example.test', 'Alice', 'en', 'UTC', now());"
            "INSERT INTO game (slug, host_id, rulebook, house, seats, allowance, public, status,"
            " opened_at) VALUES ('x', 1, 'en-2004', '{}', 3, '1 day', true, 'open', now());"
            "INSERT INTO seat (game_id, number, account_id, bot)"
            " VALUES (1, 0, 1, NULL), (1, 1, NULL, 'Agate'), (1, 2, NULL, NULL)"
        )
    upgrade(empty_database_url)
    with _connected(empty_database_url) as connection:
        names = connection.exec_driver_sql("SELECT name FROM seat ORDER BY number").scalars()
        assert list(names) == ["Alice", None, None]


def test_a_table_from_before_names_of_hosts_were_kept_goes_by_the_seat_s_or_the_account_s(
    empty_database_url: str,
) -> None:
    with _connected(empty_database_url) as connection:
        command.upgrade(_config(connection), "0003")
        connection.exec_driver_sql(
            "INSERT INTO account (address, name, language, zone, created_at)"
            " VALUES ('a@example.test', 'Alice', 'en', 'UTC', now());"
            "INSERT INTO game (slug, host_id, rulebook, house, seats, allowance, public, status, opened_at)"
            " SELECT slug, 1, 'en-2004', '{}', 3, '1 day', true, 'open', now()"
            " FROM (VALUES ('stood'), ('sits'), ('older')) AS opened (slug);"
            "INSERT INTO seat (game_id, number, account_id, name)"
            " VALUES (2, 0, 1, 'Queen'), (3, 0, 1, NULL)"
        )
    upgrade(empty_database_url)
    with _connected(empty_database_url) as connection:
        names = connection.exec_driver_sql("SELECT host_name FROM game ORDER BY id").scalars()
        assert list(names) == ["Alice", "Queen", "Alice"]


def test_the_file_head_names_the_newest_migration() -> None:
    # Two branches that both add a migration conflict in this file, and not in production.
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    assert newest_revision() == ScriptDirectory.from_config(config).get_current_head()


@pytest.fixture
def older_url(empty_database_url: str) -> str:
    """A database at the first step."""
    with _connected(empty_database_url) as connection:
        command.upgrade(_config(connection), "0001")
    return empty_database_url


def plain(url: str) -> str:
    return url.replace("+psycopg", "", 1)


def test_an_upgrade_that_meets_a_held_table_changes_nothing_and_says_who_holds_it(
    older_url: str,
) -> None:
    pauses: list[float] = []
    with psycopg.connect(plain(older_url), application_name="reading long") as holder:
        holder.execute("LOCK TABLE seat IN ACCESS SHARE MODE")
        with pytest.raises(Misconfigured, match=r"gave up after 2 tries.*\(reading long\)"):
            upgrade(older_url, tries=2, pause=pauses.append)
    assert len(pauses) == 1
    assert revision_of(older_url) == "0001"


def test_an_upgrade_is_tried_again_until_the_table_is_free(older_url: str) -> None:
    with psycopg.connect(plain(older_url)) as holder:
        holder.execute("LOCK TABLE seat IN ACCESS SHARE MODE")
        upgrade(older_url, pause=lambda _: holder.rollback())
    assert revision_of(older_url) == newest_revision()


def test_a_step_that_takes_too_long_is_undone_in_words(older_url: str) -> None:
    with _connected(older_url) as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;"
            "CREATE TRIGGER dawdle BEFORE UPDATE ON seat EXECUTE FUNCTION dawdle()"
        )
    with pytest.raises(Misconfigured, match=r"does not take the schema.*statement timeout"):
        upgrade(older_url, longest=timedelta(seconds=1))
    assert revision_of(older_url) == "0001"


def test_two_processes_may_upgrade_at_once(postgres: Postgres) -> None:
    with postgres.empty_database() as url, ThreadPoolExecutor(2) as pool:
        list(pool.map(upgrade, [url, url]))
        assert revision_of(url) == newest_revision()


def test_a_database_of_a_newer_release_is_left_alone_in_words(database_url: str) -> None:
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'a-newer-one'")
    with pytest.raises(Misconfigured, match="stands at a-newer-one, which this release does not"):
        upgrade(database_url)
    assert not is_current(database_url)


def test_a_database_that_does_not_answer_is_told_without_its_password() -> None:
    with pytest.raises(Misconfigured, match="no database that answers") as refused:
        upgrade("postgresql+psycopg://lode:hush@127.0.0.1:1/lode")
    assert "hush" not in str(refused.value)


def test_a_postgres_that_is_too_old_is_told(database_url: str) -> None:
    with create_engine(database_url, poolclass=NullPool).connect() as connection:
        with pytest.raises(Misconfigured, match=r"leads to Postgres \d+; Lodepost needs 1000"):
            _refuse_older_than(1_000, connection)
        _refuse_older_than(15, connection)
