"""Maintenance and outages: while they last no deadline runs out, and afterwards every deadline moves by their length.

The end is handled like the end of a pause of every running game: in batches, each a transaction that also stores how
far it came, so that a process which dies in between repeats nothing.
"""

from datetime import datetime, timedelta
from typing import Final

from webapp.services.errors import FieldError, FieldErrors
from webapp.services.play.clock_reading import calendar_of, moved_time
from webapp.services.play.held_turns import wake_with_held
from webapp.services.tx import Tx
from webapp.store.clock import deadline_events
from webapp.store.clock.deadline_events import GameEvent
from webapp.store.operations import heartbeats
from webapp.store.operations.heartbeats import LastSeen
from webapp.store.play import games
from webapp.store.play.rows import GameRow
from webapp.store.site import maintenance
from webapp.store.site.maintenance import MaintenanceRow, ShiftedClock

BATCH_SIZE: Final = 200
SHORTEST_OUTAGE: Final = timedelta(minutes=5)
"""If no worker has looked for deadlines for longer than this, their players get the time back."""


def begin(tx: Tx, *, now: datetime) -> None:
    """Stop all clocks. Raises FieldErrors for ``maintenance`` while clocks are shifted after the maintenance before."""
    row = maintenance.unfinished(tx.connection, lock=True)
    if row is not None and row.ended_at is not None:
        raise FieldErrors(FieldError("maintenance", "clocks-shifting"))
    if row is None:
        maintenance.begin(tx.connection, now=now)


def end(tx: Tx, *, now: datetime) -> None:
    """Start the clocks again as soon as they have been shifted, which workers do next."""
    row = maintenance.unfinished(tx.connection, lock=True)
    if row is not None and row.ended_at is None:
        maintenance.set_end(tx.connection, row.id, max(now, row.began_at))


def note_outage(tx: Tx, *, now: datetime) -> None:
    """Store that no worker has looked for deadlines for long, if so: they are to be shifted before anyone plays for others.

    Of several workers that begin at once only one finds the outage. What a maintenance covers counts once.
    """
    last_sweep_at = heartbeats.lock_last_sweep(tx.connection)
    if last_sweep_at is None or now - last_sweep_at <= SHORTEST_OUTAGE:
        return
    row = maintenance.unfinished(tx.connection, lock=True)
    if row is not None and row.ended_at is not None:
        # Another worker shifts all clocks at present; this outage is found again afterwards.
        return
    if row is None:
        _record_outage(tx, since=last_sweep_at, now=now)
    elif last_sweep_at < row.began_at:
        maintenance.set_beginning(tx.connection, row.id, last_sweep_at)
    heartbeats.record(tx.connection, [LastSeen(heartbeats.BEAT_PART, "", now)])


def _record_outage(tx: Tx, *, since: datetime, now: datetime) -> None:
    """Store the outage without the time for which all clocks have been shifted already."""
    last_end = maintenance.last_end(tx.connection)
    began_at = since if last_end is None else max(since, last_end)
    if now - began_at > SHORTEST_OUTAGE:
        maintenance.record_outage(tx.connection, began_at=began_at, ended_at=now)


def are_clocks_stopped(tx: Tx) -> bool:
    """Return whether no deadline may run out now: during maintenance, and until all clocks have been shifted."""
    return maintenance.unfinished(tx.connection) is not None


def shift_next_games(tx: Tx, *, now: datetime, limit: int = BATCH_SIZE) -> bool:
    """Shift the clocks of the next running games after the maintenance; return whether there are more games to shift."""
    row = maintenance.unfinished(tx.connection, lock=True)
    if row is None or row.ended_at is None:
        return False
    ids = maintenance.lock_next_games(tx.connection, row, limit=limit)
    if ids:
        _shift(tx, row, ids, now=now)
    if len(ids) == limit:
        return True
    maintenance.finish(tx.connection, row.id, now=now)
    return False


def _shift(tx: Tx, row: MaintenanceRow, ids: list[int], *, now: datetime) -> None:
    games_by_id = games.find_many(tx.connection, ids)
    clocks = {game_id: _shifted_clock(games_by_id[game_id], row) for game_id in ids}
    shifted_clocks = [clock for clock in clocks.values() if clock is not None]
    maintenance.store_shifted(tx.connection, row.id, shifted_clocks, last_id=ids[-1])
    events = [_event(games_by_id[clock.game_id], clock, row, now) for clock in shifted_clocks]
    deadline_events.append(tx.connection, [event for event in events if event.deadline_at])


def _shifted_clock(game: GameRow, row: MaintenanceRow) -> ShiftedClock | None:
    """Return the clock of a game with the playing time that it lost; None if it lost none.

    A game whose turn began during the maintenance lost only what was left of it, and one whose turn began afterwards lost
    nothing. A paused game lost what was before its pause; resuming it adds the rest.
    """
    assert row.ended_at is not None
    stop = row.stop_of(
        game.id, game.turn_started_at or row.began_at, game.paused_at or row.ended_at
    )
    if stop is None:
        return None
    calendar = calendar_of(game, game.awaiting)

    def shifted(at: datetime | None) -> datetime | None:
        if at is None:
            return None
        return moved_time(at, from_at=stop.since, to_at=stop.until, calendar=calendar)

    deadline_at = shifted(game.deadline_at)
    return ShiftedClock(
        game_id=game.id,
        turn_started_at=shifted(game.turn_started_at),
        deadline_at=deadline_at,
        remind_at=shifted(game.remind_at),
        wake_at=wake_with_held(game, shifted(game.wake_at), deadline_at),
    )


def _event(game: GameRow, clock: ShiftedClock, row: MaintenanceRow, now: datetime) -> GameEvent:
    seat = None if game.awaiting is None else game.seats[game.awaiting]
    return GameEvent(
        game_id=game.id,
        turn_seq=game.turn_seq,
        at=now,
        kind="shifted",
        seat=game.awaiting,
        account_id=None if seat is None else seat.account_id,
        by="server",
        deadline_at=clock.deadline_at,
        cause=row.cause,
    )
