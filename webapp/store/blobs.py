"""Many byte strings in one parameter."""

from typing import Any

from psycopg import Connection
from psycopg.types.array import ListBinaryDumper


class Blobs(list[bytes]):
    """Byte strings that go to Postgres as they are: as text each byte would be two characters, and all of it escaped."""


def take_blobs(connection: Connection[Any], _record: object) -> None:
    """Teach a new connection how to send them."""
    connection.adapters.register_dumper(Blobs, ListBinaryDumper)
