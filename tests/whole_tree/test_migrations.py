import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import NullPool, create_engine

from tests.support.postgres import Postgres
from webapp.kernel.operator_errors import Misconfigured
from webapp.kernel.resources import migrations_folder
from webapp.operations.queries import migrate
from webapp.operations.queries.migrate import (
    _connect,
    _require_supported_version,
    check,
    is_current,
    newest_revision,
    revision_of,
    upgrade_schema,
    wait_for_database,
)


def test_migrations_build_exactly_what_the_models_describe(database_url: str) -> None:
    check(database_url)


def test_upgrade_of_a_current_database_changes_nothing(database_url: str) -> None:
    earlier_revision = revision_of(database_url)
    upgrade_schema(database_url)
    assert revision_of(database_url) == earlier_revision == newest_revision()


def test_upgrade_of_an_empty_database_reaches_the_newest_revision(empty_database_url: str) -> None:
    assert revision_of(empty_database_url) is None
    upgrade_schema(empty_database_url)
    assert revision_of(empty_database_url) == newest_revision()


def test_file_head_names_the_newest_migration() -> None:
    # Two branches that both add a migration conflict in this file instead of in production.
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    assert newest_revision() == ScriptDirectory.from_config(config).get_current_head()


@pytest.fixture
def release_with_another_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release with one more migration, which changes the table of seats."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "HEAD").write_text("test\n")
    (folder / "versions" / "test_step.py").write_text(
        _SECOND_MIGRATION_SOURCE.format(newest_revision())
    )
    monkeypatch.setattr(migrate, "migrations_folder", lambda: folder)


_SECOND_MIGRATION_SOURCE = """
from alembic import op

revision = "test"
down_revision = "{}"


def upgrade() -> None:
    op.execute("ALTER TABLE seat ADD COLUMN added_by_test text")
    op.execute("UPDATE seat SET added_by_test = ''")
"""


def without_driver(url: str) -> str:
    return url.replace("+psycopg", "", 1)


@pytest.mark.usefixtures("release_with_another_migration")
def test_upgrade_of_a_locked_table_changes_nothing_and_names_the_holder(database_url: str) -> None:
    earlier_revision = revision_of(database_url)
    retry_pauses: list[float] = []
    with psycopg.connect(
        without_driver(database_url), application_name="slow reader"
    ) as locking_connection:
        locking_connection.execute("LOCK TABLE seat IN ACCESS SHARE MODE")
        with pytest.raises(Misconfigured, match=r"gave up after 2 attempts.*\(slow reader\)"):
            upgrade_schema(database_url, tries=2, pause=retry_pauses.append)
    assert len(retry_pauses) == 1
    assert revision_of(database_url) == earlier_revision != newest_revision()


@pytest.mark.usefixtures("release_with_another_migration")
def test_upgrade_is_retried_until_the_table_is_unlocked(database_url: str) -> None:
    with psycopg.connect(without_driver(database_url)) as locking_connection:
        locking_connection.execute("LOCK TABLE seat IN ACCESS SHARE MODE")
        upgrade_schema(database_url, pause=lambda _: locking_connection.rollback())
    assert revision_of(database_url) == newest_revision() == "test"


@pytest.mark.usefixtures("release_with_another_migration")
def test_migration_that_exceeds_its_time_limit_is_undone_and_reported(database_url: str) -> None:
    earlier_revision = revision_of(database_url)
    with _connect(database_url) as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;"
            "CREATE TRIGGER sleep BEFORE UPDATE ON seat EXECUTE FUNCTION sleep()"
        )
    with pytest.raises(Misconfigured, match=r"cannot be applied.*statement timeout"):
        upgrade_schema(database_url, time_limit=timedelta(seconds=1))
    assert revision_of(database_url) == earlier_revision != newest_revision()


def test_two_processes_can_upgrade_at_the_same_time(postgres: Postgres) -> None:
    with postgres.empty_database() as url, ThreadPoolExecutor(2) as pool:
        list(pool.map(upgrade_schema, [url, url]))
        assert revision_of(url) == newest_revision()


def test_database_of_a_newer_release_is_refused_unchanged(database_url: str) -> None:
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'a-newer-one'")
    with pytest.raises(Misconfigured, match="has schema a-newer-one, which this release does not"):
        upgrade_schema(database_url)
    assert not is_current(database_url)


def test_database_that_does_not_accept_connections_yet_is_waited_for(
    postgres: Postgres, empty_database_url: str
) -> None:
    messages: list[str] = []
    allow_connections(postgres, empty_database_url, "false")
    wait_for_database(
        empty_database_url,
        timeout=timedelta(minutes=1),
        report=messages.append,
        pause=lambda _: allow_connections(postgres, empty_database_url, "true"),
    )
    [message] = messages
    assert "does not answer" in message
    assert "Trying again for 60 seconds" in message


def allow_connections(postgres: Postgres, database_url: str, value: str) -> None:
    name = database_url.rpartition("/")[2]
    url = postgres.url_of("postgres").replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS {value}'.encode())


def test_error_about_an_unreachable_database_hides_the_password() -> None:
    with pytest.raises(Misconfigured, match="DATABASE_URL does not answer") as error_info:
        upgrade_schema("postgresql+psycopg://lode:hush@127.0.0.1:1/lode")
    assert "hush" not in str(error_info.value)


def test_postgres_older_than_required_is_refused(database_url: str) -> None:
    with create_engine(database_url, poolclass=NullPool).connect() as connection:
        with pytest.raises(Misconfigured, match=r"is Postgres \d+; Lodepost needs 1000"):
            _require_supported_version(connection, oldest_version=1_000)
        _require_supported_version(connection)
