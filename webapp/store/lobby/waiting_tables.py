"""Tables before the deal that wait: open ones for players, full ones for answers to their ready-check."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, Select, or_, select, update

from webapp.game_status import GameStatus
from webapp.store.schema.play import Game, has_status


class UnansweredTable(NamedTuple):
    """A table whose ready-check has waited for long; ``is_reminded``: those who have not answered were asked again."""

    game_id: int
    is_reminded: bool


def restart_waiting(connection: Connection, game_id: int, *, now: datetime) -> None:
    """Count the time that a table waits for players from now on, because its seats have changed."""
    _change_game(connection, game_id, waiting_since=now, is_waiting_warned=False)


def mark_waiting_warned(connection: Connection, game_id: int, *, waiting_since: datetime) -> None:
    """Record that the players know that the table closes soon, and since when it counts as waiting."""
    _change_game(connection, game_id, waiting_since=waiting_since, is_waiting_warned=True)


def lock_next_unfilled(
    connection: Connection,
    *,
    warned_before: datetime,
    closed_before: datetime,
    skipped_ids: Collection[int],
) -> tuple[int, bool] | None:
    """Lock an open table that has waited for too long; return its id and whether its players were warned.

    Tables that are locked already are skipped too.
    """
    query = unfilled_query(
        warned_before=warned_before, closed_before=closed_before, skipped_ids=skipped_ids
    )
    row = connection.execute(query.with_for_update(skip_locked=True)).first()
    return None if row is None else (row.id, row.is_waiting_warned)


def unfilled_query(
    *, warned_before: datetime, closed_before: datetime, skipped_ids: Collection[int]
) -> Select[int, bool]:
    """Return the query for the open table that has waited for longest, of those to be warned or closed."""
    is_due = or_(~Game.is_waiting_warned, Game.waiting_since <= closed_before)
    return (
        select(Game.id, Game.is_waiting_warned)
        .where(has_status(GameStatus.OPEN), Game.waiting_since <= warned_before, is_due)
        .where(Game.id.not_in(skipped_ids))
        .order_by(Game.waiting_since)
        .limit(1)
    )


def lock_next_unanswered(
    connection: Connection, *, asked_before: datetime, ended_before: datetime, after_id: int
) -> UnansweredTable | None:
    """Lock the next table after ``after_id`` whose ready-check has waited for too long. Tables that are locked already are skipped."""
    query = unanswered_query(
        asked_before=asked_before, ended_before=ended_before, after_id=after_id
    )
    row = connection.execute(query.with_for_update(skip_locked=True)).first()
    return None if row is None else UnansweredTable(*row)


def unanswered_query(
    *, asked_before: datetime, ended_before: datetime, after_id: int
) -> Select[int, bool]:
    """Return the query for the next table whose players are to be asked again, or whose ready-check ends."""
    is_due = or_(~Game.is_waiting_warned, Game.waiting_since <= ended_before)
    return (
        select(Game.id, Game.is_waiting_warned)
        .where(has_status(GameStatus.READY_CHECK), Game.waiting_since <= asked_before, is_due)
        .where(Game.id > after_id)
        .order_by(Game.id)
        .limit(1)
    )


def _change_game(connection: Connection, game_id: int, **values: object) -> None:
    connection.execute(update(Game).where(Game.id == game_id).values(values))
