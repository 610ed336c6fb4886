"""Every game with its log, one after another, for whoever compares the two."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, TypeAlias

import msgspec
import sqlalchemy
from psycopg import Connection
from psycopg.rows import class_row, tuple_row

_AT_ONCE: Final = 50
_COLUMNS: Final = """
SELECT id, slug, rulebook, house, seats, status, seq, state, state_format, awaiting, round,
       ended_at, commitments, gold, round_1, round_2, round_3
FROM game LEFT JOIN secret ON secret.game_id = game.id
"""
_GAMES: Final = f"{_COLUMNS} ORDER BY id"
_NEXT: Final = f"{_COLUMNS} WHERE id > %s ORDER BY id LIMIT %s"
_LOGS: Final = (
    "SELECT game_id, seq, events FROM turn WHERE game_id = ANY (%s) ORDER BY game_id, seq"
)
Log: TypeAlias = list[tuple[int, bytes]]
"""The number and the events of every turn of a game, in order."""


class LoggedGame(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored of a game beside its log. Holds every secret; blank in tracebacks."""

    id: int
    slug: str
    rulebook: str
    house: dict[str, Any]
    seats: int
    status: str
    seq: int
    state: bytes | None
    state_format: int | None
    awaiting: int | None
    round: int
    ended_at: datetime | None
    commitments: str | None
    gold: bytes | None
    round_1: bytes | None
    round_2: bytes | None
    round_3: bytes | None

    def __repr__(self) -> str:
        return f"<LoggedGame {self.slug}>"


def games_of(connection: Connection) -> Iterator[LoggedGame]:
    """Every game, in the order of their ids; the connection stands in a transaction."""
    with connection.cursor("games", row_factory=class_row(LoggedGame)) as cursor:
        cursor.itersize = _AT_ONCE
        yield from cursor.execute(_GAMES)


def next_games(
    connection: sqlalchemy.Connection, after: int, *, limit: int
) -> list[tuple[LoggedGame, Log]]:
    """The next games by id, each with its log up to the turn at which its row stands, whoever plays meanwhile."""
    plain = connection.connection.driver_connection
    assert isinstance(plain, Connection)
    with plain.cursor(binary=True, row_factory=class_row(LoggedGame)) as cursor:
        games = cursor.execute(_NEXT, (after, limit)).fetchall()
    logs: dict[int, Log] = {game.id: [] for game in games}
    with plain.cursor(binary=True, row_factory=tuple_row) as cursor:
        for game_id, seq, events in cursor.execute(_LOGS, (list(logs),)):
            logs[game_id].append((seq, events))
    return [(game, [turn for turn in logs[game.id] if turn[0] <= game.seq]) for game in games]


def log_of(connection: Connection, game_id: int) -> Log:
    """The turns of a game: the number and the events of each, in order."""
    cursor = connection.cursor(binary=True, row_factory=tuple_row)
    query = "SELECT seq, events FROM turn WHERE game_id = %s ORDER BY seq"
    return cursor.execute(query, (game_id,)).fetchall()


def count_strays(connection: Connection) -> int:
    """How many turns belong to no game: nothing but the order of writing holds the two together."""
    row = connection.execute(
        "SELECT count(*) FROM turn WHERE NOT EXISTS (SELECT FROM game WHERE game.id = game_id)"
    ).fetchone()
    return 0 if row is None else int(row[0])
