"""Every difference between a log and what is stored beside it is found."""

import psycopg
import pytest

from tests.support.factories import Guest, deal_game, open_table, play_turn
from webapp.kernel.operator_errors import DatabaseFailure
from webapp.kernel.tx import Database
from webapp.operations.consistency import (
    Inconsistency,
    InspectionResult,
    SchemaMismatch,
    inspect_database,
)
from webapp.operations.queries.table_copy import read_transaction

pytestmark = pytest.mark.own_database

EXPECTED_KINDS = {
    "UPDATE game SET awaiting = 1": {"awaiting-differs"},
    "UPDATE game SET round = 2": {"round-differs"},
    "UPDATE game SET status = 'finished'": {"status-differs"},
    "UPDATE game SET status = 'open'": {"status-differs"},
    "UPDATE game SET seq = seq + 1": {"log-has-gaps"},
    "DELETE FROM turn WHERE seq = 0": {"log-has-gaps"},
    "UPDATE turn SET events = '[]' WHERE seq = 1": {"snapshot-differs", "chain-differs"},
    "UPDATE turn SET events = 'x' WHERE seq = 1": {"log-unreadable"},
    "UPDATE turn SET events = (SELECT events FROM turn WHERE seq = 1) WHERE seq = 2": {
        "log-impossible"
    },
    "UPDATE game SET rulebook = 'none'": {"log-impossible"},
    "UPDATE game SET state = NULL": {"snapshot-missing"},
    "UPDATE game SET state = 'x'": {"snapshot-unreadable"},
    "UPDATE secret SET gold = round_1": {"commitments", "chain-differs"},
    "UPDATE secret SET round_3 = 'short'": {"commitments", "chain-differs"},
    "UPDATE turn SET by = 'bot' WHERE seq = 1": {"chain-differs"},
    "UPDATE turn SET seat = 2 WHERE seq = 1": {"chain-differs"},
    "UPDATE turn SET head = events WHERE seq = 1": {"chain-differs"},
    "UPDATE game SET freeze_record = '\\x00'": {"chain-differs"},
    "UPDATE game SET head = NULL": {"head-differs"},
    "DELETE FROM secret": {"no-secrets"},
    "UPDATE turn SET game_id = 999": {"log-has-gaps", "stray-turns"},
}


def execute(url: str, command: str) -> None:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute(command)  # type: ignore[arg-type]


@pytest.fixture
def game(database: Database, slug: str, guests: list[Guest]) -> str:
    play_turn(database, slug, guests[0])
    play_turn(database, slug, guests[1])
    return slug


def test_consistent_game_has_no_inconsistencies(game: str, database_url: str) -> None:
    assert inspect_database(database_url) == InspectionResult(games=1, turns=3, inconsistencies=())


@pytest.mark.parametrize("command", EXPECTED_KINDS)
def test_every_kind_of_damage_is_found(command: str, game: str, database_url: str) -> None:
    execute(database_url, command)
    inspected = inspect_database(database_url).inconsistencies
    assert {inconsistency.kind for inconsistency in inspected} == EXPECTED_KINDS[command]
    assert {inconsistency.slug for inconsistency in inspected} <= {game, ""}


def test_unreadable_game_does_not_hide_another(
    database: Database, game: str, guests: list[Guest], database_url: str
) -> None:
    other = deal_game(database, guests)
    execute(
        database_url,
        f"UPDATE turn SET events = 'x' WHERE game_id = 1; UPDATE game SET round = 3 WHERE slug = '{other}'",
    )
    inspected = inspect_database(database_url)
    assert inspected.games == 2
    assert set(inspected.inconsistencies) == {
        Inconsistency(game, "log-unreadable"),
        Inconsistency(other, "round-differs"),
    }


def test_snapshot_of_another_format_is_ignored(game: str, database_url: str) -> None:
    execute(database_url, "UPDATE game SET state = 'older', state_format = 0")
    assert inspect_database(database_url).inconsistencies == ()


def test_open_table_without_a_log_is_consistent(
    database: Database, guests: list[Guest], database_url: str
) -> None:
    open_table(database, guests[0])
    assert inspect_database(database_url) == InspectionResult(games=1, turns=0, inconsistencies=())


def test_inspection_repairs_nothing(game: str, database_url: str) -> None:
    execute(database_url, "UPDATE game SET round = 2")
    assert inspect_database(database_url) == inspect_database(database_url)


def test_database_without_a_schema_is_rejected(empty_database_url: str) -> None:
    with pytest.raises(SchemaMismatch, match="has schema none"):
        inspect_database(empty_database_url)


def test_lost_connection_is_reported(database_url: str) -> None:
    with (
        pytest.raises(DatabaseFailure, match="terminat"),
        read_transaction(database_url) as transaction,
    ):
        transaction.connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
