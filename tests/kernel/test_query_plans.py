"""Queries that run every few seconds use an index, however many games there are."""

from typing import Any

import pytest
from sqlalchemy import Select, select
from sqlalchemy.dialects import postgresql

from tests.support.factories import DAY
from tests.support.transactions import NOON, transaction
from webapp.accounts.queries import email_facts
from webapp.clock.queries import reliability
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Database
from webapp.mail.queries import outbox
from webapp.operations.queries import daily_statistics, health_samples, outages
from webapp.operations.queries.health_samples import FigureTimes
from webapp.play.queries import clocks

pytestmark = pytest.mark.own_database

COUNTED_DAY_QUERY = daily_statistics._counts_of_day(NOON, NOON.date(), NOON)
PRESENT_HEALTH_QUERY = select(*health_samples._current_columns(FigureTimes(NOON, NOON, NOON, NOON)))


@pytest.mark.parametrize(
    "statement, parameters, index",
    [
        (outages._CLOCK_WORK_STATEMENT, {"now": NOON}, "game_wake_at"),
        (clocks._LOCK_DUE_STATEMENT, {"now": NOON, "limit": 200}, "game_wake_at"),
        (clocks._LOCK_BOT_STATEMENT, {"due_before": NOON}, "game_bot_turn"),
        (
            outbox._CLAIM_STATEMENT,
            {"now": NOON, "lease_until": NOON + DAY, "limit": 100},
            "notification_due",
        ),
        (email_facts._CODES.statement, {"ids": [1]}, "account_address"),
        (
            reliability.COUNT_ENDS_STATEMENT,
            {"account_ids": [1], "since": NOON, "limit": 50},
            "deadline_event_account",
        ),
    ],
    ids=["clock-work", "sweep", "bots", "claim", "addressees", "reliability"],
)
def test_frequent_query_uses_its_index(
    database: Database, statement: Statement, parameters: dict[str, object], index: str
) -> None:
    with transaction(database) as tx:
        # On an empty table a sequential scan would be cheaper.
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        rows = tx.connection.exec_driver_sql("EXPLAIN " + statement.text, parameters).all()
    assert any(index in row[0] for row in rows), rows


@pytest.mark.parametrize(
    "query, index",
    [
        (COUNTED_DAY_QUERY, "turn_at"),
        (COUNTED_DAY_QUERY, "notification_settled"),
        (COUNTED_DAY_QUERY, "account_created_at"),
        (PRESENT_HEALTH_QUERY, "game_wake_at"),
        (PRESENT_HEALTH_QUERY, "notification_due"),
        (PRESENT_HEALTH_QUERY, "notification_settled"),
    ],
)
def test_query_for_statistics_uses_its_index(
    database: Database, query: Select[Any], index: str
) -> None:
    compiled_query = query.compile(
        dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True}
    )
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        rows = tx.connection.exec_driver_sql(f"EXPLAIN {compiled_query}").all()
    assert any(index in row[0] for row in rows), rows
