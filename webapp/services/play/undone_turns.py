"""What a rewind takes back besides the position: strikes, seats lost by them, time banks, the time used by absences, and records.

An event ``undone`` of each turn keeps it out of how reliable its player is. A player gets a seat back if those strikes have cost
it and no one else has it; any other open seat stays open.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from engine.state import State
from engine.view import awaiting
from webapp.pace.pace import Pace
from webapp.services.play.lost_seats import give_seat_back
from webapp.services.play.turn_clock import CHOICES_WITHIN_A_TURN
from webapp.services.play.turn_events import seat_clock_row
from webapp.services.tx import Tx
from webapp.store.clock import undone_turns
from webapp.store.clock.deadline_events import DeadlineEventRow
from webapp.store.clock.undone_turns import TurnStartOrEndRow
from webapp.store.play import games
from webapp.store.play.rows import GameRow, SeatRow
from webapp.store.play.turns import GameUpdate


def undone_turns_of(
    tx: Tx, row: GameRow, to_turn: int, state: State
) -> tuple[TurnStartOrEndRow, ...]:
    """Return how the turns began and ended that a return to ``state``, the position after a turn, takes back."""
    awaited = awaiting(state)
    is_within_turn = awaited is not None and awaited.kind in CHOICES_WITHIN_A_TURN
    return undone_turns.turn_starts_and_ends_since(
        tx.connection, row.id, to_turn, includes_turn_before=is_within_turn
    )


def row_without_turns(row: GameRow, rows: Sequence[TurnStartOrEndRow]) -> GameRow:
    """Return the game with the strikes, the time banks and the time used by absences that its players had before these turns."""
    seats = tuple(_seat_without_turns(seat, rows, row.pace) for seat in row.seats)
    return msgspec.structs.replace(row, seats=seats)


def give_lost_seats_back(tx: Tx, row: GameRow, rows: Sequence[TurnStartOrEndRow]) -> GameRow:
    """Give the open seats back that their players would not have lost without these turns; return the game as it is then."""
    seats = [
        (seat.number, seat.leaver_id)
        for seat, earlier_seat in zip(row.seats, row_without_turns(row, rows).seats, strict=True)
        if seat.is_lost and earlier_seat.strikes < seat.strikes
        if earlier_seat.strikes < row.late_rules.strikes_until_open
    ]
    for number, leaver_id in seats:
        if leaver_id is not None:
            give_seat_back(tx, row.id, number, leaver_id)
    return games.find_many_to_play(tx.connection, [row.id])[row.id] if seats else row


def with_undone_turns(
    update: GameUpdate,
    rows: Sequence[TurnStartOrEndRow],
    seats: Sequence[SeatRow],
    *,
    now: datetime,
) -> GameUpdate:
    """Return the update of a rewind with the clocks of these seats, and an event for every turn that no longer counts."""
    events = [
        DeadlineEventRow(
            turn_seq=row.turn_seq,
            at=now,
            kind="undone",
            by="moderator",
            seat=row.seat,
            account_id=row.account_id,
        )
        for row in {row.turn_seq: row for row in rows}.values()
    ]
    return msgspec.structs.replace(
        update,
        seat_clocks=tuple(map(seat_clock_row, seats)),
        deadline_events=(*events, *update.deadline_events),
    )


def _seat_without_turns(seat: SeatRow, rows: Sequence[TurnStartOrEndRow], pace: Pace) -> SeatRow:
    """Return the seat as it was; a player who came meanwhile keeps what is theirs, and an open seat has only its leaver's strikes."""
    own_rows = [
        row
        for row in rows
        if row.seat == seat.number and row.account_id is not None
        if row.account_id == (seat.leaver_id if seat.is_free else seat.account_id)
    ]
    strikes = sum(row.kind == "missed" and not row.cause for row in own_rows)
    banks = (row.bank for row in own_rows if row.bank is not None)
    bank = next(banks, seat.bank)
    used_times = (row.absence_used for row in own_rows if row.absence_used is not None)
    used_time = next(used_times, seat.absence_used)
    return msgspec.structs.replace(
        seat,
        strikes=max(seat.strikes - strikes, 0),
        bank_seconds=None if bank is None or bank >= pace.bank else bank.total_seconds(),
        absence_used_seconds=used_time.total_seconds() or None,
    )
