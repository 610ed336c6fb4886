"""Open tables that never become full: their players get a warning, and a week later the table closes.

The time counts from the last change of the seats. Housekeeping asks one indexed question and handles one table in each
transaction; a warning is recorded with its emails, so one that was interrupted is repeated as a whole.
"""

import logging
from collections.abc import Collection
from typing import Final

from webapp.rights import SERVER, GameRight
from webapp.services.lobby.cancellation_emails import cancellation_emails_to_invited
from webapp.services.lobby.waiting_times import CLOSED_AFTER, WARNED_AFTER
from webapp.services.play.access import LoadedGame
from webapp.services.play.acts_without_actor import queue_emails_about_act, write_and_record
from webapp.services.play.game_changes import cancel
from webapp.services.play.public_change import ChangeInput, ChangeSource
from webapp.services.tx import Tx, savepoint
from webapp.store.errors import UNAVAILABLE_ERRORS
from webapp.store.lobby import waiting_tables
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import games

UNFILLED_REASON: Final = "Its seats weren't all taken within three weeks."
_log = logging.getLogger(__name__)


def handle_next_unfilled_table(tx: Tx, *, skipped_ids: Collection[int] = ()) -> int | None:
    """Warn the players of another table that has waited for too long, or close it; return its id, None without one.

    No table closes sooner after its warning than others do, even if no worker ran for weeks. One that fails does not hold
    up the others.
    """
    table = waiting_tables.lock_next_unfilled(
        tx.connection,
        warned_before=tx.now - WARNED_AFTER,
        closed_before=tx.now - CLOSED_AFTER,
        skipped_ids=skipped_ids,
    )
    if table is None:
        return None
    game_id, is_warned = table
    handle = _close if is_warned else _warn
    try:
        with savepoint(tx):
            rows_by_id = games.find_many_to_play(tx.connection, [game_id])
            handle(tx, LoadedGame(rows_by_id[game_id]))
    except UNAVAILABLE_ERRORS:
        raise
    except Exception:  # noqa: BLE001 - one broken table must not stop the others
        _log.exception("The table %s, which never became full, was not handled.", game_id)
    return game_id


def _warn(tx: Tx, game: LoadedGame) -> None:
    waiting_since = max(game.row.waiting_since or tx.now, tx.now - WARNED_AFTER)
    waiting_tables.mark_waiting_warned(tx.connection, game.row.id, waiting_since=waiting_since)
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
    outbox.enqueue(tx.connection, notices)
    tx.nudges.add("emails")


def _close(tx: Tx, game: LoadedGame) -> None:
    planned_change = cancel(ChangeSource(tx, game, ChangeInput(), tx.now, _pick_first, by=SERVER))
    by = (SERVER, UNFILLED_REASON)
    entry_id = write_and_record(tx, game, GameRight.CANCEL_GAME, planned_change, by=by)
    queue_emails_about_act(tx, game, entry_id, _people_at(game))
    outbox.enqueue(tx.connection, cancellation_emails_to_invited(tx, game.row.id))


def _people_at(game: LoadedGame) -> list[int]:
    """Return the accounts of the people in the seats and of the host."""
    account_ids = {seat.account_id for seat in game.row.seats} | {game.row.host_id}
    return sorted(account_id for account_id in account_ids if account_id is not None)


def _pick_first(_: int) -> int:
    return 0
