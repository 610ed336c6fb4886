from collections.abc import Callable
from datetime import datetime, timedelta

import psycopg
import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import DAY, NOON, ask, deal, sign_in_all
from webapp.checkup.database import look_at_database
from webapp.checkup.finding import Finding
from webapp.clock import utc_now
from webapp.services.operations.audit import walk
from webapp.services.tx import Database, transaction


def off_by(step: timedelta) -> Callable[[], datetime]:
    return lambda: utc_now() + step


def found_in(url: str, now: Callable[[], datetime] = utc_now) -> list[Finding]:
    return list(look_at_database(url, now))


def test_a_fresh_database_is_well(database_url: str) -> None:
    found = found_in(database_url)
    assert {one.verdict for one in found} == {"well"}
    assert any("Postgres 1" in one.words for one in found)


@pytest.mark.parametrize(
    "step, verdict",
    [
        (timedelta(seconds=-10), "doubtful"),
        (timedelta(seconds=10), "doubtful"),
        (timedelta(minutes=3), "wrong"),
    ],
)
def test_clocks_that_disagree_are_told(step: timedelta, verdict: str, database_url: str) -> None:
    (found,) = [one for one in found_in(database_url, off_by(step)) if one.verdict != "well"]
    assert found.verdict == verdict
    assert f"{abs(step.total_seconds()):.0f}" in found.words
    assert "NTP" in found.remedy


def test_what_waits_too_long_is_told(database: Database, database_url: str) -> None:
    deal(database, sign_in_all(database, ALICE, BOB, CAROL))
    wrong = [one.words for one in found_in(database_url) if one.verdict == "wrong"]
    assert len(wrong) == 2
    assert "A letter has been owed for" in wrong[0]
    assert "A deadline passed" in wrong[1]
    assert utc_now() > NOON + 2 * DAY


def test_a_letter_of_just_now_is_well(database: Database, database_url: str) -> None:
    with transaction(database) as tx:
        ask(tx, ALICE, now=utc_now())
    found = found_in(database_url)
    assert {one.verdict for one in found} == {"well"}
    assert any("A letter has been owed for 0:00:0" in one.words for one in found)


def test_a_database_without_a_schema_is_told(empty_database_url: str) -> None:
    (found,) = [one for one in found_in(empty_database_url) if one.verdict != "well"]
    assert "not there yet" in found.words
    assert "lodepost migrate" in found.remedy


def test_a_database_of_another_release_is_told(database_url: str) -> None:
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    (found,) = [one for one in found_in(database_url) if one.verdict != "well"]
    assert "Its schema is 9999" in found.words


def test_a_database_that_is_away_is_told_without_its_password() -> None:
    (found,) = found_in("postgresql+psycopg://lode:hush@127.0.0.1:1/lode")
    assert found.verdict == "wrong"
    assert "127.0.0.1" in found.words
    assert "hush" not in found.words + found.remedy


def test_a_game_that_disagrees_with_itself_is_wrong(database: Database, database_url: str) -> None:
    deal(database, sign_in_all(database, ALICE, BOB, CAROL))
    assert "has not yet looked at all games" in found_in(database_url)[-1].words
    with transaction(database) as tx:
        walk(tx, now=NOON, limit=5)
    assert "2026-03-02 12:00 UTC the audit had looked" in found_in(database_url)[-1].words
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE game SET round = 3")
    with transaction(database) as tx:
        walk(tx, now=NOON + DAY, limit=5)
    last = found_in(database_url)[-1]
    assert last.verdict == "wrong"
    assert "disagree: 1." in last.words
