"""The data at the end of a run: rows of the database, emails that the relay accepted, and observed failures."""

from collections import Counter
from datetime import datetime
from typing import NamedTuple, TypeVar

import psycopg
from psycopg.rows import class_row

from webapp.operations.consistency import Inconsistency, inspect_database

_Row = TypeVar("_Row")


class LoggedTurn(NamedTuple):
    slug: str
    seq: int
    seat: int | None
    by: str
    action: bytes | None
    address: str | None
    """The address of the person in that seat."""


class StoredEmail(NamedTuple):
    id: int
    kind: str
    slug: str | None
    seq: int | None
    address: str | None
    status: str
    reason: str | None
    message_id: str | None
    overdue: bool
    """Pending and due, and no worker has claimed it."""


class StoredGame(NamedTuple):
    slug: str
    status: str
    seq: int
    overdue: bool
    """A bot or the clock should have played."""
    player_addresses: list[str]


class ReceivedAnswer(NamedTuple):
    """An email that was stored before it was accepted."""

    digest: bytes
    outcome: str | None
    """None until it is settled."""
    answers: int
    """How many emails answer it."""


class ExpiredTurn(NamedTuple):
    """A turn whose time the harness let run out, when the game was at ``seq``."""

    slug: str
    seq: int


class Acceptance(NamedTuple):
    """An email that the relay accepted, and when by the monotonic clock."""

    message_id: str
    at: float


class FaultSpan(NamedTuple):
    """When a fault was injected, by the monotonic clock."""

    name: str
    began_at: float
    ended_at: float


class StoredData(NamedTuple):
    """The rows of the database."""

    turns: list[LoggedTurn]
    emails: list[StoredEmail]
    games: list[StoredGame]
    answers: list[ReceivedAnswer]
    inconsistencies: tuple[Inconsistency, ...]


def read_stored_data(url: str, *, now: datetime) -> StoredData:
    """Return all rows; ``now`` decides what is overdue."""
    driver_url = url.replace("+psycopg", "", 1)
    with psycopg.connect(driver_url) as connection:
        return StoredData(
            turns=_select_rows(connection, LoggedTurn, _SELECT_TURNS),
            emails=_select_rows(connection, StoredEmail, _SELECT_EMAILS, now=now),
            games=_select_rows(connection, StoredGame, _SELECT_GAMES, now=now),
            answers=_select_rows(connection, ReceivedAnswer, _SELECT_ANSWERS),
            inconsistencies=inspect_database(url).inconsistencies,
        )


def _select_rows(
    connection: psycopg.Connection, kind: type[_Row], query: str, **values: object
) -> list[_Row]:
    with connection.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query.encode(), values).fetchall()


_SELECT_TURNS = """
SELECT slug, turn.seq, turn.seat, turn.by, turn.action, account.address
FROM turn JOIN game ON game.id = turn.game_id
LEFT JOIN seat ON seat.game_id = game.id AND seat.number = turn.seat
LEFT JOIN account ON account.id = seat.account_id
ORDER BY slug, turn.seq
"""
_SELECT_EMAILS = """
SELECT notification.id, notification.kind, game.slug, notification.seq, account.address, notification.status,
       notification.reason, notification.message_id,
       notification.status = 'pending' AND due_at <= %(now)s
       AND coalesce(lease_until <= %(now)s, true) AS overdue
FROM notification LEFT JOIN game ON game.id = notification.game_id
LEFT JOIN account ON account.id = notification.account_id
ORDER BY notification.id
"""
_SELECT_ANSWERS = """
SELECT digest, outcome, (SELECT count(*) FROM notification
                         WHERE kind = 'reply-answered' AND dedup_key = inbound_email.id) AS answers
FROM inbound_email ORDER BY id
"""
_SELECT_GAMES = """
SELECT slug, status, seq, coalesce(status = 'running' AND wake_at <= %(now)s, false) AS overdue,
       array(SELECT address FROM seat JOIN account ON account.id = seat.account_id
             WHERE seat.game_id = game.id ORDER BY number) AS player_addresses
FROM game ORDER BY slug
"""


class Evidence(NamedTuple):
    """Everything that the invariants of a run are checked against."""

    stored_data: StoredData
    expired_turns: list[ExpiredTurn]
    delay_descriptions: list[str]
    """Descriptions of what did not continue in time after a fault."""
    unexpected_exits: list[str]
    """Descriptions of processes that ended without being killed."""
    acceptances: list[Acceptance]
    """All emails that the relay accepted, in order."""
    fault_spans: list[FaultSpan]
    idle_faults: list[str]
    """Descriptions of faults that did not do what they are for."""
    lost_times: list[str]
    """Descriptions of turns that did not get back the time in which their players could not act or be called."""
    wrong_health_checks: list[str]
    """Descriptions of answers to monitors that were wrong."""

    @property
    def accepted_counts(self) -> Counter[str]:
        """The number of times the relay accepted each Message-ID."""
        return Counter(acceptance.message_id for acceptance in self.acceptances)
