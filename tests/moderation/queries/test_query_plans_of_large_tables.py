"""With 10,000 games and 100,000 accounts a page of moderators takes at most four statements, all of which use indexes."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.support import large_site
from tests.support.cast import MO
from tests.support.compiled_templates import create_app
from tests.support.factories import sign_in_guest
from tests.support.fakes import FakeClock
from tests.support.moderation import make_moderator
from tests.support.postgres import Postgres
from tests.support.sizes import case_count
from tests.support.statements import observed_statements, recorded_statements
from tests.support.transactions import NOON
from tests.support.visitors import Visitor, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database

pytestmark = pytest.mark.own_database

LARGE_TABLES = {"account", "game", "notification", "turn", "seat"}
PERSON = "PERSON"
PATHS = {
    "list": urls.moderation(),
    "stuck": urls.moderation(state="stuck"),
    "paused": urls.moderation(state="paused"),
    "over": urls.moderation(state="over"),
    "lobby": urls.moderation(state="lobby"),
    "name": urls.moderation(search="person 777"),
    "address": urls.moderation(search="person-777@example.test"),
    "game": urls.moderation(search="seeded000100"),
    "person-page": urls.moderated_person(PERSON),
    "game-page": urls.moderated_game("seeded000100"),
}


@pytest.fixture(scope="module")
def database(postgres: Postgres) -> Iterator[Database]:
    """A large site with a moderator."""
    with postgres.migrated_database() as url:
        database = Database(url, pool_size=2)
        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
            large_site.fill_large_site(
                connection,
                games=case_count("dashboard_games"),
                accounts=case_count("dashboard_accounts"),
                now=NOON,
            )
        yield database
        database.dispose()


@pytest.fixture(scope="module")
def moderator(database: Database) -> Visitor:
    guest = sign_in_guest(database, MO)
    make_moderator(database, MO)
    settings = settings_for(str(database.engine.url))
    app = create_app(settings, database=database, now=FakeClock())
    return Visitor(app, app.test_client()).with_session(guest.cookie)


def path_of(database: Database, path: str) -> str:
    with database.engine.begin() as connection:
        query = "SELECT ref FROM account WHERE address = 'person-777@example.test'"
        return path.replace(PERSON, connection.exec_driver_sql(query).scalar_one())


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_page_takes_at_most_four_statements(
    database: Database, moderator: Visitor, path: str
) -> None:
    page = path_of(database, path)
    moderator.page(page)
    with recorded_statements(database) as statements:
        moderator.page(page)
    assert 1 <= len(statements) <= 4
    assert "BEGIN" not in statements


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_page_reads_no_large_table_from_end_to_end(
    database: Database, moderator: Visitor, path: str
) -> None:
    executed_statements: list[tuple[str, Any]] = []

    def record(statement: str, statement_values: Any) -> None:
        executed_statements.append((statement, statement_values))

    with observed_statements(database.read_only_engine, record):
        moderator.page(path_of(database, path))
    assert executed_statements
    with database.engine.begin() as connection:
        plans = [
            connection.exec_driver_sql(
                f"EXPLAIN (FORMAT JSON) {statement}", statement_values
            ).scalar_one()
            for statement, statement_values in executed_statements
        ]
    assert [scan for plan in plans for scan in sequential_scans(plan)] == []


def sequential_scans(plan: Any) -> Iterator[str]:
    """Yield the large tables that a plan reads from end to end."""
    for node in _nodes(json.loads(plan) if isinstance(plan, str) else plan):
        if node.get("Node Type") == "Seq Scan" and node["Relation Name"] in LARGE_TABLES:
            yield f"{node['Relation Name']} as {node['Alias']}: {node.get('Filter', 'everything')}"


def _nodes(plan: Any) -> Iterator[dict[str, Any]]:
    if isinstance(plan, list):
        for subplan in plan:
            yield from _nodes(subplan)
    elif isinstance(plan, dict):
        yield plan
        for value in plan.values():
            yield from _nodes(value)
