"""A scrape reads no table that grows with the site: monitors ask every few seconds."""

import re

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.statements import observed_statements
from tests.support.transactions import read_only
from tests.support.visitors import Site
from webapp.kernel import urls

GROWING_TABLES = ("account", "deadline_event", "game", "notification", "seat", "turn")


def test_metrics_read_no_whole_table(site: Site) -> None:
    site.dealt_game(ALICE, BOB, CAROL)
    plans: list[str] = []
    queries: list[tuple[str, object]] = []

    def record(statement: str, values: object) -> None:
        if statement.startswith(("SELECT", "WITH")):
            queries.append((statement, values))

    with observed_statements(site.database.read_only_engine, record):
        site.app.test_client().get(urls.metrics(), headers={"Host": "127.0.0.1:8000"})
    with read_only(site.database) as tx:
        # On a small table a sequential scan would be cheaper.
        tx.connection.exec_driver_sql("SET enable_seqscan = off")
        for statement, values in queries:
            rows = tx.connection.exec_driver_sql(f"EXPLAIN {statement}", values)  # type: ignore[arg-type]
            plans += [row[0] for row in rows]
        tx.connection.exec_driver_sql("RESET enable_seqscan")
    scanned = [found[1] for plan in plans if (found := re.search(r"Seq Scan on (\w+)", plan))]
    assert len(queries) > 5
    assert not set(scanned) & set(GROWING_TABLES), scanned
