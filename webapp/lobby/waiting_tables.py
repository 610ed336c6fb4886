"""Tables that wait for too long: open ones for players, full ones for answers to their ready-check.

The players of an open table get a warning, and a week later the table closes; the time counts from the last change of the seats.
Players who do not answer a ready-check are asked again, and two days later they lose their seats. Housekeeping handles one table
in each transaction. No one has less time after a warning than usual, even if no worker ran for weeks.
"""

import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from webapp.clock.pace.calendar import Interval
from webapp.clock.queries import maintenance
from webapp.kernel.database import UNAVAILABLE_ERRORS
from webapp.kernel.game_status import GameStatus
from webapp.kernel.public_acts import ServerReason
from webapp.kernel.rights import SERVER, GameRight
from webapp.kernel.tx import Tx, savepoint
from webapp.lobby.host_actions import cancellation_emails_to_invited
from webapp.lobby.queries import tables
from webapp.lobby.ready_check import ask_again
from webapp.lobby.seats import free_seats
from webapp.mail.queries import outbox, pending_emails
from webapp.mail.queries.outbox import NewNotification
from webapp.operations.maintenance import uncovered_time
from webapp.play.access import LoadedGame
from webapp.play.change_writer import queue_emails_about_act, write_and_record
from webapp.play.changes.game_changes import cancel
from webapp.play.changes.public_change import ChangeSource
from webapp.play.queries import games
from webapp.play.queries.rows import GameRow

WARNED_AFTER: Final = timedelta(days=14)
CLOSED_AFTER: Final = timedelta(days=21)
ASKED_AGAIN_AFTER: Final = timedelta(days=2)
READY_CHECK_LASTS: Final = timedelta(days=4)
"""Longer than a weekend."""
_MISSED: Final[str] = "ready-check-missed"
_OVER: Final[str] = "ready-check-over"
_log = logging.getLogger(__name__)


def closing_time(row: GameRow) -> datetime | None:
    """Return when an open table closes unless its seats change; None if it doesn't."""
    if row.status != GameStatus.OPEN or row.waiting_since is None:
        return None
    return row.waiting_since + CLOSED_AFTER


def answer_time(row: GameRow) -> datetime | None:
    """Return by when everyone at a full table has to confirm; None if there is no ready-check. It ends later after an outage or maintenance."""
    if row.status != GameStatus.READY_CHECK or row.waiting_since is None:
        return None
    return row.waiting_since + READY_CHECK_LASTS


def handle_next_unfilled_table(tx: Tx, *, skipped_ids: Collection[int] = ()) -> int | None:
    """Warn the players of another table that has waited for too long, or close it; return its id, None without one.

    A table that fails does not hold up the others.
    """
    table = tables.lock_next_unfilled(
        tx,
        warned_before=tx.now - WARNED_AFTER,
        closed_before=tx.now - CLOSED_AFTER,
        skipped_ids=skipped_ids,
    )
    if table is None:
        return None
    game_id, is_warned = table
    with _failures_logged(tx, "The table %s, which never became full, was not handled.", game_id):
        handle = _close if is_warned else _warn
        handle(tx, _load(tx, game_id))
    return game_id


def _warn(tx: Tx, game: LoadedGame) -> None:
    waiting_since = max(game.row.waiting_since or tx.now, tx.now - WARNED_AFTER)
    tables.mark_waiting_warned(tx, game.row.id, waiting_since=waiting_since)
    notices = [
        NewNotification(
            kind="table-waiting",
            game_id=game.row.id,
            account_id=account_id,
            # Another one may follow when the seats have changed, two weeks later at the earliest.
            dedup_key=tx.now.toordinal(),
            due_at=tx.now,
        )
        for account_id in _people_at(game)
    ]
    outbox.enqueue(tx, notices)


def _close(tx: Tx, game: LoadedGame) -> None:
    source = ChangeSource(tx, game, by=SERVER)
    by = (SERVER, ServerReason.TABLE_UNFILLED)
    entry_id = write_and_record(source, GameRight.CANCEL_GAME, cancel(source), by=by)
    queue_emails_about_act(tx, game, entry_id, _people_at(game))
    outbox.enqueue(tx, cancellation_emails_to_invited(tx, game.row.id))


def _people_at(game: LoadedGame) -> list[int]:
    """Return the accounts of the people in the seats and of the host."""
    account_ids = {seat.account_id for seat in game.row.seats} | {game.row.host_id}
    return sorted(account_id for account_id in account_ids if account_id is not None)


def handle_next_unanswered_check(tx: Tx, *, after_id: int = 0) -> int | None:
    """Ask again at the next table after ``after_id`` that waits for answers, or end its ready-check; return its id, None without one.

    A table that fails does not hold up the others.
    """
    table = tables.lock_next_unanswered(
        tx,
        asked_before=tx.now - ASKED_AGAIN_AFTER,
        ended_before=tx.now - READY_CHECK_LASTS,
        after_id=after_id,
    )
    if table is None:
        return None
    with _failures_logged(tx, "The ready-check of table %s was not handled.", table.game_id):
        handle = _end if table.is_reminded else _ask_again
        handle(tx, _load(tx, table.game_id))
    return table.game_id


def _ask_again(tx: Tx, game: LoadedGame) -> None:
    waiting_since = max(game.row.waiting_since or tx.now, tx.now - ASKED_AGAIN_AFTER)
    tables.mark_waiting_warned(tx, game.row.id, waiting_since=waiting_since)
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
    stops = maintenance.shifted_intervals(tx, asked_again_at, tx.now)
    time_to_answer = uncovered_time(Interval(asked_again_at, tx.now), stops)
    return time_to_answer >= READY_CHECK_LASTS - ASKED_AGAIN_AFTER


def _queue_emails(
    tx: Tx,
    game_id: int,
    kind: str,
    account_ids: Iterable[int | None],
) -> None:
    number = pending_emails.last_dedup_key(tx, game_id, kind) + 1
    emails = [
        NewNotification(
            kind=kind, game_id=game_id, account_id=account_id, dedup_key=number, due_at=tx.now
        )
        for account_id in sorted(filter(None, account_ids))
    ]
    outbox.enqueue(tx, emails)


@contextmanager
def _failures_logged(tx: Tx, message: str, game_id: int) -> Iterator[None]:
    """Undo what is done in this context if it fails, and log the failure."""
    try:
        with savepoint(tx):
            yield
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - one broken table must not stop the others
        _log.exception(message, game_id)


def _load(tx: Tx, game_id: int) -> LoadedGame:
    return LoadedGame(games.find_many_to_play(tx, [game_id])[game_id])
