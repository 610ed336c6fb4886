"""Figures for operators: how long emails, deadlines and bots have been waiting, and facts about the database."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import msgspec

from webapp.services.play.deadlines import RETRY_AFTER
from webapp.services.tx import Tx
from webapp.store.notifications import pending_emails
from webapp.store.operations import health as figures
from webapp.store.operations import migrate
from webapp.store.play import deadlines

SessionDifference: TypeAlias = figures.SessionDifference
"""A setting of a session that is not what it asked for."""


class Backlog(msgspec.Struct, frozen=True, kw_only=True):
    """How long the oldest item of each kind has been waiting; None if none waits."""

    oldest_unsent_email: timedelta | None
    most_overdue_deadline: timedelta | None
    most_overdue_bot: timedelta | None


class DatabaseInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the database server and its schema."""

    postgres: int
    """The major version of the server."""
    schema: str | None
    is_current: bool
    """Whether the schema is the one of this release."""
    clock: datetime


def backlog(tx: Tx) -> Backlog:
    """Return how long emails, deadlines and bots have been waiting. A deadline in the future is not overdue."""
    # A game whose turn failed is tried again after at most this long; it is overdue meanwhile.
    person_deadline, bot_turn_start = deadlines.oldest_overdue_times(
        tx.connection, games_due_by=tx.now + RETRY_AFTER
    )
    return Backlog(
        oldest_unsent_email=_age_of(pending_emails.oldest_pending_since(tx.connection), tx.now),
        most_overdue_deadline=_age_of(person_deadline, tx.now),
        most_overdue_bot=_age_of(bot_turn_start, tx.now),
    )


def database_info(tx: Tx) -> DatabaseInfo:
    """Return the version, the schema and the clock of the database."""
    schema = migrate.revision_at(tx.connection)
    return DatabaseInfo(
        postgres=figures.major_version(tx.connection),
        schema=schema,
        is_current=schema == migrate.newest_revision(),
        clock=figures.database_clock(tx.connection),
    )


def session_differences(tx: Tx) -> list[SessionDifference]:
    """Return the settings of this session that are not those that it asked for."""
    return figures.session_differences(tx.connection)


def local_data_folder(tx: Tx) -> Path | None:
    """Return the data folder of the database, if it can be seen from this process."""
    folder = figures.local_data_folder(tx.connection)
    try:
        return folder if folder is not None and folder.exists() else None
    except PermissionError:
        return None


def newest_schema() -> str:
    """Return the schema of this release."""
    return migrate.newest_revision()


def is_schema_behind(tx: Tx) -> bool:
    """Return whether the schema is older than this release. A newer schema still works with this release."""
    return migrate.is_behind_at(tx.connection)


def _age_of(instant: datetime | None, now: datetime) -> timedelta | None:
    return None if instant is None or instant > now else now - instant
