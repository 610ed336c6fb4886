"""Which secret key the database expects."""

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from webapp.kernel.tx import Tx
from webapp.operations.schema import ExpectedKey


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
