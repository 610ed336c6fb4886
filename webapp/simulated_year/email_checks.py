"""The checks of a simulated year that judge its emails: how many reminders there were, and what was sent in quiet hours."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from itertools import pairwise
from operator import attrgetter
from typing import Final
from zoneinfo import ZoneInfo

from webapp.services.operations.simulated_year import RecordedEmail, RecordedEvent
from webapp.simulated_year.evidence import Evidence, Finding, finding_at
from webapp.simulated_year.people import Habits
from webapp.simulated_year.turn_times import TURN_END_KINDS, events_by_game

_DAY: Final = timedelta(days=1)
_VOTE_DURATION: Final = timedelta(days=3)
_KINDS_ABOUT_TURNS: Final = frozenset(
    {"your-turn", "reminder", "nudge", "briefing", "moderator-act", "vote-ended"}
)
"""Emails that may be sent in quiet hours if the recipient's deadline lies in them too."""


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
    """Yield emails that were sent in quiet hours, unless what they are about would be over at the end of these."""
    rows = {email.id: email for email in evidence.records.emails}
    people = {habits.person.address: habits for habits in evidence.people.values()}
    events = events_by_game(evidence.records)
    for email in evidence.accepted_emails:
        row, habits = rows[email.notification_id], people[email.address]
        if not habits.has_quiet_hours or not _is_quiet(habits, email.at):
            continue
        if not _is_urgent(row, events.get(row.game_id or 0, []), habits, email.at):
            yield Finding(
                check="email_in_quiet_hour",
                cause=email.kind,
                game_id=row.game_id or 0,
                turn_seq=row.seq or 0,
                at=email.at,
            )


def _is_urgent(
    row: RecordedEmail, events: list[RecordedEvent], habits: Habits, at: datetime
) -> bool:
    """Return whether the recipient's own deadline, or the end of the vote, lies in the same quiet hours."""
    quiet_end = _end_of_quiet_hours(habits, at)
    if row.kind == "vote-opened":
        return row.first_due_at + _VOTE_DURATION <= quiet_end
    if row.kind not in _KINDS_ABOUT_TURNS:
        return False
    deadline_at = _running_deadline(events, habits.person.id, at)
    return deadline_at is not None and deadline_at <= quiet_end


def _running_deadline(
    events: list[RecordedEvent], account_id: int, at: datetime
) -> datetime | None:
    """Return the deadline at an instant of the turn that waits for a person."""
    index = bisect_right(events, at, key=attrgetter("at"))
    for event in reversed(events[:index]):
        if event.kind in TURN_END_KINDS:
            return None
        if event.deadline_at is not None:
            return event.deadline_at if event.account_id == account_id else None
    return None


def _end_of_quiet_hours(habits: Habits, at: datetime) -> datetime:
    zone = ZoneInfo(habits.person.zone)
    local_at = at.astimezone(zone)
    wakes_at = datetime.combine(local_at.date(), habits.wakes_at, zone)
    return wakes_at if wakes_at > local_at else wakes_at + _DAY


def _is_quiet(habits: Habits, at: datetime) -> bool:
    local_time: time = at.astimezone(ZoneInfo(habits.person.zone)).time()
    if habits.sleeps_at < habits.wakes_at:
        return habits.sleeps_at <= local_time < habits.wakes_at
    return local_time >= habits.sleeps_at or local_time < habits.wakes_at
