"""What the end of one turn and the beginning of the next change in the clocks: events of deadlines, a seat's time bank and its strikes.

A turn that a plan played counts as its player's, because plans are private.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from engine.record import TurnSource
from webapp.pace.absence import away_until
from webapp.pace.bank import bank_after, bank_of
from webapp.services.play.clock_reading import clock_time, row_with_absence_time, time_left
from webapp.services.play.held_turns import HeldTurn
from webapp.services.play.turn_clock import TurnClock
from webapp.store.clock.deadline_events import DeadlineEventRow
from webapp.store.play.rows import GameRow, SeatRow
from webapp.store.play.turn_log import SOURCES_PLAYED_IN_PERSON
from webapp.store.play.turns import SeatClockRow

MAX_STRIKES: Final = 30_000
"""Nearly what the column holds; no game has as many turns."""
_NO_TIME: Final = timedelta(0)
_PLAYER_SOURCES: Final[frozenset[TurnSource]] = frozenset({"player", "mail", "plan"})


class TakenTurn(NamedTuple):
    """A turn that someone took; ``turn_seq`` is where it began."""

    seat: int
    by: TurnSource
    turn_seq: int
    held_turn: HeldTurn | None = None
    """The turn as its player held it: the clock stops when that is due, however late a worker plays it, so it is never late."""


class ClocksAfter(NamedTuple):
    """The game with the time banks that turns leave, and what is stored of that."""

    row: GameRow
    seat_clocks: tuple[SeatClockRow, ...]
    events: tuple[DeadlineEventRow, ...]


def clocks_after(row: GameRow, taken_turns: Sequence[TakenTurn], *, now: datetime) -> ClocksAfter:
    """Return what these turns change, of which the first is the one that the game waited for.

    The others were taken by themselves, in the same instant: they have no deadline, and none is ever late.
    """
    changed_row, events = row, []
    for turn in taken_turns:
        if row.seats[turn.seat].is_bot:
            continue
        is_awaited = turn.turn_seq == row.turn_seq and row.deadline_at is not None
        taken_at = now if turn.held_turn is None else min(turn.held_turn.due_at, now)
        time_left = _time_left(row, turn, now=taken_at) if is_awaited else None
        bank_before = None if is_awaited else _bank_for_event(changed_row, turn.seat)
        changed_row = _with_bank_after(changed_row, turn, time_left)
        if is_awaited:
            until = row.paused_at or taken_at
            changed_row = row_with_absence_time(changed_row, turn.seat, until=until)
        if turn.by in SOURCES_PLAYED_IN_PERSON:
            changed_row = _with_player_back(changed_row, turn, now=now)
        if turn.by == "clock" and not _is_excused(row, turn):
            changed_row = _with_strike(changed_row, turn.seat)
        is_late = time_left == _NO_TIME and turn.held_turn is None
        end_event = _end_event(row, turn, is_late=is_late, now=now)
        events.append(msgspec.structs.replace(end_event, bank=bank_before))
    changed_seats = [
        seat
        for seat, seat_before in zip(changed_row.seats, row.seats, strict=True)
        if seat != seat_before
    ]
    return ClocksAfter(changed_row, tuple(map(seat_clock_row, changed_seats)), tuple(events))


def _time_left(row: GameRow, turn: TakenTurn, *, now: datetime) -> timedelta:
    """Return the playing time that is left of the game's turn; the clock plays only when there is none."""
    if turn.by == "clock":
        return _NO_TIME
    read_at = clock_time(row, row.maintenance, at=row.paused_at or now)
    return time_left(row, now=read_at) or _NO_TIME


def _end_event(row: GameRow, turn: TakenTurn, *, is_late: bool, now: datetime) -> DeadlineEventRow:
    return DeadlineEventRow(
        turn_seq=turn.turn_seq,
        # Also that of a held turn, as long as it entered in time: nothing else shows that it was held.
        at=now if turn.held_turn is None else min(now, row.deadline_at or now),
        kind=_kind_of_end(turn, is_late=is_late),
        seat=turn.seat,
        account_id=row.seats[turn.seat].account_id,
        by=_public_source(turn.by),
        deadline_at=row.deadline_at if turn.turn_seq == row.turn_seq else None,
        cause="away" if turn.by == "away" or (is_late and _is_excused(row, turn)) else "",
    )


def _kind_of_end(turn: TakenTurn, *, is_late: bool) -> str:
    if turn.by == "clock":
        return "missed"
    return "late" if is_late and turn.by != "away" else "played"


def turn_start_event(
    row: GameRow, clock: TurnClock, seat: int | None, by: TurnSource, *, cause: str, now: datetime
) -> DeadlineEventRow | None:
    """Return the event with which the clock of a new turn starts; None for one without a deadline."""
    if seat is None or clock.deadline_at is None:
        return None
    player_seat = row.seats[seat]
    return DeadlineEventRow(
        turn_seq=clock.turn_seq,
        at=now,
        kind="started",
        seat=seat,
        account_id=player_seat.account_id,
        by=_public_source(by),
        deadline_at=clock.deadline_at,
        cause=cause,
        bank=_bank_for_event(row, seat),
        absence_used=None if player_seat.is_free else player_seat.absence_used,
    )


def _bank_for_event(row: GameRow, number: int) -> timedelta | None:
    """Return what a seat has in its bank before a turn, which a rewind gives back; None for an open seat."""
    seat = row.seats[number]
    return None if seat.is_free else bank_of(seat.bank, row.pace)


def _public_source(by: TurnSource) -> str:
    """Return what everyone may know of how a turn entered the game."""
    if by == "away":
        return "bot"
    return "player" if by in _PLAYER_SOURCES else by


def _with_bank_after(row: GameRow, turn: TakenTurn, time_left: timedelta | None) -> GameRow:
    """Return the game with the bank that a turn leaves its seat; one without a clock only puts time back."""
    seat, pace = row.seats[turn.seat], row.pace
    if not pace.bank or seat.is_free:
        return row
    bank = bank_after(
        seat.bank,
        pace.bank if time_left is None else time_left,
        pace,
        is_turn_taken=turn.by in _PLAYER_SOURCES,
    )
    bank_seconds = None if bank is None else bank.total_seconds()
    changed_seat = msgspec.structs.replace(seat, bank_seconds=bank_seconds)
    seats = tuple(changed_seat if other is seat else other for other in row.seats)
    return msgspec.structs.replace(row, seats=seats)


def _with_player_back(row: GameRow, turn: TakenTurn, *, now: datetime) -> GameRow:
    """Return the game in which absences count no more that had begun when their player took a turn; a plan was made before."""
    seat = row.seats[turn.seat]
    returned_at = now
    if turn.held_turn is not None and turn.held_turn.due_at <= now:
        # It entered by itself, and was chosen before, perhaps before the absence began.
        returned_at = turn.held_turn.held_at
    if away_until(seat.away or (), returned_at) is None:
        return row
    away = tuple(absence for absence in seat.away or () if absence.start > returned_at)
    changed_seat = msgspec.structs.replace(seat, away=away, returned_at=returned_at)
    seats = tuple(changed_seat if other is seat else other for other in row.seats)
    return msgspec.structs.replace(row, seats=seats)


def _is_excused(row: GameRow, turn: TakenTurn) -> bool:
    """Return whether the player was away at the deadline, as they had said.

    That happens at a table that doesn't stop the clock for absences, or has stopped it for as long as it waits for anyone.
    """
    away, deadline_at = row.seats[turn.seat].away, row.deadline_at
    if not away or deadline_at is None or turn.turn_seq != row.turn_seq:
        return False
    return away_until(away, deadline_at) is not None


def _with_strike(row: GameRow, number: int) -> GameRow:
    """Return the game with one more missed turn of the person in this seat."""
    seat = row.seats[number]
    if seat.is_free:
        return row
    changed_seat = msgspec.structs.replace(seat, strikes=min(seat.strikes + 1, MAX_STRIKES))
    seats = tuple(changed_seat if other is seat else other for other in row.seats)
    return msgspec.structs.replace(row, seats=seats)


def seat_clock_row(seat: SeatRow) -> SeatClockRow:
    """Return what is stored of a seat's clock."""
    return SeatClockRow(
        number=seat.number,
        bank=seat.bank,
        strikes=seat.strikes,
        absence_used=None if seat.absence_used_seconds is None else seat.absence_used,
        returned_at=seat.returned_at,
    )
