"""The checks of a simulated year: what its records say, judged by what happened, and without the code of the clock."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, time, timedelta
from itertools import pairwise
from operator import attrgetter
from typing import Final
from zoneinfo import ZoneInfo

from tests.simulated_year.database import RecordedEmail, RecordedEvent, SimulatedYearRecords
from tests.simulated_year.evidence import Evidence, Finding, finding_at
from tests.simulated_year.people import Habits
from tests.simulated_year.turn_times import (
    TURN_END_KINDS,
    MissedTurn,
    counted_absences,
    events_by_game,
    first_email_times,
    missed_turns,
    turns_of_wrong_length,
)

CHECKS: Final = (
    "wrong_default",
    "wrong_strike",
    "wrong_seat_opening",
    "double_reminder",
    "email_in_quiet_hour",
    "unexplained_deadline",
)
_TOLERANCE: Final = timedelta(seconds=2)
_LONGEST_DELAY: Final = timedelta(minutes=5)
"""How long after a deadline a turn is played at most."""
_DEADLINE_CHANGE_KINDS: Final = frozenset(
    {"extended", "resumed", "shifted", "absence", "undelivered"}
)
_MAX_RESTARTS: Final[Mapping[str, int]] = {"pending": 3, "failed": 1}
"""How often a player whose call waits gets the whole time again in a row, and one whose call was refused in a seat."""
_LONGEST_THOUGHT: Final = timedelta(seconds=30)
"""How long after the end of an absence a bot may still answer that began to think before."""
_VOTE_DURATION: Final = timedelta(days=3)
_KINDS_ABOUT_TURNS: Final = frozenset(
    {"your-turn", "reminder", "nudge", "briefing", "moderator-act", "vote-ended"}
)
"""Emails that may be sent in quiet hours if the recipient's deadline lies in them too."""


def findings(evidence: Evidence) -> list[Finding]:
    """Return everything that went wrong."""
    turns, strikes = list(missed_turns(evidence)), strikes_by_turn(evidence.records)
    return [
        *_wrong_defaults(evidence, turns),
        *_wrong_bot_turns(evidence),
        *_wrong_strikes(evidence, turns, strikes),
        *_wrong_seat_openings(evidence, strikes),
        *_late_defaults(turns),
        *_unexplained_deadlines(evidence),
        *_wrong_restarts(evidence),
        *_double_reminders(evidence),
        *_emails_in_quiet_hours(evidence),
    ]


def _wrong_defaults(evidence: Evidence, turns: Iterable[MissedTurn]) -> Iterator[Finding]:
    """Yield the turns that were played by the clock although their players had time left, or had not been called."""
    for turn in turns:
        for cause in _causes_of_wrong_default(evidence, turn):
            yield finding_at("wrong_default", cause, turn.event)


def _late_defaults(turns: Iterable[MissedTurn]) -> Iterator[Finding]:
    """Yield the turns that were played long after their players' time was up: their deadlines were later than they should be."""
    for turn in turns:
        if turn.time_left < -_LONGEST_DELAY:
            yield finding_at("unexplained_deadline", "late default", turn.event)


def _wrong_strikes(
    evidence: Evidence, turns: Iterable[MissedTurn], strikes: set[tuple[int, int]]
) -> Iterator[Finding]:
    """Yield the strikes for turns whose players had time left, were not called, or were away when the time was up.

    Someone who had the whole time again after an outage or an absence, and missed the turn nevertheless, is not excused.
    """
    for turn in turns:
        if (turn.event.game_id, turn.event.turn_seq) not in strikes:
            continue
        causes = [] if turn.is_called else ["undelivered"]
        causes += _causes_of_wrong_default(evidence, turn)
        if any(stop.start < turn.event.at <= stop.end for stop in turn.clock_stops):
            causes.append("stopped clock")
        for cause in causes[:1]:
            yield finding_at("wrong_strike", cause, turn.event)


def strikes_by_turn(records: SimulatedYearRecords) -> set[tuple[int, int]]:
    """Return the missed turns that gave a strike, by game and turn: the email about each says so."""
    missed_turns_by_key: dict[tuple[int, int], list[RecordedEvent]] = defaultdict(list)
    for event in records.events:
        if event.kind == "missed" and event.account_id is not None:
            missed_turns_by_key[event.game_id, event.account_id].append(event)
    emails: dict[tuple[int, int], list[RecordedEmail]] = defaultdict(list)
    for email in records.emails:
        if email.kind in {"turn-missed", "seat-opened"}:
            emails[email.game_id or 0, email.account_id or 0].append(email)
    return {
        (event.game_id, event.turn_seq)
        for key, events in missed_turns_by_key.items()
        for event in events
        if _gives_strike(_first_email_after(event, emails[key]))
    }


def _gives_strike(email: RecordedEmail | None) -> bool:
    return email is not None and (email.kind == "seat-opened" or email.dedup_key > 0)


def _first_email_after(event: RecordedEvent, emails: list[RecordedEmail]) -> RecordedEmail | None:
    """Return the email about a missed turn: the first of these that names a later position."""
    return next((email for email in emails if (email.seq or 0) > event.turn_seq), None)


def _causes_of_wrong_default(evidence: Evidence, turn: MissedTurn) -> list[str]:
    """Return why a default is wrong, if it is."""
    causes, event = [], turn.event
    if not turn.is_called and not _had_enough_time_without_call(evidence, event):
        causes.append("undelivered")
    if turn.time_left > _TOLERANCE:
        causes.append(_cause_of_early_default(evidence, event))
    return causes


def _had_enough_time_without_call(evidence: Evidence, event: RecordedEvent) -> bool:
    """Return whether the player has got the whole time again as often as anyone does whom no email reaches."""
    restart_count = 0
    for other in evidence.records.events:
        if other is event:
            break
        if (other.game_id, other.seat, other.account_id) != (
            event.game_id,
            event.seat,
            event.account_id,
        ):
            continue
        if other.kind == "undelivered":
            restart_count += _MAX_RESTARTS["pending"] if other.cause == "failed" else 1
        elif other.kind in {"played", "late"}:
            restart_count = 0
    return restart_count >= _MAX_RESTARTS["pending"]


def _cause_of_early_default(evidence: Evidence, event: RecordedEvent) -> str:
    """Return what had stopped the clock within the last weeks, as the likely reason."""
    since, outages = event.at - timedelta(days=14), evidence.outages
    if any(stop.end > since and stop.start < event.at for stop in outages.relay):
        return "email outage"
    if any(
        stop.end > since and stop.start < event.at
        for stop in (*outages.server, *outages.maintenance)
    ):
        return "outage"
    absences = counted_absences(evidence, event.game_id, event.account_id or 0, before=event.at)
    return "absence" if any(stop.end > since for stop in absences) else "deadline"


def _unexplained_deadlines(evidence: Evidence) -> Iterator[Finding]:
    """Yield deadlines that differ from what the events before them say, or from what pace and time bank give."""
    for event in turns_of_wrong_length(evidence):
        yield finding_at("unexplained_deadline", "length", event)
    games = {game.id: game for game in evidence.records.games}
    for game_id, events in events_by_game(evidence.records).items():
        expected_deadlines: dict[int, datetime | None] = {}
        for event in events:
            if event.kind == "started" or event.kind in _DEADLINE_CHANGE_KINDS:
                expected_deadlines[event.turn_seq] = event.deadline_at
            elif event.kind in TURN_END_KINDS and event.deadline_at not in {
                None,
                expected_deadlines.get(event.turn_seq),
            }:
                yield finding_at("unexplained_deadline", event.kind, event)
        game = games[game_id]
        is_running = game.status == "running"
        if is_running and game.deadline_at not in {None, expected_deadlines.get(game.turn_seq)}:
            yield finding_at("unexplained_deadline", "running", events[-1])


def _wrong_bot_turns(evidence: Evidence) -> Iterator[Finding]:
    """Yield turns of people that a bot took while they were not away, or did not take while they were.

    A turn counts whose player was away before it ended for longer than a bot thinks; a server that is down plays later.
    """
    for event in evidence.records.events:
        if event.account_id is None or event.kind not in {"played", "missed"}:
            continue
        lets_bots_play = evidence.late_rules_of(event.game_id).absence == "bot"
        is_away = _is_away(evidence, event, event.at, _LONGEST_THOUGHT)
        if event.by == "bot" and not (lets_bots_play and is_away):
            yield finding_at("wrong_default", "bot for a player", event)
        if event.kind == "missed" and lets_bots_play:
            since = event.at - _LONGEST_THOUGHT
            if is_away and _is_away(evidence, event, since, timedelta(0)):
                yield finding_at("wrong_default", "no bot for a player", event)


def _is_away(evidence: Evidence, event: RecordedEvent, at: datetime, tolerance: timedelta) -> bool:
    absences = counted_absences(evidence, event.game_id, event.account_id or 0, before=at)
    return any(absence.start <= at < absence.end + tolerance for absence in absences)


def _wrong_restarts(evidence: Evidence) -> Iterator[Finding]:
    """Yield deadlines that began again for players who had been called, or more often than they may."""
    email_times = first_email_times(evidence)
    for events in events_by_game(evidence.records).values():
        counts: Counter[tuple[int | None, int | None, str]] = Counter()
        for event in events:
            seat = (event.seat, event.account_id)
            if event.kind in {"played", "late"}:
                counts[*seat, "pending"] = 0
            if event.kind != "undelivered":
                continue
            counts[*seat, event.cause] += 1
            if _is_called(email_times, event):
                yield finding_at("unexplained_deadline", "restart after a call", event)
            if counts[*seat, event.cause] > _MAX_RESTARTS[event.cause]:
                yield finding_at("unexplained_deadline", "too many restarts", event)


def _wrong_seat_openings(evidence: Evidence, strikes: set[tuple[int, int]]) -> Iterator[Finding]:
    """Yield seats that were opened after too few strikes, or before their players had the whole time again."""
    email_times = first_email_times(evidence)
    for game_id, events in events_by_game(evidence.records).items():
        limit = evidence.late_rules_of(game_id).strikes_until_open
        for index, event in enumerate(events):
            if event.kind != "opened":
                continue
            earlier_events = [
                earlier
                for earlier in events[:index]
                if (earlier.seat, earlier.account_id) == (event.seat, event.account_id)
            ]
            if event.cause == "strikes" and _strike_count(earlier_events, strikes) < limit:
                yield finding_at("wrong_seat_opening", "too few strikes", event)
            if event.cause == "undelivered" and not _had_restart(earlier_events):
                yield finding_at("wrong_seat_opening", "no restart", event)
            if event.cause == "undelivered" and _is_called(email_times, event):
                yield finding_at("wrong_seat_opening", "called", event)


def _strike_count(events: Iterable[RecordedEvent], strikes: set[tuple[int, int]]) -> int:
    """Return how many strikes a player had; a rewind takes back those of the turns that it undoes."""
    turns: set[int] = set()
    for event in events:
        if event.kind == "missed" and (event.game_id, event.turn_seq) in strikes:
            turns.add(event.turn_seq)
        if event.kind == "undone":
            turns.discard(event.turn_seq)
    return len(turns)


def _had_restart(events: Iterable[RecordedEvent]) -> bool:
    return any(event.kind == "undelivered" and event.cause == "failed" for event in events)


def _is_called(email_times: Mapping[tuple[int, int, int], datetime], event: RecordedEvent) -> bool:
    at = email_times.get((event.game_id, event.turn_seq, event.account_id or 0))
    return at is not None and at <= event.at


def _double_reminders(evidence: Evidence) -> Iterator[Finding]:
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


def _emails_in_quiet_hours(evidence: Evidence) -> Iterator[Finding]:
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
    return wakes_at if wakes_at > local_at else wakes_at + timedelta(days=1)


def _is_quiet(habits: Habits, at: datetime) -> bool:
    local_time: time = at.astimezone(ZoneInfo(habits.person.zone)).time()
    if habits.sleeps_at < habits.wakes_at:
        return habits.sleeps_at <= local_time < habits.wakes_at
    return local_time >= habits.sleeps_at or local_time < habits.wakes_at


def counts_by_cause(all_findings: Iterable[Finding], check: str) -> dict[str, int]:
    """Return how often a check failed, by cause."""
    counts = Counter(finding.cause for finding in all_findings if finding.check == check)
    return dict(sorted(counts.items()))
