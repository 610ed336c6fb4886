"""The rows of the bench: what is judged, what is told, and what is said where nothing can be measured."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bench.shared.interleaving import interleaved, pairs, quantile
from bench.shared.rows import (
    MissingRequirement,
    Row,
    RowWriter,
    format_table,
    holds,
    read_row,
    row_writer,
    run_reports,
)

KEYS = {"metric", "subject", "anchor", "ratio", "target", "met", "note"}


def told(capsys: pytest.CaptureFixture[str]) -> list[Row]:
    return [read_row(line) for line in capsys.readouterr().out.splitlines()]


def test_the_ratio_is_the_median_of_the_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    RowWriter({"turns/s": ">= 0.25"}).ratio("turns/s", [(10, 20), (30, 100), (90, 100)], "bare")
    [row] = told(capsys)
    assert (row.subject, row.anchor, row.ratio, row.met) == (30, 100, 0.5, True)


def test_a_figure_without_an_anchor_is_held_to_the_target_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    RowWriter({"bytes": "<= 250"}).figure("bytes", 251, "")
    [row] = told(capsys)
    assert (row.subject, row.ratio, row.met) == (251, None, False)


@pytest.mark.parametrize(
    "value, target, met",
    [(2, "<= 2", True), (2.1, "<= 2", False), (6, ">= 6", True), (5.9, ">= 6", False)],
)
def test_a_target_is_a_sign_and_a_number(value: float, target: str, met: bool) -> None:  # noqa: FBT001 - what the table of cases states
    assert holds(value, target) is met


def test_what_is_missing_is_named_and_neither_met_nor_short(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with row_writer({"one": "<= 1", "other": "<= 1"}) as rows:
        rows.figure("one", 1, "")
        raise MissingRequirement("there is no pgbench")
    one, other = told(capsys)
    assert one.met is True
    assert (other.metric, other.subject, other.met) == ("other", None, None)
    assert other.note == "not measured: there is no pgbench"


def test_what_one_report_misses_does_not_hold_up_the_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def lacks_node(_: int, rows: RowWriter) -> None:
        raise MissingRequirement("there is no node")

    def measures(testbed: int, rows: RowWriter) -> None:
        rows.figure("two", testbed, "")

    run_reports(stage_of(2), (({"one": "<= 1"}, lacks_node), ({"two": "<= 2"}, measures)))
    assert [row.met for row in told(capsys)] == [None, True]


def test_without_a_stage_every_row_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    def never(_: int, __: RowWriter) -> None:
        raise AssertionError

    run_reports(stage_without_redis(), (({"one": "<= 1"}, never), ({"two": "<= 2"}, never)))
    assert {row.note for row in told(capsys)} == {"not measured: there is no Redis"}


def test_a_row_as_json_has_all_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    RowWriter({"bytes": "<= 250"}).figure("bytes", 1, "of a turn")
    assert set(json.loads(capsys.readouterr().out)) == KEYS


def test_the_table_has_its_columns_under_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    rows = RowWriter({"turns/s": ">= 0.25", "bytes": "<= 250", "late": "<= 1"})
    rows.ratio("turns/s", [(1234.5, 2000)], "pgbench")
    rows.figure("bytes", 251.5, "")
    rows.missing("there is no node")
    assert format_table(told(capsys)).splitlines() == [
        "metric   subject  anchor  ratio  target   met    anchor is",
        "turns/s    1,234   2,000   0.62  >= 0.25  met    pgbench",
        "bytes        252       -      -  <= 250   SHORT",
        "late           -       -      -  <= 1     -      not measured: there is no node",
    ]


def test_every_round_stands_between_two_anchors() -> None:
    said: list[str] = []

    def measure(name: str) -> float:
        said.append(name)
        return float(len(said))

    rounds = interleaved(lambda: measure("ours"), lambda: measure("theirs"), 2)
    assert said == ["theirs", "ours", "theirs", "ours", "theirs"]
    assert pairs(rounds, float, float) == [(2, 2), (4, 4)]


def test_a_quantile_is_one_of_the_values() -> None:
    assert quantile([3, 1, 2], 0.5) == 2
    assert quantile([5], 0.99) == 5


@contextmanager
def stage_of(value: int) -> Iterator[int]:
    yield value


@contextmanager
def stage_without_redis() -> Iterator[int]:
    raise MissingRequirement("there is no Redis")
    yield 0
