"""Snapshots, replaced where they are wrong."""

from sqlalchemy import Connection, select, update

from webapp.store.schema.play import Game


def replace_snapshot(
    connection: Connection, game_id: int, *, seq: int, state: bytes, state_format: int, head: bytes
) -> bool:
    """Replace position and head if the game still stands at ``seq``; return whether it did."""
    updated_row = connection.execute(
        update(Game)
        .where(Game.id == game_id, Game.seq == seq)
        .values(state=state, state_format=state_format, head=head)
    )
    return updated_row.rowcount == 1


def lock_at(connection: Connection, game_id: int, *, seq: int) -> bool:
    """Lock the game if it still stands at ``seq``; return whether it did."""
    query = select(Game.id).where(Game.id == game_id, Game.seq == seq).with_for_update()
    return connection.execute(query).first() is not None
