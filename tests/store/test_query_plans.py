"""Queries that run every few seconds use an index, however many games there are."""

import pytest

from tests.support.factories import DAY, NOON
from webapp.services.tx import Database, transaction
from webapp.store.notifications import claimed_notifications, outbox
from webapp.store.play import deadlines
from webapp.store.statements import Statement


@pytest.mark.parametrize(
    "statement, params, index",
    [
        (deadlines._IS_DUE_STATEMENT, {"now": NOON}, "game_wake_at"),
        (deadlines._LOCK_DUE_STATEMENT, {"now": NOON, "limit": 200}, "game_wake_at"),
        (deadlines._LOCK_BOT_STATEMENT, {"due_before": NOON}, "game_bot_turn"),
        (
            outbox._CLAIM_STATEMENT,
            {"now": NOON, "lease_until": NOON + DAY, "limit": 100},
            "notification_due",
        ),
        (claimed_notifications._READ_STATEMENT, {"ids": [1]}, "account_address"),
    ],
    ids=["is-due", "sweep", "bots", "claim", "readers"],
)
def test_frequent_query_uses_its_index(
    database: Database, statement: Statement, params: dict[str, object], index: str
) -> None:
    with transaction(database) as tx:
        # On an empty table a sequential scan would be cheaper.
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        explained = "EXPLAIN " + statement._sql
        rows = tx.connection.exec_driver_sql(explained, statement._constants | params).all()
    assert any(index in row[0] for row in rows), rows
