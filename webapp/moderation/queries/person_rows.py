"""What site moderators see of a person, as values."""

from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Select, Text, cast, func, literal_column, select

from webapp.kernel.redacted import Redacted

T = TypeVar("T")


class RedactedRow(Redacted, frozen=True, array_like=True):
    """A row that was read as a JSON array: its fields are in the order of the columns."""


class PersonRow(RedactedRow, frozen=True, array_like=True):
    id: int
    ref: str
    name: str
    address: str | None
    created_at: datetime
    banned_until: datetime | None
    is_moderator: bool


class PersonGame(RedactedRow, frozen=True, array_like=True):
    """A game in which the person sits; newest first."""

    slug: str
    host_name: str
    table_name: str
    status: str
    round: int
    seat_name: str | None
    is_awaited: bool
    deadline_at: datetime | None


class TurnCounts(RedactedRow, frozen=True, array_like=True):
    """Own turns since the beginning of the window, and how many of them the clock had to play without any excuse."""

    turns: int
    missed_turn_count: int
    refused_email_count: int
    """Turn emails of the same time that the mail server refused."""


class PersonEmail(RedactedRow, frozen=True, array_like=True):
    kind: str
    slug: str
    host_name: str
    table_name: str
    status: str
    reason: str | None
    first_due_at: datetime


class PersonOptOut(RedactedRow, frozen=True, array_like=True):
    scope: str
    slug: str | None
    host_name: str | None
    table_name: str | None
    at: datetime


class PersonSession(RedactedRow, frozen=True, array_like=True):
    user_agent: str
    created_at: datetime


class PersonSanction(RedactedRow, frozen=True, array_like=True):
    kind: str
    reason: str
    at: datetime
    until: datetime | None
    lifted_at: datetime | None


class PersonEntry(RedactedRow, frozen=True, array_like=True):
    """An entry of the ledger about the person."""

    at: datetime
    act: str
    actor_name: str | None
    acted_as: str
    reason: str


class PersonReport(RedactedRow, frozen=True, array_like=True):
    id: int
    kind: str
    complaint: str
    at: datetime
    decision: str | None


class NetworkNeighbour(RedactedRow, frozen=True, array_like=True):
    """Someone who signed in from the same network address."""

    ref: str
    name: str


class PersonDetail(NamedTuple):
    person: PersonRow
    games: tuple[PersonGame, ...]
    counts: TurnCounts
    emails: tuple[PersonEmail, ...]
    opt_outs: tuple[PersonOptOut, ...]
    sessions: tuple[PersonSession, ...]
    sanctions: tuple[PersonSanction, ...]
    entries: tuple[PersonEntry, ...]
    reports: tuple[PersonReport, ...]
    neighbours: tuple[NetworkNeighbour, ...]


def json_rows(query: Select[Any]) -> ColumnElement[str]:
    """Return all rows of a query as one text: a JSON array of arrays, in the order of the query."""
    rows = query.subquery()
    row_array = func.json_build_array(*rows.c)
    aggregated_rows = select(func.coalesce(func.json_agg(row_array), literal_column("'[]'::json")))
    return cast(aggregated_rows.select_from(rows).scalar_subquery(), Text)


def decode_rows(text: str, kind: type[T]) -> tuple[T, ...]:
    """Return the rows of ``json_rows`` as values of this class."""
    return msgspec.json.decode(text, type=tuple[kind, ...])  # type: ignore[valid-type]
