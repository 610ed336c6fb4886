"""The checks of a simulated year: what its records say, judged by what happened, and without the code of the clock."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from webapp.services.operations.simulated_year import (
    RecordedEmail,
    RecordedEvent,
    SimulatedYearRecords,
)
from webapp.simulated_year.email_checks import double_reminders, emails_in_quiet_hours
from webapp.simulated_year.evidence import Evidence, Finding, finding_at
from webapp.simulated_year.seat_checks import (
    MAX_RESTARTS,
    wrong_bot_turns,
    wrong_restarts,
    wrong_seat_openings,
)
from webapp.simulated_year.turn_times import (
    TURN_END_KINDS,
    MissedTurn,
    counted_absences,
    events_by_game,
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
    {"extended", "resumed", "shifted", "absence", "undelivered", "held"}
)


def findings(evidence: Evidence) -> list[Finding]:
    """Return everything that went wrong."""
    turns, strikes = list(missed_turns(evidence)), strikes_by_turn(evidence.records)
    return [
        *_wrong_defaults(evidence, turns),
        *wrong_bot_turns(evidence),
        *_wrong_strikes(evidence, turns, strikes),
        *wrong_seat_openings(evidence, strikes),
        *_late_defaults(turns),
        *_unexplained_deadlines(evidence),
        *wrong_restarts(evidence),
        *double_reminders(evidence),
        *emails_in_quiet_hours(evidence),
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
            restart_count += MAX_RESTARTS["pending"] if other.cause == "failed" else 1
        elif other.kind in {"played", "late"}:
            restart_count = 0
    return restart_count >= MAX_RESTARTS["pending"]


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


def counts_by_cause(all_findings: Iterable[Finding], check: str) -> dict[str, int]:
    """Return how often a check failed, by cause."""
    counts = Counter(finding.cause for finding in all_findings if finding.check == check)
    return dict(sorted(counts.items()))
