"""Snapshots, replaced where they are wrong.

Its own module because this is the only write to a dealt game that is not a turn.
"""

from sqlalchemy import Connection, update

from webapp.store.schema.play import Game


def replace_snapshot(
    connection: Connection, game_id: int, *, seq: int, state: bytes, state_format: int
) -> bool:
    """Replace the snapshot if the game still stands at ``seq``; return whether it did."""
    changed = connection.execute(
        update(Game)
        .where(Game.id == game_id, Game.seq == seq)
        .values(state=state, state_format=state_format)
    )
    return changed.rowcount == 1
