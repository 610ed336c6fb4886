"""The checks of a simulated year: what its records say, judged by what happened, and without the code of the clock."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final

from webapp.pace.calendar import Interval
from webapp.pace.pace import Pace
from webapp.services.operations.simulated_year import (
    RecordedEmail,
    RecordedEvent,
    SimulatedYearRecords,
)
from webapp.simulated_year.email_checks import double_reminders, emails_in_quiet_hours
from webapp.simulated_year.evidence import Evidence, Finding, finding_at
from webapp.simulated_year.running_time import running_time

_TOLERANCE: Final = timedelta(seconds=2)
_NO_TIME: Final = timedelta(0)
_DAY: Final = timedelta(days=1)
_MAX_RESTARTS: Final = 3
"""How often in a row a player whose call waits gets the whole time again; for one that was refused it is once."""
_TURN_END_KINDS: Final = frozenset({"played", "late", "missed"})
_DEADLINE_CHANGE_KINDS: Final = frozenset(
    {"extended", "resumed", "shifted", "absence", "undelivered", "held"}
)
_TURN_EMAIL_KINDS: Final = frozenset({"dealt", "your-turn", "reminder", "nudge", "round-over"})


def findings(evidence: Evidence) -> list[Finding]:
    """Return everything that went wrong."""
    return [
        *_wrong_defaults(evidence),
        *_wrong_strikes(evidence),
        *_unexplained_deadlines(evidence),
        *double_reminders(evidence),
        *emails_in_quiet_hours(evidence),
    ]


def events_by_game(records: SimulatedYearRecords) -> dict[int, list[RecordedEvent]]:
    """Return the events of each game, the oldest first."""
    events_by_game_id: dict[int, list[RecordedEvent]] = defaultdict(list)
    for event in records.events:
        events_by_game_id[event.game_id].append(event)
    return events_by_game_id


def _judged_turns(
    evidence: Evidence,
) -> Iterator[tuple[RecordedEvent, RecordedEvent | None, timedelta]]:
    """Yield each turn that the clock played: its end, its start, and how much time its player should have had left."""
    for game_id, events in events_by_game(evidence.records).items():
        pace = evidence.paces[game_id]
        banks: dict[tuple[int | None, int | None], timedelta] = {}
        start_event: RecordedEvent | None = None
        shifted_at: list[datetime] = []
        for event in events:
            if event.kind in {"started", "undelivered"}:
                start_event, shifted_at = event, []
            if event.kind == "shifted":
                shifted_at.append(event.at)
            if event.kind not in _TURN_END_KINDS:
                continue
            start = start_event if start_event and start_event.turn_seq == event.turn_seq else None
            key = (event.seat, event.account_id)
            bank = _NO_TIME if event.account_id is None else banks.get(key, pace.bank)
            limit = pace.time_per_turn + bank
            if event.kind == "missed":
                used_time = _used_time(pace, start, event, _clock_stops(evidence, event.account_id))
                yield event, start, limit - used_time
            stops = _effective_clock_stops(evidence, event.account_id, shifted_at)
            time_left = max(limit - _used_time(pace, start, event, stops), _NO_TIME)
            refill = _NO_TIME if event.kind == "missed" else pace.refill
            banks[key] = min(pace.bank, min(bank, time_left) + refill)


def _used_time(
    pace: Pace, start_event: RecordedEvent | None, event: RecordedEvent, stops: list[Interval]
) -> timedelta:
    return _NO_TIME if start_event is None else running_time(pace, start_event.at, event.at, stops)


def _clock_stops(evidence: Evidence, account_id: int | None) -> list[Interval]:
    """Return when no clock of this player may run: absences that they declared, and outages."""
    outages = [*evidence.outages.server, *evidence.outages.relay]
    if account_id is None:
        return outages
    return [*evidence.people[account_id].declared_absences, *outages]


def _effective_clock_stops(
    evidence: Evidence, account_id: int | None, shifted_at: list[datetime]
) -> list[Interval]:
    """Return the stops without an outage of the relay for which the deadline was not moved.

    Its missing time is counted once, where the turn is lost, and not again in the bank of every later turn.
    """
    outages_without_shift = {
        outage
        for outage in evidence.outages.relay
        if not any(outage.start <= at <= outage.end + _DAY for at in shifted_at)
    }
    return [
        stop for stop in _clock_stops(evidence, account_id) if stop not in outages_without_shift
    ]


def _wrong_defaults(evidence: Evidence) -> Iterator[Finding]:
    """Yield the turns that were played by the clock although their players had time left, or had not been called."""
    notified_at_by_turn = _first_email_times(evidence)
    for event, _, time_left in _judged_turns(evidence):
        for cause in _causes_of_wrong_default(evidence, event, time_left, notified_at_by_turn):
            yield finding_at("wrong_default", cause, event)


def _wrong_strikes(evidence: Evidence) -> Iterator[Finding]:
    """Yield the strikes for turns whose players had time left, were not called, or were away when the time was up.

    Someone who had the whole time again after an outage or an absence, and missed the turn nevertheless, is not excused.
    """
    notified_at_by_turn, turns_with_strike = (
        _first_email_times(evidence),
        strikes_by_turn(evidence.records),
    )
    for event, start, time_left in _judged_turns(evidence):
        if event.account_id is None or (event.game_id, event.turn_seq) not in turns_with_strike:
            continue
        causes = _causes_of_wrong_default(evidence, event, time_left, notified_at_by_turn)
        stops = _clock_stops(evidence, event.account_id)
        if start and any(stop.start < event.at <= stop.end for stop in stops):
            causes.append("stopped clock")
        for cause in causes[:1]:
            yield finding_at("wrong_strike", cause, event)


def strikes_by_turn(records: SimulatedYearRecords) -> set[tuple[int, int]]:
    """Return the missed turns that gave a strike, by game and turn: the email about each says so."""
    missed_turns: dict[tuple[int, int], list[RecordedEvent]] = defaultdict(list)
    for event in records.events:
        if event.kind == "missed" and event.account_id is not None:
            missed_turns[event.game_id, event.account_id].append(event)
    emails: dict[tuple[int, int], list[RecordedEmail]] = defaultdict(list)
    for email in records.emails:
        if email.kind in {"turn-missed", "seat-opened"}:
            emails[email.game_id or 0, email.account_id or 0].append(email)
    return {
        (event.game_id, event.turn_seq)
        for key, events in missed_turns.items()
        for event in events
        if _gives_strike(_first_email_after(event, emails[key]))
    }


def _gives_strike(email: RecordedEmail | None) -> bool:
    return email is not None and (email.kind == "seat-opened" or email.dedup_key > 0)


def _first_email_after(event: RecordedEvent, emails: list[RecordedEmail]) -> RecordedEmail | None:
    """Return the email about a missed turn: the first of these that names a later position."""
    return next((email for email in emails if (email.seq or 0) > event.turn_seq), None)


def _causes_of_wrong_default(
    evidence: Evidence,
    event: RecordedEvent,
    time_left: timedelta,
    notified_at_by_turn: Mapping[tuple[int, int, int], datetime],
) -> list[str]:
    """Return why a default is wrong, if it is; one of a seat without a person never is."""
    if event.account_id is None:
        return []
    causes = []
    notified_at = notified_at_by_turn.get((event.game_id, event.turn_seq, event.account_id))
    is_uncalled = notified_at is None or notified_at > event.at
    if is_uncalled and not _had_enough_time_without_call(evidence, event):
        causes.append("undelivered")
    if time_left > _TOLERANCE:
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
            restart_count += _MAX_RESTARTS if other.cause == "failed" else 1
        elif other.kind in {"played", "late"}:
            restart_count = 0
    return restart_count >= _MAX_RESTARTS


def _cause_of_early_default(evidence: Evidence, event: RecordedEvent) -> str:
    """Return what had stopped the clock within the last weeks, as the likely reason."""
    since = event.at - timedelta(days=14)
    if any(stop.end > since and stop.start < event.at for stop in evidence.outages.relay):
        return "email outage"
    if any(stop.end > since and stop.start < event.at for stop in evidence.outages.server):
        return "outage"
    absences = evidence.people[event.account_id or 0].declared_absences
    return "absence" if any(stop.end > since for stop in absences) else "deadline"


def _first_email_times(evidence: Evidence) -> dict[tuple[int, int, int], datetime]:
    """Return when the first email about a turn was accepted, by game, turn and account."""
    accepted_at = {email.notification_id: email.at for email in evidence.accepted_emails}
    first_email_times: dict[tuple[int, int, int], datetime] = {}
    for email in evidence.records.emails:
        at = accepted_at.get(email.id)
        if at is None or email.kind not in _TURN_EMAIL_KINDS or email.game_id is None:
            continue
        key = (email.game_id, email.seq or 0, email.account_id or 0)
        first_email_times[key] = min(at, first_email_times.get(key, at))
    return first_email_times


def _unexplained_deadlines(evidence: Evidence) -> Iterator[Finding]:
    """Yield deadlines that differ from what the events before them say."""
    games = {game.id: game for game in evidence.records.games}
    for game_id, events in events_by_game(evidence.records).items():
        expected_deadlines: dict[int, datetime | None] = {}
        for event in events:
            if event.kind == "started" or event.kind in _DEADLINE_CHANGE_KINDS:
                expected_deadlines[event.turn_seq] = event.deadline_at
            elif event.kind in _TURN_END_KINDS and event.deadline_at not in {
                None,
                expected_deadlines.get(event.turn_seq),
            }:
                yield finding_at("unexplained_deadline", event.kind, event)
        game = games[game_id]
        is_running = game.status == "running"
        if is_running and game.deadline_at not in {None, expected_deadlines.get(game.turn_seq)}:
            yield finding_at("unexplained_deadline", "running", events[-1])


def counts_by_cause(all_findings: Iterable[Finding], check: str) -> dict[str, int]:
    """Return how often a check failed, by cause."""
    counts = Counter(finding.cause for finding in all_findings if finding.check == check)
    return dict(sorted(counts.items()))
