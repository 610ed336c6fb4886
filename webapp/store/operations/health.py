"""What an operator wants to know about a database: its version, its clock and how many rows of each kind it holds."""

from datetime import datetime

from sqlalchemy import Connection, func, select, text

from webapp.store.schema.notifications import Notification
from webapp.store.schema.play import Game


def major_version(connection: Connection) -> int:
    """Return the major version of the Postgres server."""
    return int(connection.scalar(text("SHOW server_version_num")) or 0) // 10_000


def database_clock(connection: Connection) -> datetime:
    """Return the current time of the database machine."""
    at: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return at


def count_turns(connection: Connection) -> int:
    """Return the number of turns of all games, added up from the games, which are far fewer."""
    return int(connection.execute(select(func.coalesce(func.sum(Game.seq + 1), 0))).scalar_one())


def emails_by_status(connection: Connection) -> dict[str, int]:
    """Return the number of emails for every status that occurs."""
    rows = connection.execute(
        select(Notification.status, func.count()).group_by(Notification.status)
    )
    return {row[0]: row[1] for row in rows}


def games_by_status(connection: Connection) -> dict[str, int]:
    """Return the number of games for every status that occurs."""
    rows = connection.execute(select(Game.status, func.count()).group_by(Game.status))
    return {row[0]: row[1] for row in rows}
