"""The report of a simulated year: figures of its games, and what the checks found."""

from collections import Counter
from datetime import datetime, timedelta
from statistics import median

from webapp.game_status import GameStatus
from webapp.simulated_year.checks import counts_by_cause, findings, strikes_by_turn
from webapp.simulated_year.evidence import Evidence

_DAY = timedelta(days=1)
_SHOWN_FINDINGS = 20
_TURN_END_KINDS = ("played", "late", "missed")


def report_of(evidence: Evidence) -> dict[str, object]:
    """Return the figures by name; the same year gives the same report."""
    records, all_findings = evidence.records, findings(evidence)
    lengths = _game_lengths(evidence)
    kinds = Counter(event.kind for event in records.events)
    turns = sum(kinds[kind] for kind in _TURN_END_KINDS)
    emails = Counter(email.kind for email in evidence.accepted_emails)
    finished_count = sum(game.status == GameStatus.FINISHED for game in records.games)
    return {
        "games": len(records.games),
        "games_finished": finished_count,
        "median_length_days": round(median(lengths), 1) if lengths else None,
        "longest_length_days": round(max(lengths), 1) if lengths else None,
        "turns": turns,
        "late_turns": kinds["late"],
        "defaults": kinds["missed"],
        "wrong_defaults": counts_by_cause(all_findings, "wrong_default"),
        "strikes": len(strikes_by_turn(records)),
        "wrong_strikes": counts_by_cause(all_findings, "wrong_strike"),
        "opened_seats": kinds["opened"],
        "undelivered_calls": kinds["undelivered"],
        "reminders": kinds["reminded"],
        "double_reminders": counts_by_cause(all_findings, "double_reminder"),
        "emails_in_quiet_hours": counts_by_cause(all_findings, "email_in_quiet_hours"),
        "unexplained_deadlines": counts_by_cause(all_findings, "unexplained_deadline"),
        "shifted_deadlines": kinds["shifted"],
        "emails": dict(sorted(emails.items())),
        "emails_per_turn": round(emails.total() / turns, 2) if turns else None,
        "emails_per_player": round(emails.total() / len(_players(evidence)), 1),
        "happened": dict(sorted(evidence.counts.items())),
        "findings": [
            f"{finding.check} ({finding.cause}): game {finding.game_id}, turn {finding.turn_seq}, {finding.at:%Y-%m-%d %H:%M:%S}"
            for finding in all_findings[:_SHOWN_FINDINGS]
        ],
    }


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
