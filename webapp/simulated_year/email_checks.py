"""The checks of a simulated year that judge its reminders: how many there were, and when they were sent."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from webapp.services.operations.simulated_year import RecordedEmail, RecordedEvent
from webapp.simulated_year.evidence import Evidence, Finding, finding_at
from webapp.simulated_year.people import Habits

_DAY: Final = timedelta(days=1)


def double_reminders(evidence: Evidence) -> Iterator[Finding]:
    """Yield reminders beyond those that the player wants of one deadline, or within the same hour as another."""
    reminders: dict[tuple[int, int, datetime | None], list[RecordedEvent]] = defaultdict(list)
    for event in evidence.records.events:
        if event.kind == "reminded":
            reminders[event.game_id, event.turn_seq, event.deadline_at].append(event)
    for events in reminders.values():
        habits = evidence.people[events[0].account_id or 0]
        wanted_count = max(1, len(habits.reminder_hours))
        yield from (
            finding_at("double_reminder", "too many", event) for event in events[wanted_count:]
        )
        for previous_event, event in pairwise(events):
            if event.at - previous_event.at < timedelta(hours=1):
                yield finding_at("double_reminder", "too soon", event)


def emails_in_quiet_hours(evidence: Evidence) -> Iterator[Finding]:
    """Yield reminders that were sent in quiet hours, unless the deadline lay in them or right after them."""
    rows = {email.id: email for email in evidence.records.emails}
    people = {habits.person.address: habits for habits in evidence.people.values()}
    for email in evidence.accepted_emails:
        row, habits = rows[email.notification_id], people[email.address]
        if email.kind != "reminder" or not habits.has_quiet_hours:
            continue
        if _is_quiet(habits, email.at) and not _is_deadline_in_quiet_hours(
            evidence, habits, row, email.at
        ):
            yield Finding(
                check="email_in_quiet_hours",
                cause=email.kind,
                game_id=row.game_id or 0,
                turn_seq=row.seq or 0,
                at=email.at,
            )


def _is_deadline_in_quiet_hours(
    evidence: Evidence, habits: Habits, row: RecordedEmail, at: datetime
) -> bool:
    """Return whether the deadline of the turn that a reminder is about lies in the same quiet hours."""
    deadlines = [
        event.deadline_at
        for event in evidence.records.events
        if (event.game_id, event.turn_seq) == (row.game_id, row.seq)
        if event.at <= at and event.deadline_at is not None
    ]
    zone = ZoneInfo(habits.person.zone)
    local_at = at.astimezone(zone)
    wakes_at = datetime.combine(local_at.date(), habits.wakes_at, zone)
    if wakes_at <= local_at:
        wakes_at += _DAY
    return bool(deadlines) and deadlines[-1] <= wakes_at


def _is_quiet(habits: Habits, at: datetime) -> bool:
    local_time: time = at.astimezone(ZoneInfo(habits.person.zone)).time()
    if habits.sleeps_at < habits.wakes_at:
        return habits.sleeps_at <= local_time < habits.wakes_at
    return local_time >= habits.sleeps_at or local_time < habits.wakes_at
