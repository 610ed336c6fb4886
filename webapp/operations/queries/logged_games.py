"""Read games together with their logs, for the consistency checks."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import msgspec
from psycopg import Connection
from psycopg.rows import class_row, tuple_row

from engine.record import TurnSource
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx

_FETCH_SIZE: Final = 50
_SELECT_GAMES: Final = """
SELECT id, slug, rulebook, house, seat_count, status, seq, state, state_format, awaiting, round, freeze_record, head,
       commitments, gold, round_1, round_2, round_3,
       coalesce(
           (SELECT json_agg(json_build_array(seat, game_result.gold, is_winner, digger_rounds, saboteur_rounds) ORDER BY seat)
            FROM game_result WHERE game_id = game.id),
           '[]'
       ) AS results
FROM game LEFT JOIN secret ON secret.game_id = game.id
"""
_SELECT_ALL_GAMES: Final = f"{_SELECT_GAMES} ORDER BY id"
_SELECT_NEXT_GAMES: Final = f"{_SELECT_GAMES} WHERE id > %s ORDER BY id LIMIT %s"
_SELECT_LOGS: Final = """
SELECT game_id, seq, seat, by, action, events, head FROM turn WHERE game_id = ANY (%s) ORDER BY game_id, seq
"""


class LoggedTurn(Redacted, frozen=True):
    """A turn of the log as it is stored."""

    seq: int
    seat: int | None
    by: TurnSource
    action: bytes | None
    events: bytes
    head: bytes


Log: TypeAlias = list[LoggedTurn]
"""Every turn of a game, in order."""


class LoggedGame(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored of a game besides its log. Contains every secret, so its repr shows only the slug."""

    id: int
    slug: str
    rulebook: str
    house: dict[str, Any]
    seat_count: int
    status: str
    seq: int
    state: bytes | None
    state_format: int | None
    awaiting: int | None
    round: int
    freeze_record: bytes | None
    head: bytes | None
    commitments: str | None
    gold: bytes | None
    round_1: bytes | None
    round_2: bytes | None
    round_3: bytes | None
    results: list[list[Any]]
    """The stored result of each seat, as ``webapp.play.queries.results.ResultRow`` has it."""

    def __repr__(self) -> str:
        return f"<LoggedGame {self.slug}>"


def all_games(connection: Connection) -> Iterator[LoggedGame]:
    """Yield every game by id; the connection must be in a transaction."""
    with connection.cursor("games", row_factory=class_row(LoggedGame)) as cursor:
        cursor.itersize = _FETCH_SIZE
        yield from cursor.execute(_SELECT_ALL_GAMES)


def next_games(tx: Tx, after: int, *, limit: int) -> list[tuple[LoggedGame, Log]]:
    """Return the next games by id, each with its log up to the ``seq`` of its row.

    Turns that are committed between the two statements are left out.
    """
    driver_connection = tx.connection.connection.driver_connection
    assert isinstance(driver_connection, Connection)
    with driver_connection.cursor(binary=True, row_factory=class_row(LoggedGame)) as cursor:
        games = cursor.execute(_SELECT_NEXT_GAMES, (after, limit)).fetchall()
    logs: dict[int, Log] = {game.id: [] for game in games}
    with driver_connection.cursor(binary=True, row_factory=tuple_row) as cursor:
        for game_id, *columns in cursor.execute(_SELECT_LOGS, (list(logs),)):
            logs[game_id].append(LoggedTurn(*columns))
    return [(game, [turn for turn in logs[game.id] if turn.seq <= game.seq]) for game in games]


def log_of(connection: Connection, game_id: int) -> Log:
    """Return every turn of a game, in order."""
    cursor = connection.cursor(binary=True, row_factory=tuple_row)
    return [LoggedTurn(*columns) for _, *columns in cursor.execute(_SELECT_LOGS, ([game_id],))]


def count_stray_turns(connection: Connection) -> int:
    """Return how many turns belong to no game; no foreign key prevents such turns."""
    row = connection.execute(
        "SELECT count(*) FROM turn WHERE NOT EXISTS (SELECT FROM game WHERE game.id = game_id)"
    ).fetchone()
    return 0 if row is None else int(row[0])
