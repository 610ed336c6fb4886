"""Snapshots gone through one by one, and replaced where they are wrong."""

from sqlalchemy import Connection, select, update

from webapp.store.models import Game


def dealt_after(connection: Connection, after: int, *, limit: int) -> list[int]:
    """The next games with a log, by id."""
    ids = (
        select(Game.id)
        .where(Game.id > after, Game.state.is_not(None))
        .order_by(Game.id)
        .limit(limit)
    )
    return list(connection.execute(ids).scalars())


def replace_snapshot(
    connection: Connection, game_id: int, *, seq: int, state: bytes, state_format: int
) -> bool:
    """Put another snapshot in place, if the game still stands at ``seq``; whether it did."""
    changed = connection.execute(
        update(Game)
        .where(Game.id == game_id, Game.seq == seq)
        .values(state=state, state_format=state_format)
    )
    return changed.rowcount == 1
