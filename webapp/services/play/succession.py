"""What the server does by itself at a table whose host has left for good: it names another host, or ends the game.

The ledger has both, as it has the acts of moderators, so that the table reads them in its history and in emails.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

from webapp.rights import SERVER, GameRight
from webapp.services.play.access import LoadedGame
from webapp.services.play.public_change import PlannedChange
from webapp.services.play.summaries import name_of
from webapp.services.play.table_changes import make_host
from webapp.services.security_log import record_act
from webapp.services.tx import Tx
from webapp.store.moderation.ledger import NewLedgerEntry
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.play import changes
from webapp.store.play.rows import SeatRow

HOST_LEFT: Final = "The host has deleted their account."
NO_PERSON_LEFT: Final = "The last person who was playing has deleted their account."


def others_playing(game: LoadedGame, leaver_id: int) -> tuple[SeatRow, ...]:
    """Return the seats of the people who still play besides the one who leaves."""
    seats_gone = game.state.gone if game.is_dealt else ()
    return tuple(
        seat
        for seat in game.row.seats
        if seat.account_id not in {None, leaver_id} and seat.number not in seats_gone
    )


def name_another_host(tx: Tx, game: LoadedGame, leaver_id: int, *, now: datetime) -> int | None:
    """Make the person who has been sitting there longest the host, and return the entry of the ledger.

    Return None if no other person plays there. Needs the game locked; the caller sends the emails. The table takes the name of its new host, because the former host's name is deleted.
    """
    arrivals = changes.arrivals(tx.connection, game.row.id)
    other_seats = others_playing(game, leaver_id)
    heir = min(
        other_seats, key=lambda seat: (arrivals.get(seat.number, -1), seat.number), default=None
    )
    if heir is None or heir.account_id is None:
        return None
    planned_change = make_host(game.row, heir.account_id, host_name=name_of(heir))
    planned_change.write(tx)
    return _record(tx, game, GameRight.HAND_OVER_TABLE, planned_change, reason=HOST_LEFT, now=now)


def end_without_players(
    tx: Tx, game: LoadedGame, planned_change: PlannedChange, *, now: datetime
) -> int:
    """End a game that no person plays any more, as ``planned_change``; return the entry of the ledger."""
    planned_change.write(tx)
    return _record(tx, game, GameRight.CANCEL_GAME, planned_change, reason=NO_PERSON_LEFT, now=now)


def queue_emails_about_act(
    tx: Tx, game: LoadedGame, entry_id: int, account_ids: Iterable[int | None], *, now: datetime
) -> None:
    """Queue the email about an entry of the ledger for these people."""
    notices = [
        NewNotification(
            kind="moderator-act",
            game_id=game.row.id,
            seq=game.row.seq,
            account_id=account_id,
            dedup_key=entry_id,
            due_at=now,
        )
        for account_id in account_ids
    ]
    outbox.enqueue(tx.connection, notices)
    tx.nudges.add("emails")


def _record(
    tx: Tx,
    game: LoadedGame,
    act: GameRight,
    planned_change: PlannedChange,
    *,
    reason: str,
    now: datetime,
) -> int:
    change = planned_change.change
    entry = NewLedgerEntry(
        act=act,
        actor_id=None,
        standing=SERVER,
        game_id=game.row.id,
        seat=change.seat,
        seq=game.row.seq,
        account_id=change.account_id,
        before=msgspec.to_builtins(change.before),
        after=msgspec.to_builtins(change.after),
        reason=reason,
        form_id=f"{SERVER} {act} {game.row.id} {change.before.account_id or 0} {now.isoformat()}",
        at=now,
    )
    entry_id = record_act(tx, entry)
    # The game is locked, and nothing else happens to it in this transaction.
    assert entry_id is not None
    return entry_id
