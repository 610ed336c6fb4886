"""The rows of the bench: ratios, targets, missing requirements and the table."""

import pytest

from bench.shared.interleaving import figure_and_anchor_pairs, interleaved_rounds
from bench.shared.result_rows import (
    MissingRequirement,
    Row,
    RowWriter,
    format_table,
    meets_target,
    read_row,
    row_writer,
)


def printed_rows(capsys: pytest.CaptureFixture[str]) -> list[Row]:
    return [read_row(line) for line in capsys.readouterr().out.splitlines()]


def test_ratio_is_the_median_of_the_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    RowWriter({"turns/s": ">= 0.25"}).write_ratio(
        "turns/s", [(10, 20), (30, 100), (90, 100)], "bare"
    )
    [row] = printed_rows(capsys)
    assert (row.subject, row.anchor, row.ratio, row.is_target_met) == (30, 100, 0.5, True)


@pytest.mark.parametrize(
    "value, target, is_met",
    [(2, "<= 2", True), (2.1, "<= 2", False), (6, ">= 6", True), (5.9, ">= 6", False)],
)
def test_target_is_a_comparison_and_a_number(value: float, target: str, is_met: bool) -> None:  # noqa: FBT001 - a column of the cases
    assert meets_target(value, target) is is_met


def test_missing_requirement_is_named_in_the_remaining_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with row_writer({"one": "<= 1", "other": "<= 1"}) as rows:
        rows.write_figure("one", 1, "")
        raise MissingRequirement("there is no pgbench")
    first_row, second_row = printed_rows(capsys)
    assert first_row.is_target_met is True
    assert (second_row.metric, second_row.subject, second_row.is_target_met) == (
        "other",
        None,
        None,
    )
    assert second_row.note == "not measured: there is no pgbench"


def test_table_has_aligned_columns(capsys: pytest.CaptureFixture[str]) -> None:
    rows = RowWriter({"turns/s": ">= 0.25", "bytes": "<= 250", "late": "<= 1"})
    rows.write_ratio("turns/s", [(1234.5, 2000)], "pgbench")
    rows.write_figure("bytes", 251.5, "")
    rows.write_missing("there is no node")
    assert format_table(printed_rows(capsys)).splitlines() == [
        "metric   subject  anchor  ratio  target   met    anchor is",
        "turns/s    1,234   2,000   0.62  >= 0.25  met    pgbench",
        "bytes        252       -      -  <= 250   SHORT",
        "late           -       -      -  <= 1     -      not measured: there is no node",
    ]


def test_every_round_is_measured_between_two_anchors() -> None:
    measured_names: list[str] = []

    def measure(name: str) -> float:
        measured_names.append(name)
        return float(len(measured_names))

    rounds = interleaved_rounds(lambda: measure("subject"), lambda: measure("anchor"), 2)
    assert measured_names == ["anchor", "subject", "anchor", "subject", "anchor"]
    assert figure_and_anchor_pairs(rounds, float, float) == [(2, 2), (4, 4)]
