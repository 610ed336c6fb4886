"""Ready-checks that not everyone answers: those who have not are asked again, and two days later they lose their seats.

One person who takes a seat and then stays away must not keep a full table waiting for ever. Housekeeping handles one table
in each transaction. No one is removed sooner after they were asked again than usually, even if no worker ran for weeks.
"""

import logging
from collections.abc import Iterable
from typing import Final

from webapp.pace.calendar import Interval
from webapp.services.lobby.freed_seats import free_seats
from webapp.services.lobby.ready_check import ask_again
from webapp.services.lobby.waiting_times import ASKED_AGAIN_AFTER, READY_CHECK_LASTS
from webapp.services.operations.lost_time import uncovered_time
from webapp.services.play.access import LoadedGame
from webapp.services.tx import Tx, savepoint
from webapp.store.errors import UNAVAILABLE_ERRORS
from webapp.store.lobby import waiting_tables
from webapp.store.notifications import outbox, pending_emails
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import games
from webapp.store.play.rows import GameRow
from webapp.store.site import maintenance

_MISSED: Final[str] = "ready-check-missed"
_OVER: Final[str] = "ready-check-over"
_log = logging.getLogger(__name__)


def handle_next_unanswered_check(tx: Tx, *, after_id: int = 0) -> int | None:
    """Ask again at the next table after ``after_id`` that waits for answers, or end its ready-check; return its id, None without one.

    A table that fails does not hold up the others.
    """
    table = waiting_tables.lock_next_unanswered(
        tx.connection,
        asked_before=tx.now - ASKED_AGAIN_AFTER,
        ended_before=tx.now - READY_CHECK_LASTS,
        after_id=after_id,
    )
    if table is None:
        return None
    handle = _end if table.is_reminded else _ask_again
    try:
        with savepoint(tx):
            rows_by_id = games.find_many_to_play(tx.connection, [table.game_id])
            handle(tx, LoadedGame(rows_by_id[table.game_id]))
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - one broken table must not stop the others
        _log.exception("The ready-check of table %s was not handled.", table.game_id)
    return table.game_id


def _ask_again(tx: Tx, game: LoadedGame) -> None:
    waiting_since = max(game.row.waiting_since or tx.now, tx.now - ASKED_AGAIN_AFTER)
    waiting_tables.mark_waiting_warned(tx.connection, game.row.id, waiting_since=waiting_since)
    ask_again(tx, game)


def _end(tx: Tx, game: LoadedGame) -> None:
    """Free the seats of those who have not answered, and inform everyone: the table waits for players again.

    Maintenance and outages since they were asked again do not count as time to answer.
    """
    row = game.row
    if not _has_time_run_out(tx, row):
        return
    missed_seats = [seat for seat in row.seats if seat.account_id and not seat.is_ready]
    free_seats(tx, row.id, missed_seats)
    missed_ids = {seat.account_id for seat in missed_seats}
    other_ids = {row.host_id, *(seat.account_id for seat in row.seats)} - missed_ids
    _queue_emails(tx, row.id, _MISSED, missed_ids)
    _queue_emails(tx, row.id, _OVER, other_ids)


def _has_time_run_out(tx: Tx, row: GameRow) -> bool:
    asked_again_at = (row.waiting_since or tx.now) + ASKED_AGAIN_AFTER
    stops = maintenance.shifted_intervals(tx.connection, asked_again_at, tx.now)
    time_to_answer = uncovered_time(Interval(asked_again_at, tx.now), stops)
    return time_to_answer >= READY_CHECK_LASTS - ASKED_AGAIN_AFTER


def _queue_emails(
    tx: Tx,
    game_id: int,
    kind: str,
    account_ids: Iterable[int | None],
) -> None:
    number = pending_emails.last_dedup_key(tx.connection, game_id, kind) + 1
    emails = [
        NewNotification(
            kind=kind, game_id=game_id, account_id=account_id, dedup_key=number, due_at=tx.now
        )
        for account_id in sorted(filter(None, account_ids))
    ]
    outbox.enqueue(tx.connection, emails)
    tx.nudges.add("emails")
