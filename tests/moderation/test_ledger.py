import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.moderation.queries import ledger
from webapp.moderation.queries.ledger import NewLedgerEntry


def _entry(form_id: str = "form-1") -> NewLedgerEntry:
    return NewLedgerEntry(
        act="extend", actor_id=None, acted_as="operator", reason="asked", form_id=form_id, at=NOON
    )


def test_form_is_recorded_once(database: Database) -> None:
    with transaction(database) as tx:
        first_entry = ledger.add(tx, _entry())
        assert first_entry is not None
        assert ledger.add(tx, _entry()) is None
        assert ledger.add(tx, _entry("form-2")) is not None


@pytest.mark.parametrize(
    "change", ["UPDATE ledger SET reason = 'x'", "DELETE FROM ledger", "TRUNCATE ledger CASCADE"]
)
def test_database_refuses_to_change_the_ledger(database: Database, change: str) -> None:
    with transaction(database) as tx:
        ledger.add(tx, _entry())
    raises_refusal = pytest.raises((psycopg.Error, DBAPIError), match="never changed or deleted")
    with raises_refusal, transaction(database) as tx:
        tx.execute(text(change))
