"""Sessions work whatever is set for the database, the role or the process."""

from datetime import datetime, timedelta

import psycopg
import pytest
from sqlalchemy import text

from tests.support.transactions import read_only, transaction
from webapp.kernel.database import CONNECTION_SETTINGS
from webapp.kernel.tx import Database
from webapp.operations.health import session_differences

OTHER_SETTINGS = {
    "datestyle": "SQL, DMY",
    "intervalstyle": "sql_standard",
    "bytea_output": "escape",
    "timezone": "Asia/Kathmandu",
    "client_encoding": "LATIN1",
    "default_transaction_isolation": "serializable",
    "statement_timeout": "1ms",
    "lock_timeout": "1ms",
    "idle_in_transaction_session_timeout": "1ms",
}


def test_every_setting_can_differ() -> None:
    assert OTHER_SETTINGS.keys() == CONNECTION_SETTINGS.keys()


@pytest.mark.own_database
def test_settings_of_the_database_do_not_reach_sessions(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        name = psycopg.sql.Identifier(connection.info.dbname)
        for setting, value in OTHER_SETTINGS.items():
            statement = "ALTER DATABASE {} SET {} = {}"
            connection.execute(
                psycopg.sql.SQL(statement).format(name, psycopg.sql.Identifier(setting), value)
            )
    database = Database(database_url, pool_size=1)
    try:
        for begin in (read_only, transaction):
            with begin(database) as tx:
                assert session_differences(tx) == []
                row = tx.execute(
                    text("SELECT now(), interval '1 day 2 hours', '\\x00ff'::bytea, '\u0dc1'")
                ).one()
                assert isinstance(row[0], datetime)
                assert row[0].utcoffset() == timedelta(0)
                assert row[1:] == (timedelta(days=1, hours=2), b"\x00\xff", "\u0dc1")
    finally:
        database.dispose()
