"""`lodepost status` as a screen of 80 columns: a label, then what is to know of it."""

import textwrap
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from webapp.commands.status_report import StatusReport
from webapp.doctor.result import CheckResult
from webapp.services.operations.process_status import SeenProcess
from webapp.services.operations.site_status import SiteStatus, WaitingEmails

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


def screen_text(report: StatusReport) -> str:
    """Return the whole screen."""
    return "\n".join(_lines(report))


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
    yield from _row("Emails", _email_texts(status.emails, now))
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


def _email_texts(emails: tuple[WaitingEmails, ...], now: datetime) -> list[str]:
    if not emails:
        return ["none waiting"]
    rows = [f"{sum(waiting.count for waiting in emails):>5} waiting"]
    for waiting in emails:
        text = f"{waiting.count:>5} {_CAUSE_TEXTS[waiting.cause]}"
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
