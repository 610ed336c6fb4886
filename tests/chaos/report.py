"""The report of a run: what was done, and what was lost."""

from collections import Counter
from collections.abc import Iterator

from tests.chaos.history import RULES
from tests.chaos.run import Outcome

_SHOWN = 5


def format_report(outcome: Outcome) -> str:
    return "\n".join(
        ["What was done", *_aligned(_done(outcome)), "", "What was lost", *_lost(outcome)]
    )


def _done(outcome: Outcome) -> Iterator[tuple[str, str]]:
    stored, log, injector = outcome.evidence.stored, outcome.log, outcome.injector
    yield "turns by source", _counts(turn.by for turn in stored.turns if turn.seat is not None)
    yield "turns acknowledged to players", str(len(log.acknowledged))
    yield "games", _counts(game.status for game in stored.games)
    yield "responses to players", _format_counts(log.responses)
    yield "emails", _counts(email.status for email in stored.emails)
    yield (
        "reasons for dropped emails",
        _counts(email.reason or "" for email in stored.emails if email.status == "dropped"),
    )
    accepted = outcome.evidence.accepted
    yield "messages accepted by the relay", str(accepted.total())
    yield "of these duplicates", str(accepted.total() - len(accepted))
    yield (
        "email delay after Redis started",
        ", ".join(f"{seconds:.1f} s" for seconds in injector.email_delays),
    )
    yield "tracebacks in logs", str(outcome.tracebacks)
    yield "faults", str(injector.count())
    yield from ((f"  {name}", str(times)) for name, times in injector.injected.items())
    if injector.deployment.disk is None:
        yield "  disk full", "not tried: a small disk needs root and mount"


def _lost(outcome: Outcome) -> Iterator[str]:
    counted = Counter(loss.rule for loss in outcome.lost)
    yield from _aligned((rule, str(counted[rule])) for rule in RULES)
    for rule in counted:
        descriptions = [loss.description for loss in outcome.lost if loss.rule == rule]
        yield ""
        yield f"LOST: {rule}"
        yield from (f"  {description}" for description in descriptions[:_SHOWN])
        if len(descriptions) > _SHOWN:
            yield f"  and {len(descriptions) - _SHOWN} more"


def _aligned(rows: Iterator[tuple[str, str]]) -> list[str]:
    listed = list(rows)
    width = max(len(name) for name, _ in listed)
    return [f"  {name:{width}}  {value or '-'}" for name, value in listed]


def _counts(values: Iterator[str]) -> str:
    return _format_counts(Counter(values))


def _format_counts(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))
