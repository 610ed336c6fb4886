"""What is there at the end: the rows of the database, the letters in the relay, the notes of the players."""

from collections import Counter
from datetime import datetime
from typing import NamedTuple, TypeVar

import psycopg
from psycopg.rows import class_row

from webapp.services.operations.consistency import Inconsistency, inspect

_Row = TypeVar("_Row")


class Turn(NamedTuple):
    slug: str
    seq: int
    seat: int | None
    by: str
    action: bytes | None
    address: str | None
    """Of the person in that seat."""


class Notification(NamedTuple):
    id: int
    kind: str
    slug: str | None
    seq: int | None
    address: str | None
    status: str
    reason: str | None
    message_id: str | None
    overdue: bool
    """Owed, due, and nobody is at it."""


class Game(NamedTuple):
    slug: str
    status: str
    seq: int
    overdue: bool
    """A bot should have played, or the clock."""
    people: list[str]


class Expiry(NamedTuple):
    """The harness let the time of this turn run out, when the game stood at ``seq``."""

    slug: str
    seq: int


class Stored(NamedTuple):
    """What the database holds."""

    turns: list[Turn]
    letters: list[Notification]
    games: list[Game]
    inconsistencies: tuple[Inconsistency, ...]


def stored_in(url: str, *, now: datetime) -> Stored:
    """Read everything; ``now`` tells what is overdue."""
    plain = url.replace("+psycopg", "", 1)
    with psycopg.connect(plain) as connection:
        return Stored(
            turns=_rows(connection, Turn, _TURNS),
            letters=_rows(connection, Notification, _LETTERS, now=now),
            games=_rows(connection, Game, _GAMES, now=now),
            inconsistencies=inspect(url).inconsistencies,
        )


def _rows(
    connection: psycopg.Connection, kind: type[_Row], query: str, **values: object
) -> list[_Row]:
    with connection.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query.encode(), values).fetchall()


_TURNS = """
SELECT slug, turn.seq, turn.seat, turn.by, turn.action, account.address
FROM turn JOIN game ON game.id = turn.game_id
LEFT JOIN seat ON seat.game_id = game.id AND seat.number = turn.seat
LEFT JOIN account ON account.id = seat.account_id
ORDER BY slug, turn.seq
"""
_LETTERS = """
SELECT notification.id, notification.kind, game.slug, notification.seq, account.address, notification.status,
       notification.reason, notification.message_id,
       notification.status = 'owed' AND due_at <= %(now)s
       AND coalesce(lease_until <= %(now)s, true) AS overdue
FROM notification LEFT JOIN game ON game.id = notification.game_id
LEFT JOIN account ON account.id = notification.account_id
ORDER BY notification.id
"""
_GAMES = """
SELECT slug, status, seq, coalesce(status = 'running' AND wake_at <= %(now)s, false) AS overdue,
       array(SELECT address FROM seat JOIN account ON account.id = seat.account_id
             WHERE seat.game_id = game.id ORDER BY number) AS people
FROM game ORDER BY slug
"""


class Evidence(NamedTuple):
    """Everything by which a run is judged."""

    stored: Stored
    accepted: Counter[str]
    """How often the relay accepted each Message-ID."""
    expired: list[Expiry]
    late: list[str]
    """Letters that did not follow in time when Redis was back, and the like, in words."""
    ended: list[str]
    """Processes that ended although nobody killed them, in words."""
