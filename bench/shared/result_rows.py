"""The rows of the result table: subject, anchor, ratio, target, and whether the target is met."""

import json
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from typing import TypeVar

TestbedType = TypeVar("TestbedType")
COLUMNS = ("metric", "subject", "anchor", "ratio", "target", "met", "anchor is")


class MissingRequirement(Exception):
    """This machine lacks something that a measurement needs; the message names it."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table. Without an anchor the subject itself is compared with the target."""

    metric: str
    subject: float | None
    anchor: float | None
    ratio: float | None
    target: str
    """A sign and a number, as in ">= 0.25"."""
    is_target_met: bool | None
    """None where nothing could be measured."""
    note: str


class RowWriter:
    """Writes the rows of a family to standard output, each as soon as it is measured."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets_left = dict(targets)

    def write_ratio(self, metric: str, pairs: Sequence[tuple[float, float]], note: str) -> None:
        """Write a subject and its anchor: medians over the pairs of all rounds; the note says how far the rounds lie apart."""
        subject, anchor = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratios = [subject_value / anchor_value for subject_value, anchor_value in pairs]
        spread = f"rounds {min(ratios):.2f} to {max(ratios):.2f}"
        self._write_row(
            metric,
            subject=subject,
            anchor=anchor,
            ratio=statistics.median(ratios),
            note=f"{note}; {spread}" if len(ratios) > 1 else note,
        )

    def write_figure(self, metric: str, value: float, note: str) -> None:
        """Write a figure that has no anchor."""
        self._write_row(metric, subject=value, anchor=None, ratio=None, note=note)

    def write_missing(self, reason: str) -> None:
        """Write every row that is left as not measured, with the reason."""
        for metric in list(self._targets_left):
            self._write_row(
                metric, subject=None, anchor=None, ratio=None, note=f"not measured: {reason}"
            )

    def _write_row(
        self,
        metric: str,
        *,
        subject: float | None,
        anchor: float | None,
        ratio: float | None,
        note: str,
    ) -> None:
        target = self._targets_left.pop(metric)
        judged_value = subject if ratio is None else ratio
        is_target_met = None if judged_value is None else meets_target(judged_value, target)
        row = Row(
            metric=metric,
            subject=subject,
            anchor=anchor,
            ratio=ratio,
            target=target,
            is_target_met=is_target_met,
            note=note,
        )
        print(json.dumps(asdict(row)), flush=True)


@contextmanager
def row_writer(targets: Mapping[str, str]) -> Iterator[RowWriter]:
    """Yield a writer; if a requirement is missing, write the remaining rows as not measured."""
    rows = RowWriter(targets)
    try:
        yield rows
    except MissingRequirement as missing:
        rows.write_missing(str(missing))


def meets_target(value: float, target: str) -> bool:
    """Return whether a value meets a target."""
    comparison, limit = target.split()
    return value >= float(limit) if comparison == ">=" else value <= float(limit)


def read_row(line: str) -> Row:
    """Parse a row that a family has written."""
    return Row(**json.loads(line))


def format_table(rows: Iterable[Row]) -> str:
    """Format all rows as an aligned text table."""
    lines = [COLUMNS, *map(_row_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_table_line(cells, widths) for cells in lines)


def _table_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    metric, *figures, target, target_result, note = cells
    column_widths = iter(widths)
    padded_cells = [
        metric.ljust(next(column_widths)),
        *(cell.rjust(next(column_widths)) for cell in figures),
    ]
    padded_cells += [cell.ljust(next(column_widths)) for cell in (target, target_result)]
    return "  ".join([*padded_cells, note]).rstrip()


def _row_cells(row: Row) -> tuple[str, ...]:
    target_result = {True: "met", False: "SHORT", None: "-"}[row.is_target_met]
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    return (
        row.metric,
        _format_figure(row.subject),
        _format_figure(row.anchor),
        ratio,
        row.target,
        target_result,
        row.note,
    )


def _format_figure(value: float | None) -> str:
    if value is None:
        return "-"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.3g}"


def log_progress(message: str) -> None:
    """Log progress to standard error."""
    print(f"bench: {message}", file=sys.stderr, flush=True)


Reporter = Callable[[TestbedType, RowWriter], None]


def run_reports(
    testbed: AbstractContextManager[TestbedType],
    targets_and_reporters: Sequence[tuple[Mapping[str, str], Reporter[TestbedType]]],
) -> None:
    """Run reporters on one testbed; if it or a reporter lacks a requirement, its rows say so and the others still run."""
    try:
        with testbed as started_testbed:
            for targets, report in targets_and_reporters:
                with row_writer(targets) as rows:
                    report(started_testbed, rows)
    except MissingRequirement as missing:
        for targets, _ in targets_and_reporters:
            RowWriter(targets).write_missing(str(missing))
