"""The report of a simulated year: figures of its games, and what the checks found."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from statistics import median

from tests.simulated_year.checks import CHECKS, counts_by_cause, findings, strikes_by_turn
from tests.simulated_year.database import RecordedEvent
from tests.simulated_year.evidence import Evidence
from tests.simulated_year.turn_times import TURN_END_KINDS
from webapp.kernel.game_status import GameStatus

_DAY = timedelta(days=1)
_SHOWN_FINDINGS = 20


def report_of(evidence: Evidence) -> dict[str, object]:
    """Return the figures by name; the same year gives the same report."""
    all_findings = findings(evidence)
    return {
        **_game_figures(evidence),
        **_turn_figures(evidence),
        **{f"{check}s": counts_by_cause(all_findings, check) for check in CHECKS},
        **_email_figures(evidence),
        "events": _event_counts(evidence.records.events),
        "votes": _sorted_counts(
            f"{vote.kind} {vote.outcome or 'open'}" for vote in evidence.records.votes
        ),
        "happened": dict(sorted(evidence.counts.items())),
        "findings": [
            f"{finding.check} ({finding.cause}): game {finding.game_id}, turn {finding.turn_seq}, {finding.at:%Y-%m-%d %H:%M:%S}"
            for finding in all_findings[:_SHOWN_FINDINGS]
        ],
    }


def _game_figures(evidence: Evidence) -> dict[str, object]:
    statuses = Counter(game.status for game in evidence.records.games)
    finished_count, cancelled_count = statuses[GameStatus.FINISHED], statuses[GameStatus.CANCELLED]
    lengths = _game_lengths(evidence)
    return {
        "games": len(evidence.records.games),
        "games_ended": finished_count + cancelled_count,
        "games_finished": finished_count,
        "games_cancelled_by_vote": cancelled_count,
        "absence_policies": _sorted_counts(rules.absence for rules in evidence.late_rules.values()),
        "median_length_days": round(median(lengths), 1) if lengths else None,
        "longest_length_days": round(max(lengths), 1) if lengths else None,
    }


def _turn_figures(evidence: Evidence) -> dict[str, object]:
    events = evidence.records.events
    kinds = Counter(event.kind for event in events)
    return {
        "turns": sum(kinds[kind] for kind in TURN_END_KINDS),
        "late_turns": kinds["late"],
        "turns_by_bots_for_players": sum(
            event.by == "bot" and event.account_id is not None and event.kind == "played"
            for event in events
        ),
        "defaults": kinds["missed"],
        "strikes": len(strikes_by_turn(evidence.records)),
        "reminders": kinds["reminded"],
    }


def _email_figures(evidence: Evidence) -> dict[str, object]:
    emails = Counter(email.kind for email in evidence.accepted_emails)
    turns = sum(event.kind in TURN_END_KINDS for event in evidence.records.events)
    return {
        "emails": dict(sorted(emails.items())),
        "emails_per_turn": round(emails.total() / turns, 2) if turns else None,
        "emails_per_player": round(emails.total() / len(_players(evidence)), 1),
    }


def _sorted_counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _event_counts(events: Iterable[RecordedEvent]) -> dict[str, int]:
    """Return how often each kind of event of deadlines occurred, with its cause if it has one."""
    return _sorted_counts(
        f"{event.kind} ({event.cause})" if event.cause and event.kind != "started" else event.kind
        for event in events
    )


def _players(evidence: Evidence) -> set[int]:
    return {seat.account_id for seat in evidence.records.seats if seat.account_id is not None}


def _game_lengths(evidence: Evidence) -> list[float]:
    """Return the days from the first turn of each finished game to its end."""
    first_event_at: dict[int, datetime] = {}
    for event in evidence.records.events:
        first_event_at.setdefault(event.game_id, event.at)
    return [
        (game.ended_at - first_event_at[game.id]) / _DAY
        for game in evidence.records.games
        if game.ended_at is not None and game.id in first_event_at
    ]
