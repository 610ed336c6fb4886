"""What a database says of itself."""

from datetime import datetime

from sqlalchemy import Connection, func, select, text


def major_version(connection: Connection) -> int:
    return int(connection.scalar(text("SHOW server_version_num")) or 0) // 10_000


def clock(connection: Connection) -> datetime:
    """This instant, as the machine of the database sees it."""
    at: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return at
