"""The checks of a simulated year: what its records say, judged by what happened, and without the code of the clock."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from webapp.pace.calendar import Interval
from webapp.pace.pace import Pace
from webapp.services.operations.simulated_year import RecordedEmail, RecordedEvent, Records
from webapp.simulated_year.emails import Delivered
from webapp.simulated_year.outages import Outages
from webapp.simulated_year.people import Habits
from webapp.simulated_year.running_time import running_time

_TOLERANCE: Final = timedelta(seconds=2)
_NO_TIME: Final = timedelta(0)
_DAY: Final = timedelta(days=1)
_ENDS: Final = frozenset({"played", "late", "missed"})
_CHANGES: Final = frozenset({"extended", "resumed", "shifted", "absence", "undelivered", "held"})
_CALLS: Final = frozenset({"dealt", "your-turn", "reminder", "nudge", "round-over"})


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the checks judge, and what they judge it by."""

    records: Records
    paces: Mapping[int, Pace]
    people: Mapping[int, Habits]
    accepted: tuple[Delivered, ...]
    outages: Outages
    counts: Counter[str]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may not happen, and where it did."""

    check: str
    cause: str
    game_id: int
    turn_seq: int
    at: datetime


def findings(evidence: Evidence) -> list[Finding]:
    """Return everything that went wrong."""
    return [
        *_wrong_defaults(evidence),
        *_wrong_strikes(evidence),
        *_unexplained_deadlines(evidence),
        *_double_reminders(evidence),
        *_emails_in_quiet_hours(evidence),
    ]


def events_by_game(records: Records) -> dict[int, list[RecordedEvent]]:
    """Return the events of each game, the oldest first."""
    grouped: dict[int, list[RecordedEvent]] = defaultdict(list)
    for event in records.events:
        grouped[event.game_id].append(event)
    return grouped


def _judged_turns(
    evidence: Evidence,
) -> Iterator[tuple[RecordedEvent, RecordedEvent | None, timedelta]]:
    """Yield each turn that the clock played: its end, its start, and how much time its player should have had left."""
    for game_id, events in events_by_game(evidence.records).items():
        pace = evidence.paces[game_id]
        banks: dict[tuple[int | None, int | None], timedelta] = {}
        started: RecordedEvent | None = None
        shifted_at: list[datetime] = []
        for event in events:
            if event.kind in {"started", "undelivered"}:
                started, shifted_at = event, []
            if event.kind == "shifted":
                shifted_at.append(event.at)
            if event.kind not in _ENDS:
                continue
            start = started if started and started.turn_seq == event.turn_seq else None
            key = (event.seat, event.account_id)
            bank = _NO_TIME if event.account_id is None else banks.get(key, pace.bank)
            limit = pace.time_per_turn + bank
            if event.kind == "missed":
                used = _used_time(pace, start, event, _stops(evidence, event.account_id))
                yield event, start, limit - used
            stops = _stops_in_force(evidence, event.account_id, shifted_at)
            left = max(limit - _used_time(pace, start, event, stops), _NO_TIME)
            refill = _NO_TIME if event.kind == "missed" else pace.refill
            banks[key] = min(pace.bank, min(bank, left) + refill)


def _used_time(
    pace: Pace, started: RecordedEvent | None, event: RecordedEvent, stops: list[Interval]
) -> timedelta:
    return _NO_TIME if started is None else running_time(pace, started.at, event.at, stops)


def _stops(evidence: Evidence, account_id: int | None) -> list[Interval]:
    """Return when no clock of this player may run: absences that they declared, and outages."""
    outages = [*evidence.outages.server, *evidence.outages.relay]
    if account_id is None:
        return outages
    return [*evidence.people[account_id].declared_absences, *outages]


def _stops_in_force(
    evidence: Evidence, account_id: int | None, shifted_at: list[datetime]
) -> list[Interval]:
    """Return the stops without an outage of the relay for which the deadline was not moved.

    Its missing time is counted once, where the turn is lost, and not again in the bank of every later turn.
    """
    unmoved = {
        outage
        for outage in evidence.outages.relay
        if not any(outage.start <= at <= outage.end + _DAY for at in shifted_at)
    }
    return [stop for stop in _stops(evidence, account_id) if stop not in unmoved]


def _wrong_defaults(evidence: Evidence) -> Iterator[Finding]:
    """Yield the turns that were played by the clock although their players had time left, or had not been called."""
    called_at = _first_calls(evidence)
    for event, _, time_left in _judged_turns(evidence):
        for cause in _causes(evidence, event, time_left, called_at):
            yield _finding("wrong_default", cause, event)


def _wrong_strikes(evidence: Evidence) -> Iterator[Finding]:
    """Yield the strikes for turns that were excused, by an absence, an outage or a call that did not arrive."""
    called_at, struck = _first_calls(evidence), strikes_by_turn(evidence.records)
    for event, start, time_left in _judged_turns(evidence):
        if event.account_id is None or (event.game_id, event.turn_seq) not in struck:
            continue
        causes = _causes(evidence, event, time_left, called_at)
        stops = _stops(evidence, event.account_id)
        if start and any(stop.start < event.at and stop.end > start.at for stop in stops):
            causes.append("stopped clock")
        for cause in causes[:1]:
            yield _finding("wrong_strike", cause, event)


def strikes_by_turn(records: Records) -> set[tuple[int, int]]:
    """Return the missed turns that gave a strike, by game and turn: the email about each says so."""
    missed: dict[tuple[int, int], list[RecordedEvent]] = defaultdict(list)
    for event in records.events:
        if event.kind == "missed" and event.account_id is not None:
            missed[event.game_id, event.account_id].append(event)
    emails: dict[tuple[int, int], list[RecordedEmail]] = defaultdict(list)
    for email in records.emails:
        if email.kind in {"turn-missed", "seat-opened"}:
            emails[email.game_id or 0, email.account_id or 0].append(email)
    return {
        (event.game_id, event.turn_seq)
        for key, events in missed.items()
        for event, email in zip(events, emails[key], strict=False)
        if email.kind == "seat-opened" or email.dedup_key
    }


def _causes(
    evidence: Evidence,
    event: RecordedEvent,
    time_left: timedelta,
    called_at: Mapping[tuple[int, int, int], datetime],
) -> list[str]:
    """Return why a default is wrong, if it is; one of a seat without a person never is."""
    if event.account_id is None:
        return []
    causes = []
    called = called_at.get((event.game_id, event.turn_seq, event.account_id))
    if called is None or called > event.at:
        causes.append("undelivered")
    if time_left > _TOLERANCE:
        causes.append(_cause_of_early_default(evidence, event))
    return causes


def _cause_of_early_default(evidence: Evidence, event: RecordedEvent) -> str:
    """Return what had stopped the clock within the last weeks, as the likely reason."""
    since = event.at - timedelta(days=14)
    if any(stop.end > since and stop.start < event.at for stop in evidence.outages.relay):
        return "email outage"
    if any(stop.end > since and stop.start < event.at for stop in evidence.outages.server):
        return "outage"
    absences = evidence.people[event.account_id or 0].declared_absences
    return "absence" if any(stop.end > since for stop in absences) else "deadline"


def _first_calls(evidence: Evidence) -> dict[tuple[int, int, int], datetime]:
    """Return when the first email about a turn was accepted, by game, turn and account."""
    accepted_at = {email.notification_id: email.at for email in evidence.accepted}
    calls: dict[tuple[int, int, int], datetime] = {}
    for email in evidence.records.emails:
        at = accepted_at.get(email.id)
        if at is None or email.kind not in _CALLS or email.game_id is None:
            continue
        key = (email.game_id, email.seq or 0, email.account_id or 0)
        calls[key] = min(at, calls.get(key, at))
    return calls


def _unexplained_deadlines(evidence: Evidence) -> Iterator[Finding]:
    """Yield deadlines that differ from what the events before them say."""
    games = {game.id: game for game in evidence.records.games}
    for game_id, events in events_by_game(evidence.records).items():
        explained: dict[int, datetime | None] = {}
        for event in events:
            if event.kind == "started" or event.kind in _CHANGES:
                explained[event.turn_seq] = event.deadline_at
            elif event.kind in _ENDS and event.deadline_at not in {
                None,
                explained.get(event.turn_seq),
            }:
                yield _finding("unexplained_deadline", event.kind, event)
        game = games[game_id]
        is_running = game.status == "running"
        if is_running and game.deadline_at not in {None, explained.get(game.turn_seq)}:
            yield _finding("unexplained_deadline", "running", events[-1])


def _double_reminders(evidence: Evidence) -> Iterator[Finding]:
    """Yield reminders beyond those that the player wants of one deadline, or within the same hour as another."""
    reminders: dict[tuple[int, int, datetime | None], list[RecordedEvent]] = defaultdict(list)
    for event in evidence.records.events:
        if event.kind == "reminded":
            reminders[event.game_id, event.turn_seq, event.deadline_at].append(event)
    for events in reminders.values():
        habits = evidence.people[events[0].account_id or 0]
        wanted = max(1, len(habits.reminder_hours))
        yield from (_finding("double_reminder", "too many", event) for event in events[wanted:])
        for before, event in pairwise(events):
            if event.at - before.at < timedelta(hours=1):
                yield _finding("double_reminder", "too soon", event)


def _emails_in_quiet_hours(evidence: Evidence) -> Iterator[Finding]:
    """Yield reminders that were sent in quiet hours, unless the deadline lay in them or right after them."""
    rows = {email.id: email for email in evidence.records.emails}
    people = {habits.person.address: habits for habits in evidence.people.values()}
    for email in evidence.accepted:
        row, habits = rows[email.notification_id], people[email.address]
        if email.kind != "reminder" or not habits.has_quiet_hours:
            continue
        if _is_quiet(habits, email.at):
            yield Finding(
                check="email_in_quiet_hours",
                cause=email.kind,
                game_id=row.game_id or 0,
                turn_seq=row.seq or 0,
                at=email.at,
            )


def _is_quiet(habits: Habits, at: datetime) -> bool:
    local_time: time = at.astimezone(ZoneInfo(habits.person.zone)).time()
    if habits.sleeps < habits.wakes:
        return habits.sleeps <= local_time < habits.wakes
    return local_time >= habits.sleeps or local_time < habits.wakes


def _finding(check: str, cause: str, event: RecordedEvent) -> Finding:
    return Finding(
        check=check, cause=cause, game_id=event.game_id, turn_seq=event.turn_seq, at=event.at
    )


def counts_by_cause(found: Iterable[Finding], check: str) -> dict[str, int]:
    """Return how often a check failed, by cause."""
    counts = Counter(finding.cause for finding in found if finding.check == check)
    return dict(sorted(counts.items()))
