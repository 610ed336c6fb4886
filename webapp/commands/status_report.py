"""What `lodepost status` has found out: one object for programs, and a screen of 80 columns for people."""

import textwrap
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.doctor.result import CheckResult
from webapp.operations.health import Backlog, SiteStatus
from webapp.operations.processes import SeenProcess

_WIDTH: Final = 79
_LABEL_WIDTH: Final = 13
_CAUSE_TEXTS: Final = {
    "new": "not tried yet",
    "quiet-hours": "for quiet hours, or for readers who are on the site",
    "recipient": "refused by their mailboxes for now",
    "refused": "refused by the mail server",
    "unreachable": "the mail server can't be reached",
    "composing": "can't be written",
}
_VERSION_NAMES: Final = {
    "lodepost": "Lodepost",
    "schema": "schema",
    "postgres": "Postgres",
    "redis": "Redis",
    "python": "Python",
}
_SECONDS_BY_UNIT: Final = {"days": 86400, "h": 3600, "min": 60}
_GIGABYTE: Final = 1_000_000_000
_EXACT_CLOCK: Final = timedelta(seconds=1)


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
    """The state of the site; None if the database has the schema of another release."""
    versions: dict[str, str | None]
    """The versions by name; None for what is not configured or does not answer."""
    disk: DiskSpace | None
    """The disk of the database; None if it is on a machine whose disk can't be seen from here."""
    database_bytes: int
    results: tuple[CheckResult, ...]

    @property
    def needs_action(self) -> tuple[CheckResult, ...]:
        """The errors."""
        return tuple(result for result in self.results if result.status == "error")

    @property
    def notes(self) -> tuple[CheckResult, ...]:
        """The warnings."""
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


def screen_text(report: StatusReport) -> str:
    """Return the whole screen."""
    return "\n".join(_lines(report))


def _figures(status: SiteStatus, now: datetime) -> dict[str, object]:
    maintenance = status.maintenance
    return {
        "games": status.games,
        "waiting_seconds": _waiting_seconds(status.backlog),
        "emails": [
            {
                "cause": emails.cause,
                "count": emails.number,
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


def _lines(report: StatusReport) -> Iterator[str]:
    time = f"{report.at:%Y-%m-%d %H:%M} UTC"
    yield f"{f'Lodepost at {report.address}':{_WIDTH - len(time) - 1}} {time}"
    yield ""
    if report.status is not None:
        yield from _site_lines(report.status, report.at)
    yield from _row("Disk", _disk_texts(report))
    yield from _row("Versions", [_versions_text(report.versions)])
    yield ""
    yield from _result_lines("Needs action", report.needs_action)
    yield from _result_lines("Worth a look", report.notes)
    if not report.needs_action:
        yield "Nothing needs action."


def _site_lines(status: SiteStatus, now: datetime) -> Iterator[str]:
    games = [f"{count} {name}" for name, count in status.games.items() if count]
    yield from _row("Games", [", ".join(games) or "none"])
    yield from _row("Overdue", [_overdue_text(status)])
    yield from _row("Emails", _email_texts(status, now))
    processes = status.processes
    yield from _row("Workers", _process_texts(processes.running_workers, now))
    if processes.silent_workers:
        yield from _row("  silent", _silent_texts(processes.silent_workers, now))
    yield from _row("Beat", _process_texts(processes.running_beats, now))
    yield from _row("Maintenance", [_maintenance_text(status, now)])
    alarms = [f"{alarm.name}, {_age_text(now - alarm.raised_at)} ago" for alarm in status.alarms]
    yield from _row("Alarms", alarms or ["none in the last hour"])


def _row(label: str, texts: Iterable[str]) -> Iterator[str]:
    prefix = f"{label:{_LABEL_WIDTH}}"
    for text in texts:
        yield from textwrap.wrap(
            text, _WIDTH, initial_indent=prefix, subsequent_indent=" " * _LABEL_WIDTH
        )
        prefix = " " * _LABEL_WIDTH


def _overdue_text(status: SiteStatus) -> str:
    waiting = {
        "a deadline": status.backlog.most_overdue_deadline,
        "a bot": status.backlog.most_overdue_bot,
    }
    texts = [f"{what} for {_age_text(age)}" for what, age in waiting.items() if age is not None]
    return ", ".join(texts) or "no deadline, no bot"


def _email_texts(status: SiteStatus, now: datetime) -> list[str]:
    if not status.emails:
        return ["none waiting"]
    rows = [f"{sum(waiting.number for waiting in status.emails):>5} waiting"]
    for waiting in status.emails:
        text = f"{waiting.number:>5} {_CAUSE_TEXTS[waiting.cause]}"
        if waiting.oldest_since <= now:
            text += f", the oldest for {_age_text(now - waiting.oldest_since)}"
        rows.append(text)
    return rows


def _process_texts(processes: tuple[SeenProcess, ...], now: datetime) -> list[str]:
    """Return how many there are, then a line for each."""
    if not processes:
        return ["none running"]
    width = max(len(process.instance) for process in processes)
    return [
        f"{len(processes)} running",
        *(
            f"  {process.instance:{width}}  seen {_age_text(now - process.at):>6} ago, {_clock_text(process)}"
            for process in processes
        ),
    ]


def _silent_texts(workers: tuple[SeenProcess, ...], now: datetime) -> list[str]:
    """Return one line for all, the last seen first."""
    newest = workers[0]
    others = f" and {len(workers) - 1} more" if len(workers) > 1 else ""
    return [f"  {newest.instance}, seen {_age_text(now - newest.at)} ago{others}"]


def _clock_text(process: SeenProcess) -> str:
    difference = process.clock_ahead
    if abs(difference) < _EXACT_CLOCK:
        return "clock right"
    direction = "ahead" if difference > timedelta(0) else "behind"
    return f"clock {_age_text(abs(difference))} {direction}"


def _maintenance_text(status: SiteStatus, now: datetime) -> str:
    maintenance = status.maintenance
    if maintenance is None:
        return "off"
    if maintenance.ended_at is not None:
        return f"over ({maintenance.cause}); deadlines are being moved"
    return f"on for {_age_text(now - maintenance.began_at)}: no deadline runs out"


def _disk_texts(report: StatusReport) -> list[str]:
    disk = report.disk
    return [
        "the one of the database can't be seen from here"
        if disk is None
        else f"{_size_text(disk.free_bytes)} of {_size_text(disk.total_bytes)} free for {disk.folder}",
        f"the database takes {_size_text(report.database_bytes)}",
    ]


def _versions_text(versions: dict[str, str | None]) -> str:
    known = {_VERSION_NAMES[name]: version for name, version in versions.items()}
    return ", ".join(f"{name} {version}" for name, version in known.items() if version)


def _result_lines(title: str, results: tuple[CheckResult, ...]) -> Iterator[str]:
    if not results:
        return
    yield title
    for result in results:
        text = f"{result.message} {result.remedy}"
        yield from textwrap.wrap(text, _WIDTH, initial_indent="- ", subsequent_indent="  ")
    yield ""


def _age_text(age: timedelta) -> str:
    """Return a duration in its largest unit, rounded down."""
    seconds = max(0, int(age.total_seconds()))
    for unit, length in _SECONDS_BY_UNIT.items():
        if seconds >= 2 * length or (unit != "days" and seconds >= length):
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _size_text(count_of_bytes: int) -> str:
    if count_of_bytes >= _GIGABYTE:
        return f"{count_of_bytes / _GIGABYTE:,.1f} GB"
    return f"{count_of_bytes / 1_000_000:,.0f} MB"
