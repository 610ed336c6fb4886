"""Snapshots replaced where they are wrong."""

from sqlalchemy import Connection, update

from webapp.store.schema.play import Game


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
