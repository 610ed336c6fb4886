"""What `lodepost status` shows of a database: games, waiting emails, processes, alarms, maintenance and size."""

from datetime import datetime

import msgspec

from webapp.services.operations.alarms import recent_alarms
from webapp.services.operations.health import Backlog, backlog
from webapp.services.operations.maintenance import current_maintenance
from webapp.services.operations.process_status import ProcessStatus, process_status
from webapp.services.tx import Tx
from webapp.store.notifications import pending_emails
from webapp.store.operations import health, site_figures


class WaitingEmails(msgspec.Struct, frozen=True, kw_only=True):
    """Emails that wait for one cause."""

    cause: str
    """Why a failed attempt is repeated, ``quiet-hours``, or ``new`` if none has failed."""
    count: int
    oldest_since: datetime
    """Since when the oldest could have been sent; for quiet hours until when it waits."""


class RaisedAlarm(msgspec.Struct, frozen=True, kw_only=True):
    """An alarm of the last hour."""

    name: str
    raised_at: datetime


class Maintenance(msgspec.Struct, frozen=True, kw_only=True):
    """A time in which no deadline runs out: maintenance or an outage, or until all clocks are shifted after it."""

    cause: str
    began_at: datetime
    ended_at: datetime | None


class SiteStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a database."""

    games: dict[str, int]
    backlog: Backlog
    emails: tuple[WaitingEmails, ...]
    processes: ProcessStatus
    alarms: tuple[RaisedAlarm, ...]
    maintenance: Maintenance | None


def site_status(tx: Tx) -> SiteStatus:
    """Return the present figures. Reads the whole table of games, so it is for a command and not for a monitor."""
    games = site_figures.games_and_turns(tx.connection)
    waiting = pending_emails.pending_by_cause(tx.connection, now=tx.now)
    return SiteStatus(
        games={status: count for status, (count, _) in games.items()},
        backlog=backlog(tx),
        emails=tuple(
            WaitingEmails(cause=cause, count=count, oldest_since=since)
            for cause, count, since in waiting
        ),
        processes=process_status(tx),
        alarms=tuple(
            RaisedAlarm(name=raised.name, raised_at=raised.raised_at)
            for raised in recent_alarms(tx)
        ),
        maintenance=_maintenance(tx),
    )


def database_size(tx: Tx) -> int:
    """Return the bytes that the database takes on its disk."""
    return health.size_bytes(tx.connection)


def _maintenance(tx: Tx) -> Maintenance | None:
    row = current_maintenance(tx)
    if row is None:
        return None
    return Maintenance(cause=row.cause, began_at=row.began_at, ended_at=row.ended_at)
