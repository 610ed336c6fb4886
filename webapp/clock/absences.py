"""Absences: people declare ahead when they are away, or that they are away from now on, and come back earlier.

What an absence does to a game is for its table to choose. Others see until when someone is away, and nothing else.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.queries.accounts import lock_account
from webapp.clock.local_periods import (
    LocalPeriod,
    beginning_of,
    end_of,
    local_day,
    skipped_time_errors,
)
from webapp.clock.pace.calendar import Interval
from webapp.clock.queries import absences
from webapp.clock.queries.absences import AbsenceKind, AbsenceRow, NewAbsence
from webapp.clock.turn import Clock
from webapp.kernel.refusals import FieldError, FieldErrors, NotFound
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.play.changes.public_change import account_on_turn, turn_email
from webapp.play.queries import changes, clocks, games
from webapp.play.queries.clocks import ClockUpdate
from webapp.play.queries.rows import GameRow

MAX_PENDING_ABSENCES: Final = 3
MAX_ABSENCE_DAYS: Final = 60
MAX_DAYS_UNTIL_ABSENCE: Final = 365
"""How many days ahead an absence may begin."""
MAX_ABSENCES_A_DAY: Final = 10
_ONE_DAY: Final = timedelta(days=1)


class OwnAbsence(msgspec.Struct, frozen=True, kw_only=True):
    """An absence as its owner sees it."""

    id: int
    kind: AbsenceKind
    has_begun: bool
    from_at: datetime
    until_at: datetime


def own_absences(tx: Tx, person: Person) -> tuple[OwnAbsence, ...]:
    """Return the person's absences that are not over, the earliest first."""
    return tuple(
        OwnAbsence(
            id=row.id,
            kind=row.kind,
            has_begun=row.from_at <= tx.now,
            from_at=row.from_at,
            until_at=row.until_at,
        )
        for row in absences.pending(tx, person.id)
    )


def own_absence(tx: Tx, person: Person, absence_id: int) -> OwnAbsence:
    """Return one of the person's absences that are not over. Raises NotFound."""
    for absence in own_absences(tx, person):
        if absence.id == absence_id:
            return absence
    raise NotFound


def declare_future_absence(tx: Tx, person: Person, period: LocalPeriod) -> None:
    """Declare an absence ahead. Declaring the same one twice changes nothing. Raises FieldErrors."""
    with _moving_deadlines(tx, person):
        _add_absence(tx, person, "dates", period)


def start_holiday(tx: Tx, person: Person, period: LocalPeriod) -> None:
    """Be away from now until the end of a period. Doing it twice changes nothing. Raises FieldErrors."""
    with _moving_deadlines(tx, person):
        _add_absence(tx, person, "holiday", period)


def change_absence(tx: Tx, person: Person, absence_id: int, period: LocalPeriod) -> None:
    """Give an absence other times; one that has begun keeps its beginning. Raises FieldErrors, and NotFound."""
    with _moving_deadlines(tx, person):
        lock_account(tx, person.id)
        rows = {row.id: row for row in absences.pending(tx, person.id)}
        old_row = rows.pop(absence_id, None)
        if old_row is None:
            raise NotFound
        began_at = old_row.from_at if old_row.from_at <= tx.now else None
        from_at, until_at = _checked_times(person, period, began_at=began_at, now=tx.now)
        _require_free_time(rows.values(), from_at, until_at)
        absences.move(tx, absence_id, from_at=from_at, until_at=until_at)


def end_absence(tx: Tx, person: Person, absence_id: int) -> None:
    """End an absence now, or withdraw one that has not begun. Ending it twice, or another person's, changes nothing."""
    with _moving_deadlines(tx, person):
        lock_account(tx, person.id)
        rows = {row.id: row for row in absences.pending(tx, person.id)}
        if absence_id not in rows:
            return
        if rows[absence_id].from_at <= tx.now:
            absences.end(tx, absence_id, at=tx.now)
        else:
            absences.withdraw(tx, absence_id)


def _add_absence(tx: Tx, person: Person, kind: AbsenceKind, period: LocalPeriod) -> None:
    lock_account(tx, person.id)
    from_at, until_at = _checked_times(person, period, began_at=None, now=tx.now)
    rows = absences.pending(tx, person.id)
    if any(row.from_at <= from_at and row.until_at == until_at for row in rows):
        return
    _require_room_for_absence(tx, person, kind, rows)
    _require_free_time(rows, from_at, until_at)
    absence = NewAbsence(
        account_id=person.id, kind=kind, from_at=from_at, until_at=until_at, declared_at=tx.now
    )
    absences.add(tx, absence)


def _checked_times(
    person: Person, period: LocalPeriod, *, began_at: datetime | None, now: datetime
) -> tuple[datetime, datetime]:
    """Return from when to when a period is; what has passed of today is left out. Raises FieldErrors.

    An absence that began before keeps its beginning, whatever the period says.
    """
    zone = ZoneInfo(person.zone)
    first_day = period.first_day if began_at is None else local_day(began_at, zone)
    errors = _day_errors(first_day, period.last_day, zone, now=now, is_new=began_at is None)
    if errors := errors or skipped_time_errors(period, zone):
        raise FieldErrors(*errors)
    from_at = began_at or max(beginning_of(period, zone), now)
    until_at = end_of(period, zone)
    if until_at <= now:
        raise FieldErrors(FieldError("last_time", "over-already"))
    if until_at <= from_at:
        raise FieldErrors(FieldError("last_time", "before-start"))
    return from_at, until_at


def _day_errors(
    first_day: date, last_day: date, zone: ZoneInfo, *, now: datetime, is_new: bool
) -> list[FieldError]:
    today = local_day(now, zone)
    if last_day < today:
        return [FieldError("last_day", "over-already")]
    if is_new and first_day < today:
        return [FieldError("first_day", "over-already")]
    if first_day > today + MAX_DAYS_UNTIL_ABSENCE * _ONE_DAY:
        return [FieldError("first_day", "too-far")]
    if last_day < first_day:
        return [FieldError("last_day", "before-start")]
    if last_day - first_day >= MAX_ABSENCE_DAYS * _ONE_DAY:
        return [FieldError("last_day", "too-long-away", {"max": MAX_ABSENCE_DAYS})]
    return []


def _require_room_for_absence(
    tx: Tx, person: Person, kind: AbsenceKind, rows: tuple[AbsenceRow, ...]
) -> None:
    """Refuse more absences than a person may have at once or declare in a day. Raises FieldErrors."""
    if kind == "dates" and sum(row.kind == kind for row in rows) >= MAX_PENDING_ABSENCES:
        raise FieldErrors(
            FieldError("first_day", "too-many-absences", {"max": MAX_PENDING_ABSENCES})
        )
    declared_today = absences.count_declared_absences(tx, person.id, since=tx.now - _ONE_DAY)
    if declared_today >= MAX_ABSENCES_A_DAY:
        raise FieldErrors(FieldError("last_day", "too-often-today"))


def _require_free_time(others: Iterable[AbsenceRow], from_at: datetime, until_at: datetime) -> None:
    """Refuse an absence that overlaps another one. Raises FieldErrors."""
    if any(other.from_at < until_at and from_at < other.until_at for other in others):
        raise FieldErrors(FieldError("last_day", "overlaps"))


@contextmanager
def _moving_deadlines(tx: Tx, person: Person) -> Iterator[None]:
    """Move the deadlines of all turns that wait for the person by what the body changes in their absences.

    Locks all the person's games before anything else, as everyone locks games before an account. As much playing time is left
    as before. A turn that another player is taking at the same time reads the absences again.
    """
    ids = absences.lock_games(tx, person.id)
    rows_before = games.find_many_to_play(tx, ids)
    yield
    changes.increment_player_changes(tx, ids)
    rows_after = games.find_many_to_play(tx, ids)
    rows = [rows_before[game_id] for game_id in ids]
    updates = [
        ClockUpdate(row, row.clock.absences_changed(_absences_in(rows_after[row.id]), now=tx.now))
        for row in rows
        if account_on_turn(row) == person.id
    ]
    clocks.write(tx, *updates)
    for row, change, _ in updates:
        _call_or_hand_on(tx, row, change.clock)


def _absences_in(row: GameRow) -> tuple[Interval, ...]:
    """Return the absences of the player on turn."""
    player = row.clock.player
    return () if player is None else player.away


def _call_or_hand_on(tx: Tx, row: GameRow, clock: Clock) -> None:
    """Nudge bots to take the turn of a player who is away now, or call the player who has their turn back from a bot."""
    if clock.is_bot_turn(at=tx.now) and clock.held_turn is None:
        tx.nudges.add("bots")
    elif row.clock.is_bot_turn(at=tx.now) and row.clock.held_turn is None:
        outbox.enqueue(tx, turn_email(row, tx.now))
