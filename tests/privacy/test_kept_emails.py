"""What became of an email is deleted after thirty days, when nothing needs it any more, and counts stay as they were."""

from datetime import timedelta

from sqlalchemy import text

from tests.operations.test_statistics import charts, count_days_until_done
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import DAY, deal_game, play_to_end, sign_in_guests
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.operations.queries.daily_statistics import delete_old_emails

LATER = NOON + 40 * DAY
SETTLE_ALL = """
UPDATE notification SET settled_at = :at, lease_until = NULL,
    status = CASE WHEN status = 'pending' THEN 'sent' ELSE status END
"""
EMAILS = "SELECT coalesce(game.slug, 'none'), count(*) FROM notification LEFT JOIN game ON game.id = game_id GROUP BY 1"


def emails_by_game(database: Database) -> dict[str, int]:
    with transaction(database) as tx:
        return {row[0]: row[1] for row in tx.execute(text(EMAILS))}


def delete_old(database: Database) -> int:
    with transaction(database, LATER) as tx:
        return delete_old_emails(tx, LATER - 30 * DAY)


def test_settled_emails_are_deleted_once_nothing_needs_them(database: Database) -> None:
    guests = sign_in_guests(database, ALICE, BOB, CAROL)
    running, finished = deal_game(database, guests), deal_game(database, guests)
    play_to_end(database, finished, guests)
    with transaction(database) as tx:
        tx.execute(text(SETTLE_ALL), {"at": NOON})
        newest = {"at": NOON + timedelta(hours=1)}
        tx.execute(
            text(
                "INSERT INTO notification (kind, seq, account_id, status, first_due_at, due_at, settled_at)"
                " SELECT 'open-seats', n, 1, CASE n WHEN 1 THEN 'sent' ELSE 'failed' END, :at, :at, :at"
                " FROM generate_series(1, 2) AS n"
            ),
            newest,
        )
    before = emails_by_game(database)
    assert delete_old(database) == 0, "their days are still to be counted"
    count_days_until_done(database, LATER)
    shown_before = charts(database, LATER, 365)
    assert delete_old(database) == before[finished] + before["none"] - 2
    # The last email that was accepted, and what has failed since, tell for how long the relay has failed.
    assert emails_by_game(database) == {running: before[running], "none": 2}
    assert delete_old(database) == 0
    count_days_until_done(database, LATER)
    assert charts(database, LATER, 365) == shown_before
