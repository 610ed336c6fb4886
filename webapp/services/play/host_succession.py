"""What the server does by itself at a table whose host has left for good: it names another host, or ends the game.

The ledger has both, as it has the acts of moderators, so that the table reads them in its history and in emails.
"""

from typing import Final

from webapp.rights import SERVER, GameRight
from webapp.services.play.access import LoadedGame
from webapp.services.play.acts_without_actor import write_and_record
from webapp.services.play.game_changes import cancel
from webapp.services.play.public_change import ChangeSource
from webapp.services.play.summaries import name_of
from webapp.services.play.table_changes import make_host
from webapp.services.tx import Tx
from webapp.store.play import changes
from webapp.store.play.rows import SeatRow

HOST_LEFT_REASON: Final = "The host has deleted their account."
NO_PERSON_LEFT_REASON: Final = "The last person who was playing has deleted their account."


def others_playing(game: LoadedGame, leaver_id: int) -> tuple[SeatRow, ...]:
    """Return the seats of the people who still play besides the one who leaves."""
    seats_gone = game.state.gone if game.is_dealt else ()
    return tuple(
        seat
        for seat in game.row.seats
        if seat.account_id not in {None, leaver_id} and seat.number not in seats_gone
    )


def name_another_host(tx: Tx, game: LoadedGame, leaver_id: int) -> int | None:
    """Make the person who has been sitting there longest the host, and return the entry of the ledger.

    Return None if no other person plays there. Needs the game locked; the caller sends the emails. The table takes the name of its new host, because the former host's name is deleted.
    """
    arrival_seqs = changes.arrival_seqs(tx.connection, game.row.id)
    other_seats = others_playing(game, leaver_id)
    new_host_seat = min(
        other_seats, key=lambda seat: (arrival_seqs.get(seat.number, -1), seat.number), default=None
    )
    if new_host_seat is None or new_host_seat.account_id is None:
        return None
    planned_change = make_host(game.row, new_host_seat.account_id, host_name=name_of(new_host_seat))
    by = (SERVER, HOST_LEFT_REASON)
    return write_and_record(
        ChangeSource(tx, game, tx.now), GameRight.HAND_OVER_TABLE, planned_change, by=by
    )


def end_without_players(source: ChangeSource) -> int:
    """End a game that no person plays any more; return the entry of the ledger."""
    by = (SERVER, NO_PERSON_LEFT_REASON)
    return write_and_record(source, GameRight.CANCEL_GAME, cancel(source), by=by)
