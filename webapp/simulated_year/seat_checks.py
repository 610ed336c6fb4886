"""The checks of a simulated year that judge what the server did with seats: restarts for players who were not called, seats
that it opened, and bots in place of players who are away.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final

from webapp.services.operations.simulated_year import RecordedEvent
from webapp.simulated_year.evidence import Evidence, Finding, finding_at
from webapp.simulated_year.turn_times import counted_absences, events_by_game, first_email_times

MAX_RESTARTS: Final[Mapping[str, int]] = {"pending": 3, "failed": 1}
"""How often a player whose call waits gets the whole time again in a row, and one whose call was refused in a seat."""
_LONGEST_THOUGHT: Final = timedelta(seconds=30)
"""How long after the end of an absence a bot may still answer that began to think before."""


def wrong_bot_turns(evidence: Evidence) -> Iterator[Finding]:
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


def wrong_restarts(evidence: Evidence) -> Iterator[Finding]:
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
            if counts[*seat, event.cause] > MAX_RESTARTS[event.cause]:
                yield finding_at("unexplained_deadline", "too many restarts", event)


def wrong_seat_openings(evidence: Evidence, strikes: set[tuple[int, int]]) -> Iterator[Finding]:
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
