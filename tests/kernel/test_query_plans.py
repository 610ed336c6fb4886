"""Queries that run every few seconds use an index, however many games there are."""

import pytest
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
HEALTH_PARAMETERS = {"since": NOON, **FigureTimes(NOON, NOON, NOON, NOON)._asdict()}


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
        (health_samples._READ_STATEMENT, HEALTH_PARAMETERS, "game_wake_at"),
        (health_samples._READ_STATEMENT, HEALTH_PARAMETERS, "notification_due"),
        (health_samples._READ_STATEMENT, HEALTH_PARAMETERS, "notification_settled"),
    ],
    ids=[
        "clock-work",
        "sweep",
        "bots",
        "claim",
        "addressees",
        "reliability",
        "overdue-game",
        "waiting-email",
        "failed-email",
    ],
)
def test_frequent_query_uses_its_index(
    database: Database, statement: Statement, parameters: dict[str, object], index: str
) -> None:
    with transaction(database) as tx:
        # On an empty table a sequential scan would be cheaper.
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        rows = tx.connection.exec_driver_sql("EXPLAIN " + statement.text, parameters).all()
    assert any(index in row[0] for row in rows), rows


@pytest.mark.parametrize("index", ["turn_at", "notification_settled", "account_created_at"])
def test_statistics_of_a_day_use_their_indexes(database: Database, index: str) -> None:
    compiled_query = COUNTED_DAY_QUERY.compile(
        dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True}
    )
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        rows = tx.connection.exec_driver_sql(f"EXPLAIN {compiled_query}").all()
    assert any(index in row[0] for row in rows), rows
