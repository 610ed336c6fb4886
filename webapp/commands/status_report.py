"""What `lodepost status` has found out, and its form for programs."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from webapp.doctor.result import CheckResult
from webapp.services.operations.health import Backlog
from webapp.services.operations.process_status import SeenProcess
from webapp.services.operations.site_status import SiteStatus


class DiskSpace(msgspec.Struct, frozen=True, kw_only=True):
    """The space on the disk of the database."""

    folder: str
    free_bytes: int
    total_bytes: int


class StatusReport(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a server at one instant."""

    address: str
    at: datetime
    status: SiteStatus | None
    """None if the database has the schema of another release."""
    versions: dict[str, str | None]
    """None for what is not configured or does not answer."""
    disk: DiskSpace | None
    """None if the database is on a machine whose disk can't be seen from here."""
    database_bytes: int
    results: tuple[CheckResult, ...]

    @property
    def needs_action(self) -> tuple[CheckResult, ...]:
        """What is wrong now."""
        return tuple(result for result in self.results if result.status == "error")

    @property
    def notes(self) -> tuple[CheckResult, ...]:
        """What may become wrong, or was."""
        return tuple(result for result in self.results if result.status == "warning")

    def json_object(self) -> dict[str, object]:
        """Return all of it as one object; ages are in seconds, sizes in bytes."""
        return {
            "at": self.at.isoformat(timespec="seconds"),
            "address": self.address,
            "needs_action": _messages(self.needs_action),
            "notes": _messages(self.notes),
            "versions": self.versions,
            "disk": {
                **({} if self.disk is None else msgspec.structs.asdict(self.disk)),
                "database_bytes": self.database_bytes,
            },
            **({} if self.status is None else _figures(self.status, self.at)),
        }


def _figures(status: SiteStatus, now: datetime) -> dict[str, object]:
    maintenance = status.maintenance
    return {
        "games": status.games,
        "waiting_seconds": _waiting_seconds(status.backlog),
        "emails": [
            {
                "cause": emails.cause,
                "count": emails.count,
                "oldest_seconds": _seconds(now - emails.oldest_since),
            }
            for emails in status.emails
        ],
        "workers": _processes(status.processes.running_workers, now),
        "silent_workers": _processes(status.processes.silent_workers, now),
        "beats": _processes(status.processes.running_beats, now),
        "alarms": {alarm.name: _seconds(now - alarm.raised_at) for alarm in status.alarms},
        "maintenance": None
        if maintenance is None
        else {"cause": maintenance.cause, "seconds": _seconds(now - maintenance.began_at)},
    }


def _messages(results: Iterable[CheckResult]) -> list[dict[str, str]]:
    return [{"message": result.message, "remedy": result.remedy} for result in results]


def _waiting_seconds(backlog: Backlog) -> dict[str, int | None]:
    ages = msgspec.structs.asdict(backlog)
    return {name: None if age is None else _seconds(age) for name, age in ages.items()}


def _processes(processes: Iterable[SeenProcess], now: datetime) -> list[dict[str, object]]:
    return [
        {
            "name": process.instance,
            "seen_seconds": _seconds(now - process.at),
            "clock_ahead_seconds": round(process.clock_ahead.total_seconds(), 3),
        }
        for process in processes
    ]


def _seconds(age: timedelta) -> int:
    return int(age.total_seconds())
