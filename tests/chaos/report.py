"""The report of a run: what was done, and what was lost."""

from collections import Counter
from collections.abc import Iterator

from tests.chaos.history import DEFAULT_RULE, RULES
from tests.chaos.run import RunOutcome

_MAX_SHOWN_VIOLATIONS = 5


def format_report(outcome: RunOutcome) -> str:
    return "\n".join(
        [
            "What was done",
            *_aligned_lines(_activity_rows(outcome)),
            "",
            "What was lost",
            *_violation_lines(outcome),
        ]
    )


def _activity_rows(outcome: RunOutcome) -> Iterator[tuple[str, str]]:
    stored_data, log, injector = outcome.evidence.stored_data, outcome.log, outcome.injector
    yield (
        "turns by source",
        _format_value_counts(turn.by for turn in stored_data.turns if turn.seat is not None),
    )
    yield "turns acknowledged to players", str(len(log.acknowledged_turns))
    yield "answers by email accepted", str(len(log.accepted_emails))
    wrong_default_count = sum(
        violation.rule == DEFAULT_RULE for violation in outcome.found_violations
    )
    yield "players defaulted wrongly", str(wrong_default_count)
    yield "games", _format_value_counts(game.status for game in stored_data.games)
    yield "responses to players", _format_counts(log.responses)
    yield "emails", _format_value_counts(email.status for email in stored_data.emails)
    yield (
        "reasons for dropped emails",
        _format_value_counts(
            email.reason or "" for email in stored_data.emails if email.status == "dropped"
        ),
    )
    relay_counts = outcome.evidence.accepted_counts
    yield "messages accepted by the relay", str(relay_counts.total())
    yield "of these duplicates", str(relay_counts.total() - len(relay_counts))
    yield (
        "email delay after Redis started",
        ", ".join(f"{seconds:.1f} s" for seconds in injector.email_delays),
    )
    yield "tracebacks in logs", str(outcome.traceback_count)
    yield "faults", str(injector.count())
    for name, injection_count in injector.injected_counts.items():
        effects = _format_counts(injector.long_faults.effects.get(name, Counter()))
        yield f"  {name}", f"{injection_count}" + (f" ({effects})" if effects else "")
    if injector.deployment.disk is None:
        yield "  disk full", "not tried: a small disk needs root and mount"


def _violation_lines(outcome: RunOutcome) -> Iterator[str]:
    violation_counts = Counter(violation.rule for violation in outcome.found_violations)
    yield from _aligned_lines((rule, str(violation_counts[rule])) for rule in RULES)
    for rule in violation_counts:
        descriptions = [
            violation.description
            for violation in outcome.found_violations
            if violation.rule == rule
        ]
        yield ""
        yield f"LOST: {rule}"
        yield from (f"  {description}" for description in descriptions[:_MAX_SHOWN_VIOLATIONS])
        if len(descriptions) > _MAX_SHOWN_VIOLATIONS:
            yield f"  and {len(descriptions) - _MAX_SHOWN_VIOLATIONS} more"


def _aligned_lines(rows: Iterator[tuple[str, str]]) -> list[str]:
    listed_rows = list(rows)
    width = max(len(name) for name, _ in listed_rows)
    return [f"  {name:{width}}  {value or '-'}" for name, value in listed_rows]


def _format_value_counts(values: Iterator[str]) -> str:
    return _format_counts(Counter(values))


def _format_counts(counts_by_name: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts_by_name.items()))
