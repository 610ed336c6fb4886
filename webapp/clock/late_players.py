"""What too many missed turns cost: the seat.

The sweep that plays the last missed turn opens the seat in the same transaction, as an act of the server in the ledger.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from webapp.clock.queries import deadline_events
from webapp.clock.queries.deadline_events import GameEvent
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.database_errors import UNAVAILABLE_ERRORS
from webapp.kernel.game_status import GameStatus
from webapp.kernel.rights import SERVER, GameRight
from webapp.kernel.tx import Tx
from webapp.play.access import load_game
from webapp.play.change_writer import queue_emails_about_act, write_and_record
from webapp.play.changes.public_change import ChangeSource
from webapp.play.lost_seats import is_lost_by_strikes
from webapp.play.queries import games
from webapp.play.queries.rows import GameRow, SeatRow
from webapp.play.queries.turns import GameUpdate
from webapp.play.seats.seat_changes import seat_bot
from webapp.play.seats.seat_openings import open_seat

MISSED_TURNS_REASON: Final = "The player has missed too many turns."
UNREACHED_REASON: Final = "No email about the turn could be delivered."
_REASONS: Final = {"strikes": MISSED_TURNS_REASON, "undelivered": UNREACHED_REASON}
_log = logging.getLogger(__name__)


class LateSeat(NamedTuple):
    """A seat whose player has missed too many turns or can't be reached; ``turn_seq`` is the turn after which it is taken away."""

    game_id: int
    turn_seq: int
    seat: SeatRow
    cause: Literal["strikes", "undelivered"] = "strikes"


def open_late_seats(
    tx: Tx,
    rows: Iterable[GameRow],
    updates: Sequence[GameUpdate],
    *,
    random_below: Callable[[int], int],
) -> None:
    """Open the seats of players who have just missed one turn too many, or give them to bots, as their tables have chosen.

    ``updates`` are the written turns of games that are locked, and ``rows`` these games before. A seat that can't be opened
    now is opened when its next turn is missed.
    """
    rows_by_id = {row.id: row for row in rows}
    late_seats = [
        LateSeat(update.game_id, row.turn_seq, _seat_on_turn(row))
        for update in updates
        if _is_seat_lost(update, row := rows_by_id[update.game_id])
    ]
    if not late_seats:
        return
    games_by_id = games.find_many_to_play(tx, [late_seat.game_id for late_seat in late_seats])
    for late_seat in late_seats:
        try:
            with tx.connection.begin_nested():
                open_late_seat(
                    tx,
                    games_by_id[late_seat.game_id],
                    late_seat,
                    random_below=random_below,
                )
        except UNAVAILABLE_ERRORS:
            raise
        except Exception:  # noqa: BLE001 - the turns of all games must be stored nevertheless
            _log.exception(
                "The seat of a late player was not opened in game %s.", late_seat.game_id
            )


def open_late_seat(
    tx: Tx, row: GameRow, late_seat: LateSeat, *, random_below: Callable[[int], int]
) -> None:
    """Open the seat of a locked game, or give it to a bot, as its table has chosen; everyone else at it gets an email."""
    number, leaver_id = late_seat.seat.number, late_seat.seat.account_id
    game = load_game(tx, row)
    source = ChangeSource(tx, game, random_below, by=SERVER)
    is_bot_next = row.late_rules.replacement == "bot"
    act = GameRight.SEAT_BOT if is_bot_next else GameRight.OPEN_SEAT
    planned_change = (
        seat_bot(source, number, USUAL_LEVEL) if is_bot_next else open_seat(source, number)
    )
    entry_id = write_and_record(source, act, planned_change, by=(SERVER, _REASONS[late_seat.cause]))
    people = {seat.account_id for seat in row.seats} - {None, None if is_bot_next else leaver_id}
    queue_emails_about_act(tx, game, entry_id, sorted(filter(None, people)))
    opened_event = GameEvent(
        game_id=row.id,
        turn_seq=late_seat.turn_seq,
        at=tx.now,
        kind="opened",
        seat=number,
        account_id=leaver_id,
        by="clock",
        cause=late_seat.cause,
    )
    deadline_events.append(tx, [opened_event])


def _is_seat_lost(update: GameUpdate, row: GameRow) -> bool:
    counts = (clock.strikes for clock in update.seat_clocks if clock.number == row.awaiting)
    strikes, is_running = next(counts, 0), update.position.status == GameStatus.RUNNING
    return is_running and is_lost_by_strikes(row, strikes)


def _seat_on_turn(row: GameRow) -> SeatRow:
    assert row.awaiting is not None
    return row.seats[row.awaiting]
