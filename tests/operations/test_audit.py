"""The daily audit: which snapshots it repairs, and which inconsistencies it only stores."""

import logging
from datetime import timedelta

import pytest
from sqlalchemy import text

from tests.support.bots import play_next_bot
from tests.support.calls import sweep_with_calls_sent
from tests.support.factories import (
    DAY,
    Guest,
    deal_game,
    open_table,
    play_turn,
    stored_game,
    table_settings,
)
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.tx import Database
from webapp.operations.audit import (
    AUDIT_INTERVAL,
    AuditStatus,
    BatchResult,
    audit_status,
    run_batch,
)


def execute(database: Database, statement: str, **values: object) -> None:
    with transaction(database) as tx:
        tx.execute(text(statement), values)


def run_audit_batch_at(
    database: Database, after: timedelta = timedelta(0), *, limit: int = 50
) -> BatchResult:
    with transaction(database, NOON + after) as tx:
        return run_batch(tx, limit=limit)


def status_of(database: Database) -> AuditStatus:
    with transaction(database) as tx:
        return audit_status(tx)


def test_consistent_games_are_left_unchanged(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play_turn(database, slug, guests[0])
    open_table(database, guests[0])
    earlier_row = stored_game(database, slug, guests[0]).row.state
    assert run_audit_batch_at(database) == BatchResult(checked_count=2)
    assert stored_game(database, slug, guests[0]).row.state == earlier_row
    assert status_of(database) == AuditStatus(
        inconsistent_games=0, repaired_snapshots=0, completed_at=NOON
    )


def test_damaged_snapshot_is_rebuilt_from_a_complete_log(
    database: Database, guests: list[Guest], slug: str, caplog: pytest.LogCaptureFixture
) -> None:
    other = deal_game(database, guests)
    play_turn(database, slug, guests[0])
    stored_state = stored_game(database, slug, guests[0]).state
    stale_snapshot = stored_game(database, other, guests[0]).row.state
    for day, wrong_snapshot in enumerate((stale_snapshot, b"{broken", b"[]", None)):
        execute(
            database,
            "UPDATE game SET state = :wrong WHERE slug = :slug",
            wrong=wrong_snapshot,
            slug=slug,
        )
        assert run_audit_batch_at(database, day * AUDIT_INTERVAL).repaired_slugs == (slug,)
        assert stored_game(database, slug, guests[0]).state == stored_state
    assert status_of(database).repaired_snapshots == 4
    assert status_of(database).inconsistent_games == 0
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 4
    assert slug in caplog.text
    play_turn(database, slug, guests[1])


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE turn SET events = 'x' WHERE seq = 1",
        "DELETE FROM turn WHERE seq = 0",
        "UPDATE game SET awaiting = 2",
        "UPDATE secret SET gold = round_1",
    ],
)
def test_irreparable_inconsistency_is_stored_and_the_game_left_unchanged(
    damage: str,
    database: Database,
    guests: list[Guest],
    slug: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    play_turn(database, slug, guests[0])
    execute(database, damage)
    earlier_row = stored_game(database, slug, guests[0]).row
    assert run_audit_batch_at(database).inconsistent_slugs == (slug,)
    assert stored_game(database, slug, guests[0]).row == earlier_row
    assert status_of(database).inconsistent_games == 1
    assert f"Game {slug} is inconsistent" in caplog.text


def test_deadlines_are_suspended_while_a_game_is_inconsistent(
    database: Database, guests: list[Guest], slug: str
) -> None:
    execute(database, "UPDATE game SET round = 2")
    run_audit_batch_at(database)
    with transaction(database) as tx:
        assert not sweep_with_calls_sent(
            tx, now=NOON + 2 * DAY, random_below=pick_first
        ).expired_count
    execute(database, "UPDATE game SET round = 1")
    run_audit_batch_at(database, AUDIT_INTERVAL)
    with transaction(database) as tx:
        assert (
            sweep_with_calls_sent(tx, now=NOON + 2 * DAY, random_below=pick_first).expired_count
            == 1
        )


def test_bots_do_not_play_while_a_game_is_inconsistent(
    database: Database, guests: list[Guest]
) -> None:
    deal_game(database, guests[:1], table_settings(seats=3, starter=1))
    execute(database, "UPDATE game SET round = 2")
    run_audit_batch_at(database)
    with transaction(database) as tx:
        assert not play_next_bot(tx, now=NOON, random_below=pick_first)


def test_audit_continues_where_it_stopped_and_restarts_after_a_day(
    database: Database, guests: list[Guest]
) -> None:
    for _ in range(3):
        deal_game(database, guests)
    hour = timedelta(hours=1)
    assert run_audit_batch_at(database, limit=2) == BatchResult(checked_count=2, has_more=True)
    assert status_of(database).completed_at is None
    assert run_audit_batch_at(database, hour, limit=2) == BatchResult(checked_count=1)
    assert status_of(database).completed_at == NOON + hour
    assert run_audit_batch_at(database, AUDIT_INTERVAL - hour) == BatchResult()
    assert run_audit_batch_at(database, AUDIT_INTERVAL, limit=2) == BatchResult(
        checked_count=2, has_more=True
    )
    assert status_of(database).completed_at == NOON + hour


def test_only_one_worker_runs_a_batch_at_a_time(database: Database, slug: str) -> None:
    with transaction(database) as tx:
        assert run_batch(tx, limit=50).checked_count == 1
    later = NOON + AUDIT_INTERVAL
    with transaction(database, later) as tx, transaction(database, later) as other:
        assert run_batch(tx, limit=50).checked_count == 1
        assert run_batch(other, limit=50) == BatchResult()


def test_turn_played_during_the_check_is_not_an_inconsistency(
    database: Database, guests: list[Guest], slug: str
) -> None:
    with transaction(database) as tx:
        play_turn(database, slug, guests[0])
        # The log now has one turn more than the row says, as if the row had been read before that turn.
        execute(
            database,
            "INSERT INTO turn SELECT game_id, seq + 1, at, seat, by, action, events, head FROM turn WHERE seq = 1",
        )
        assert run_batch(tx, limit=50) == BatchResult(checked_count=1)
