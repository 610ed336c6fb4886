"""What an operator wants to know about a database: its version, its clock and its size."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, func, select, text

from webapp.kernel.database import CONNECTION_SETTINGS
from webapp.kernel.tx import Tx


class SessionDifference(NamedTuple):
    """A setting of a session that is not what it asked for."""

    name: str
    value: str
    asked: str


def major_version(connection: Connection) -> int:
    """Return the major version of the Postgres server."""
    return int(connection.scalar(text("SHOW server_version_num")) or 0) // 10_000


def database_clock(tx: Tx) -> datetime:
    """Return the current time of the database machine."""
    at: datetime = tx.execute(select(func.clock_timestamp())).scalar_one()
    return at


def session_differences(tx: Tx) -> list[SessionDifference]:
    """Return the settings of this session that are not those that it asked for when it connected."""
    names = list(CONNECTION_SETTINGS)
    values = tx.execute(select(*(func.current_setting(name) for name in names))).one()
    return [
        SessionDifference(name, value, CONNECTION_SETTINGS[name])
        for name, value in zip(names, values, strict=True)
        if value != CONNECTION_SETTINGS[name]
    ]


def local_data_folder(tx: Tx) -> Path | None:
    """Return the data folder of a server on this machine, if the role may know it. An embedded one may name a descriptor instead."""
    is_local, folder = tx.execute(
        text(
            "SELECT coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true),"
            " (SELECT setting FROM pg_settings WHERE name = 'data_directory')"
        )
    ).one()
    return Path(folder) if is_local and folder and not folder.startswith("/proc/") else None


def size_bytes(tx: Tx) -> int:
    """Return how much of its disk the database takes."""
    return int(tx.connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
