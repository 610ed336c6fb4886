"""The rows of the one table: what was measured, beside what, and whether it is enough."""

import json
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from typing import TypeVar

T = TypeVar("T")
HEADS = ("metric", "subject", "anchor", "ratio", "target", "met", "anchor is")


class Missing(Exception):
    """This machine has not what a measurement needs; the message says what."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table. Without an anchor the subject itself is held to the target."""

    metric: str
    subject: float | None
    anchor: float | None
    ratio: float | None
    target: str
    """A sign and a number, as in ">= 0.25"."""
    met: bool | None
    """None where nothing could be measured."""
    note: str


class Sheet:
    """The rows that a family owes: each is told as soon as it is known."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._owed = dict(targets)

    def ratio(self, metric: str, pairs: Sequence[tuple[float, float]], note: str) -> None:
        """Tell a subject beside its anchor, from the pairs of all rounds."""
        subject, anchor = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        self._tell(metric, subject=subject, anchor=anchor, ratio=ratio, note=note)

    def figure(self, metric: str, value: float, note: str) -> None:
        """Tell a figure that stands for itself."""
        self._tell(metric, subject=value, anchor=None, ratio=None, note=note)

    def missing(self, reason: str) -> None:
        """Tell that nothing more can be measured, and why."""
        for metric in list(self._owed):
            self._tell(
                metric, subject=None, anchor=None, ratio=None, note=f"not measured: {reason}"
            )

    def _tell(
        self,
        metric: str,
        *,
        subject: float | None,
        anchor: float | None,
        ratio: float | None,
        note: str,
    ) -> None:
        target = self._owed.pop(metric)
        judged = subject if ratio is None else ratio
        met = None if judged is None else holds(judged, target)
        row = Row(
            metric=metric,
            subject=subject,
            anchor=anchor,
            ratio=ratio,
            target=target,
            met=met,
            note=note,
        )
        print(json.dumps(asdict(row)), flush=True)


@contextmanager
def sheet(targets: Mapping[str, str]) -> Iterator[Sheet]:
    """A sheet whose remaining rows are told as not measured when something is missing."""
    rows = Sheet(targets)
    try:
        yield rows
    except Missing as missing:
        rows.missing(str(missing))


def holds(value: float, target: str) -> bool:
    """Whether a value is what a target asks for."""
    sign, limit = target.split()
    return value >= float(limit) if sign == ">=" else value <= float(limit)


def read_row(line: str) -> Row:
    """A row as a family told it."""
    return Row(**json.loads(line))


def table_of(rows: Iterable[Row]) -> str:
    """All rows, under each other."""
    lines = [HEADS, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(cells, widths) for cells in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    metric, *figures, target, met, note = cells
    wide = iter(widths)
    parts = [metric.ljust(next(wide)), *(each.rjust(next(wide)) for each in figures)]
    parts += [each.ljust(next(wide)) for each in (target, met)]
    return "  ".join([*parts, note]).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    met = {True: "met", False: "SHORT", None: "-"}[row.met]
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    return (row.metric, _figure(row.subject), _figure(row.anchor), ratio, row.target, met, row.note)


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.3g}"


def say(words: str) -> None:
    """Tell whoever waits how far it is."""
    print(f"bench: {words}", file=sys.stderr, flush=True)


Report = Callable[[T, Sheet], None]


def tell_all(
    stage: AbstractContextManager[T], reports: Sequence[tuple[Mapping[str, str], Report[T]]]
) -> None:
    """Run reports on one stage; where it or a report misses something, the rows say so and the rest goes on."""
    try:
        with stage as ready:
            for targets, report in reports:
                with sheet(targets) as rows:
                    report(ready, rows)
    except Missing as missing:
        for targets, _ in reports:
            Sheet(targets).missing(str(missing))
