"""What the clock of a game's turn shows: when it runs, by which instant its deadline counts, and how much time is left."""

from datetime import datetime, timedelta

import msgspec

from webapp.pace.absence import capped_absences
from webapp.pace.arithmetic import deadline_for, elapsed_time, moved_deadline
from webapp.pace.calendar import Calendar
from webapp.pace.reminders import first_reminder
from webapp.store.play.rows import GameRow
from webapp.store.site.maintenance import MaintenanceRow

_NO_TIME = timedelta(0)


def calendar_of(row: GameRow, seat: int | None, *, start: datetime | None = None) -> Calendar:
    """Return when the clock runs for the player in this seat; every deadline of the game is counted by it.

    A turn begins at ``start``, or is the one that the game waits for. From then on the player's absences stop the clock, if
    the table has chosen that, for as long as they may.
    """
    playing, rules = row.pace.playing, row.late_rules
    away = None if seat is None else row.seats[seat].away
    start = start or row.turn_started_at
    if seat is None or start is None or not away or rules.absence != "stop":
        return Calendar(playing)
    absence_left = rules.absence_cap - row.seats[seat].absence_used
    return Calendar(playing, capped_absences(away, playing, start, absence_left))


def absence_time(row: GameRow, seat: int, *, until: datetime) -> timedelta:
    """Return for how much playing time the player's absences have stopped the clock of the running turn."""
    start = row.turn_started_at
    if start is None:
        return _NO_TIME
    all_time = elapsed_time(start, until, Calendar(row.pace.playing))
    return all_time - elapsed_time(start, until, calendar_of(row, seat))


def row_with_absence_time(row: GameRow, seat: int, *, until: datetime) -> GameRow:
    """Return the game with the time added for which the player's absences have stopped the clock of the running turn."""
    stopped_time = absence_time(row, seat, until=until)
    return row_with_absence_used(row, seat, row.seats[seat].absence_used + stopped_time)


def row_with_absence_used(row: GameRow, number: int, used_time: timedelta) -> GameRow:
    """Return the game in which the absences of the player in this seat have stopped the clock for so long."""
    seat = row.seats[number]
    if used_time == seat.absence_used:
        return row
    changed_seat = msgspec.structs.replace(seat, absence_used_seconds=used_time.total_seconds())
    seats = tuple(changed_seat if other is seat else other for other in row.seats)
    return msgspec.structs.replace(row, seats=seats)


def clock_time(row: GameRow, maintenance: MaintenanceRow | None, *, at: datetime) -> datetime:
    """Return the instant by which the deadline of a running game counts: ``at``, or earlier if a maintenance stops its clock.

    From the beginning of the maintenance it is as far as ``at`` is from its end, because the deadline is going to be moved
    by as much.
    """
    if maintenance is None:
        return at
    stop = maintenance.clock_stop_of(row.id, row.turn_started_at or at, at)
    if stop is None:
        return at
    calendar = calendar_of(row, row.awaiting)
    return moved_deadline(at, from_at=stop.until, to_at=stop.since, calendar=calendar)


def time_left(row: GameRow, *, now: datetime) -> timedelta | None:
    """Return how much of the turn's playing time is left at an instant; None without a deadline."""
    if row.deadline_at is None:
        return None
    return elapsed_time(now, row.deadline_at, calendar_of(row, row.awaiting))


def row_after_pause(row: GameRow, *, paused_at: datetime, resumed_at: datetime) -> GameRow:
    """Return a paused game as it is resumed: of the time for which absences may stop the clock, the pause uses nothing up."""
    number = row.awaiting
    if number is None or row.late_rules.absence != "stop" or not row.seats[number].away:
        return row
    seat, playing = row.seats[number], row.pace.playing
    time_at_home = elapsed_time(paused_at, resumed_at, Calendar(playing, seat.away or ()))
    time_away = elapsed_time(paused_at, resumed_at, Calendar(playing)) - time_at_home
    return row_with_absence_used(row, number, seat.absence_used - time_away)


def resumed_time(
    at: datetime, row: GameRow, resumed_row: GameRow, *, paused_at: datetime, resumed_at: datetime
) -> datetime:
    """Return the instant that lies as far after the pause as ``at`` before it: in playing time what is to come, else by the calendar."""
    if at < paused_at:
        return at + (resumed_at - paused_at)
    time_to_come = elapsed_time(paused_at, at, calendar_of(row, row.awaiting))
    return deadline_for(resumed_at, time_to_come, calendar_of(resumed_row, row.awaiting))


def reminder_before(row: GameRow, deadline_at: datetime, *, now: datetime) -> datetime | None:
    """Return when the player is reminded of a moved deadline: as long before it as before the present one, or as they wish."""
    if row.remind_at is None or row.deadline_at is None or row.awaiting is None:
        return None
    calendar, start = calendar_of(row, row.awaiting), row.turn_started_at or row.remind_at
    gap = elapsed_time(row.remind_at, row.deadline_at, calendar)
    usual_reminder_at = deadline_for(
        start, elapsed_time(start, deadline_at, calendar) - gap, calendar
    )
    return first_reminder(
        usual_reminder_at, deadline_at, row.seats[row.awaiting].reminder_wishes, now=now
    )
