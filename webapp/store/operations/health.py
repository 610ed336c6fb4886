"""What an operator wants to know about a database: its version, its clock and its size."""

from datetime import datetime

from sqlalchemy import Connection, func, select, text


def major_version(connection: Connection) -> int:
    """Return the major version of the Postgres server."""
    return int(connection.scalar(text("SHOW server_version_num")) or 0) // 10_000


def database_clock(connection: Connection) -> datetime:
    """Return the current time of the database machine."""
    at: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return at


def size_bytes(connection: Connection) -> int:
    """Return how much of its disk the database takes."""
    return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
