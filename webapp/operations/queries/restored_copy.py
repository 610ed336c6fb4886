"""Which secret key the database expects; and what a restore adds to the rows of a backup, in the same transaction: a copy sends nothing and stops all clocks."""

from datetime import datetime

import psycopg
from psycopg.types.json import Jsonb
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.tx import Tx
from webapp.operations.schema import SCHEDULE_PART, ExpectedKey


def keep_expected_key(connection: psycopg.Connection, fingerprint: str, *, now: datetime) -> None:
    """Store which secret key belongs to the database, unless the backup says it."""
    connection.execute(
        "INSERT INTO expected_key (id, fingerprint, since) VALUES (1, %s, %s) ON CONFLICT DO NOTHING",
        (fingerprint, now),
    )


def expect_key(connection: psycopg.Connection, fingerprint: str, *, now: datetime) -> None:
    """Store which secret key belongs to the database, whatever the backup says."""
    connection.execute("DELETE FROM expected_key WHERE fingerprint <> %s", (fingerprint,))
    keep_expected_key(connection, fingerprint, now=now)


def expected_fingerprint(connection: psycopg.Connection) -> str | None:
    """Return which secret key belongs to the database; None if it does not say, because it was never filled."""
    if not _has_table(connection, "expected_key"):
        return None
    row = connection.execute("SELECT fingerprint FROM expected_key").fetchone()
    return None if row is None else str(row[0])


def is_copy_of(connection: psycopg.Connection, taken_at: datetime) -> bool:
    """Return whether the database holds the emails of a copy made from the backup of that time."""
    if not _has_table(connection, "email_hold"):
        return False
    row = connection.execute(
        "SELECT FROM email_hold WHERE backup_taken_at = %s", (taken_at,)
    ).fetchone()
    return row is not None


def is_held(connection: psycopg.Connection) -> bool:
    """Return whether the emails of the database are held."""
    return connection.execute("SELECT EXISTS (SELECT FROM email_hold)").fetchone() == (True,)


def _has_table(connection: psycopg.Connection, name: str) -> bool:
    return connection.execute("SELECT to_regclass(%s) IS NOT NULL", (name,)).fetchone() == (True,)


def watch_deadlines_since(connection: psycopg.Connection, taken_at: datetime) -> None:
    """Store that deadlines were last watched when the backup was written, if it does not say when.

    From then on the time until workers run again is an outage, after which all deadlines move. The processes of the original
    are forgotten.
    """
    connection.execute("DELETE FROM heartbeat WHERE part <> %s", (SCHEDULE_PART,))
    connection.execute(
        "INSERT INTO heartbeat (part, instance, at) VALUES (%(part)s, '', %(at)s) "
        "ON CONFLICT (part, instance) DO UPDATE SET at = least(heartbeat.at, excluded.at)",
        {"part": SCHEDULE_PART, "at": taken_at},
    )


def hold_emails(
    connection: psycopg.Connection, *, taken_at: datetime, notice: str, now: datetime
) -> None:
    """Hold all emails and close the site, with a notice if it is not closed already; clocks stand still since the last sweep.

    If the backup is one of a held copy, they stand still since the first of the two holds.
    """
    connection.execute(
        "INSERT INTO email_hold (id, held_at, backup_taken_at, clocks_stopped_at) "
        "SELECT 1, %(now)s, %(taken_at)s, at FROM heartbeat WHERE part = %(part)s AND instance = '' "
        "ON CONFLICT (id) DO UPDATE SET held_at = excluded.held_at, backup_taken_at = excluded.backup_taken_at, "
        "clocks_stopped_at = least(email_hold.clocks_stopped_at, excluded.clocks_stopped_at)",
        {"now": now, "taken_at": taken_at, "part": SCHEDULE_PART},
    )
    connection.execute(
        "INSERT INTO site_setting (name, value) VALUES ('maintenance', %s) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE site_setting.value = '\"\"'",
        (Jsonb(notice),),
    )
    _stop_clocks(connection, now)


def _stop_clocks(connection: psycopg.Connection, now: datetime) -> None:
    """Begin a maintenance, or continue one of which no clock has been shifted.

    While clocks are being shifted neither is possible: then the held emails stop them.
    """
    connection.execute(
        "UPDATE maintenance SET ended_at = NULL, began_at = least(began_at, clocks_stopped_at) "
        "FROM email_hold WHERE shifted_at IS NULL AND last_game_id = 0"
    )
    connection.execute(
        "INSERT INTO maintenance (began_at, recorded_at) SELECT clocks_stopped_at, %s FROM email_hold "
        "WHERE NOT EXISTS (SELECT FROM maintenance WHERE shifted_at IS NULL)",
        (now,),
    )


def find_fingerprint(tx: Tx) -> str | None:
    """Return the fingerprint of the key; None before the first start of a server."""
    return tx.execute(select(ExpectedKey.fingerprint)).scalar_one_or_none()


def add_fingerprint(tx: Tx, fingerprint: str) -> str:
    """Store the fingerprint unless there is one; return the stored one, locked until the transaction ends."""
    values = {"id": 1, "fingerprint": fingerprint, "since": tx.now}
    tx.execute(insert(ExpectedKey).values(values).on_conflict_do_nothing())
    return tx.execute(select(ExpectedKey.fingerprint).with_for_update()).scalar_one()


def set_fingerprint(tx: Tx, fingerprint: str) -> None:
    """Store another fingerprint in place of the one that is there, if any."""
    values = {"fingerprint": fingerprint, "since": tx.now}
    statement = insert(ExpectedKey).values(id=1, **values)
    tx.execute(statement.on_conflict_do_update(index_elements=[ExpectedKey.id], set_=values))
