"""Whatever is changed beside a log, the log tells."""

import psycopg
import pytest

from tests.support.factories import Guest, deal, open_table, play
from webapp.services.operations.backups import Away
from webapp.services.operations.consistency import Disagreement, Inspected, NotThisSchema, inspect
from webapp.services.tx import Database
from webapp.store.operations.copying import instant_of

PLANTED = {
    "UPDATE game SET awaiting = 1": {"awaiting-differs"},
    "UPDATE game SET round = 2": {"round-differs"},
    "UPDATE game SET status = 'finished'": {"status-differs"},
    "UPDATE game SET status = 'open'": {"status-differs"},
    "UPDATE game SET seq = seq + 1": {"log-has-gaps"},
    "DELETE FROM turn WHERE seq = 0": {"log-has-gaps"},
    "UPDATE turn SET events = '[]' WHERE seq = 1": {"snapshot-differs"},
    "UPDATE turn SET events = 'x' WHERE seq = 1": {"log-unreadable"},
    "UPDATE turn SET events = (SELECT events FROM turn WHERE seq = 1) WHERE seq = 2": {
        "log-impossible"
    },
    "UPDATE game SET rulebook = 'none'": {"log-impossible"},
    "UPDATE game SET state = NULL": {"snapshot-missing"},
    "UPDATE game SET state = 'x'": {"snapshot-unreadable"},
    "UPDATE secret SET gold = round_1": {"commitments"},
    "UPDATE secret SET round_3 = 'short'": {"commitments"},
    "DELETE FROM secret": {"no-secrets"},
    "UPDATE turn SET game_id = 999": {"log-has-gaps", "strays"},
}


def say(url: str, command: str) -> None:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute(command)  # type: ignore[arg-type]


@pytest.fixture
def game(database: Database, slug: str, guests: list[Guest]) -> str:
    play(database, slug, guests[0])
    play(database, slug, guests[1])
    return slug


def test_a_sound_game_agrees(game: str, database_url: str) -> None:
    assert inspect(database_url) == Inspected(games=1, turns=3, disagreements=())


@pytest.mark.parametrize("command", PLANTED)
def test_what_was_changed_beside_the_log_is_found(
    command: str, game: str, database_url: str
) -> None:
    say(database_url, command)
    found = inspect(database_url).disagreements
    assert {one.why for one in found} == PLANTED[command]
    assert {one.slug for one in found} <= {game, ""}


def test_a_game_that_is_spoilt_hides_no_other(
    database: Database, game: str, guests: list[Guest], database_url: str
) -> None:
    other = deal(database, guests)
    say(
        database_url,
        f"UPDATE turn SET events = 'x' WHERE game_id = 1; UPDATE game SET round = 3 WHERE slug = '{other}'",
    )
    found = inspect(database_url)
    assert found.games == 2
    assert set(found.disagreements) == {
        Disagreement(game, "log-unreadable"),
        Disagreement(other, "round-differs"),
    }


def test_a_snapshot_of_another_format_is_only_a_cache(game: str, database_url: str) -> None:
    say(database_url, "UPDATE game SET state = 'older', state_format = 0")
    assert inspect(database_url).disagreements == ()


def test_an_open_table_has_no_log_and_agrees(
    database: Database, guests: list[Guest], database_url: str
) -> None:
    open_table(database, guests[0])
    assert inspect(database_url) == Inspected(games=1, turns=0, disagreements=())


def test_nothing_is_mended(game: str, database_url: str) -> None:
    say(database_url, "UPDATE game SET round = 2")
    assert inspect(database_url) == inspect(database_url)


def test_a_database_without_a_schema_is_told(empty_database_url: str) -> None:
    with pytest.raises(NotThisSchema, match="no schema at all"):
        inspect(empty_database_url)


def test_a_server_that_goes_away_is_told(database_url: str) -> None:
    with pytest.raises(Away, match="terminat"), instant_of(database_url) as instant:
        instant.connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
