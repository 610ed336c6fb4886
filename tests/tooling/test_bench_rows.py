"""The rows of the bench show medians, missed targets and what could not be measured."""

import pytest

from bench.shared.result_rows import MissingRequirement, format_table, read_row, row_writer


def test_table_shows_medians_missed_targets_and_missing_requirements(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with row_writer({"turns/s": ">= 0.25", "bytes": "<= 250", "late": "<= 1"}) as rows:
        rows.write_ratio("turns/s", [(10, 20), (1234.5, 2000), (9000, 10000)], "pgbench")
        rows.write_figure("bytes", 251.5, "")
        raise MissingRequirement("there is no node")
    printed_rows = [read_row(line) for line in capsys.readouterr().out.splitlines()]
    assert format_table(printed_rows).splitlines() == [
        "metric   subject  anchor  ratio  target   met    anchor is",
        "turns/s    1,234   2,000   0.62  >= 0.25  met    pgbench; rounds 0.50 to 0.90",
        "bytes        252       -      -  <= 250   SHORT",
        "late           -       -      -  <= 1     -      not measured: there is no node",
    ]
