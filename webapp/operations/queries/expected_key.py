"""Which secret key the database expects."""

from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from webapp.operations.schema import ExpectedKey


def find_fingerprint(connection: Connection) -> str | None:
    """Return the fingerprint of the key; None before the first start of a server."""
    return connection.execute(select(ExpectedKey.fingerprint)).scalar_one_or_none()


def add_fingerprint(connection: Connection, fingerprint: str, *, now: datetime) -> str:
    """Store the fingerprint unless there is one; return the stored one, locked until the transaction ends."""
    values = {"id": 1, "fingerprint": fingerprint, "since": now}
    connection.execute(insert(ExpectedKey).values(values).on_conflict_do_nothing())
    return connection.execute(select(ExpectedKey.fingerprint).with_for_update()).scalar_one()


def set_fingerprint(connection: Connection, fingerprint: str, *, now: datetime) -> None:
    """Store another fingerprint in place of the one that is there, if any."""
    values = {"fingerprint": fingerprint, "since": now}
    statement = insert(ExpectedKey).values(id=1, **values)
    connection.execute(
        statement.on_conflict_do_update(index_elements=[ExpectedKey.id], set_=values)
    )
