"""How much there is of everything, for those who watch the server."""

from sqlalchemy import Connection, func, select

from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game


def count_turns(connection: Connection) -> int:
    """The turns of all logs. Games are far fewer than turns, and each knows how many it has."""
    return int(connection.execute(select(func.coalesce(func.sum(Game.seq + 1), 0))).scalar_one())


def letters_by_status(connection: Connection) -> dict[str, int]:
    rows = connection.execute(
        select(Notification.status, func.count()).group_by(Notification.status)
    )
    return {row[0]: row[1] for row in rows}


def games_by_status(connection: Connection) -> dict[str, int]:
    rows = connection.execute(select(Game.status, func.count()).group_by(Game.status))
    return {row[0]: row[1] for row in rows}
