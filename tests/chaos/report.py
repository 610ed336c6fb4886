"""The table at the end: what was done, and what was lost."""

from collections import Counter
from collections.abc import Iterator

from tests.chaos.history import RULES
from tests.chaos.run import Outcome

_SHOWN = 5


def table_of(outcome: Outcome) -> str:
    return "\n".join(
        ["What was done", *_aligned(_done(outcome)), "", "What was lost", *_lost(outcome)]
    )


def _done(outcome: Outcome) -> Iterator[tuple[str, str]]:
    stored, notes, troubles = outcome.evidence.stored, outcome.notes, outcome.troubles
    yield "turns by whom", _counts(turn.by for turn in stored.turns if turn.seat is not None)
    yield "turns acknowledged to players", str(len(notes.won))
    yield "games", _counts(game.status for game in stored.games)
    yield "answers to players", _told(notes.answers)
    yield "letters", _counts(letter.status for letter in stored.letters)
    yield (
        "letters dropped because",
        _counts(letter.reason or "" for letter in stored.letters if letter.status == "dropped"),
    )
    accepted = outcome.evidence.accepted
    yield "messages taken by the relay", str(accepted.total())
    yield "of these doubles", str(accepted.total() - len(accepted))
    yield (
        "after Redis came back letters took",
        ", ".join(f"{seconds:.1f} s" for seconds in troubles.followed),
    )
    yield "tracebacks in logs", str(outcome.tracebacks)
    yield "troubles", str(troubles.count())
    yield from ((f"  {name}", str(times)) for name, times in troubles.struck.items())
    if troubles.here.disk is None:
        yield "  disk full", "not tried: a small disk needs root and mount"


def _lost(outcome: Outcome) -> Iterator[str]:
    counted = Counter(loss.rule for loss in outcome.lost)
    yield from _aligned((rule, str(counted[rule])) for rule in RULES)
    for rule in counted:
        found = [loss.words for loss in outcome.lost if loss.rule == rule]
        yield ""
        yield f"LOST: {rule}"
        yield from (f"  {words}" for words in found[:_SHOWN])
        if len(found) > _SHOWN:
            yield f"  and {len(found) - _SHOWN} more"


def _aligned(rows: Iterator[tuple[str, str]]) -> list[str]:
    kept = list(rows)
    wide = max(len(name) for name, _ in kept)
    return [f"  {name:{wide}}  {value or '-'}" for name, value in kept]


def _counts(values: Iterator[str]) -> str:
    return _told(Counter(values))


def _told(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))
