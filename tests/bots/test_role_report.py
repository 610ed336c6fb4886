"""The report on hiding roles plays the right matches, counts their rounds, and prints a row for each."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from bench.roles.evidence_fit import EvidenceFit, TraitWeight, samples_of_round
from bench.roles.observed_rounds import ObservedRound, observed_rounds
from bench.roles.report import (
    ReportRow,
    matches_of,
    report_lines,
    report_object,
    report_rows,
    share_won_by_saboteurs,
)
from engine.bots.policy import Level
from engine.bots.simulation import SimulationSettings, simulate

ROOT = Path(__file__).parents[2]


def rows_of(size: int, diggers: Level, saboteurs: Level, *, games: int) -> Iterator[ReportRow]:
    """Play the matches and yield their rows, whose AUC needs no library here."""
    matches = matches_of("en-2004", [size], diggers, saboteurs)
    return report_rows(matches, games=games, seed=b"0", processes=1, auc=lambda *_: 0.5)


def test_report_has_a_line_for_every_match() -> None:
    headings, *lines = report_lines(rows_of(5, "random", "easy", games=1))
    assert "after 3" in headings
    assert [line.split()[1:3] for line in lines] == [
        ["random", "random"],
        ["random", "easy"],
        ["easy", "random"],
        ["easy", "easy"],
    ]


def test_report_is_one_json_object_with_named_fields() -> None:
    rows = rows_of(3, "random", "random", games=2)
    report: dict[str, Any] = json.loads(json.dumps(report_object(rows)))
    [row] = report["rows"]
    assert 0 <= row.pop("won_by_saboteurs") <= 1
    assert row == {
        "players": 3,
        "diggers": "random",
        "saboteurs": "random",
        "rounds": 6,
        "auc": {"after_1": 0.5, "after_3": 0.5, "after_all": 0.5},
    }


def test_evidence_is_a_line_for_every_trait_or_one_json_object() -> None:
    fit = EvidenceFit({"block": TraitWeight(now=1.0, fitted=1.25)}, {"prior": 0.5, "now": 0.25})
    assert list(fit.lines())[1:] == [
        "block                1.00   1.25",
        "log loss: prior 0.500, now 0.250",
    ]
    assert fit.json_object() == {
        "traits": {"block": {"now": 1.0, "fitted": 1.25}},
        "log_loss": {"prior": 0.5, "now": 0.25},
    }


def test_evidence_is_sampled_after_each_circle_of_turns() -> None:
    settings = SimulationSettings(
        rulebook="en-2004", players=4, levels={"digger": "steady", "saboteur": "steady"}
    )
    game = simulate(settings, name="sampled", seed=b"evidence")
    observed_round = next(observed_rounds(game))
    samples = list(samples_of_round(observed_round))
    assert len(samples) == 4 * ceil(len(observed_round.actions) / 4)
    assert {sample.prior for sample in samples} == {0.2}
    totals = [sum(sample.traits[:4]) for sample in samples[-4:]]
    lays = Counter(action.seat for action in observed_round.actions if action.kind == "lay")
    assert totals == [lays[seat] for seat in range(4)]


def test_report_plays_each_level_against_itself_and_the_other() -> None:
    matches = matches_of("en-2004", [3, 10], "keen", "steady")
    assert len(matches) == 8
    assert [match[2:4] for match in matches_of("en-2004", [4], "easy", "easy")] == [
        ("easy", "easy")
    ]


def test_share_won_by_saboteurs_counts_rounds_that_have_any() -> None:
    won_round = ObservedRound(("saboteur", "digger", "digger"), "saboteurs", ())
    rounds = [
        won_round,
        won_round._replace(winners="diggers"),
        ObservedRound(("digger",) * 3, "nobody", ()),
    ]
    assert share_won_by_saboteurs(rounds) == 0.5


@pytest.mark.parametrize("options", [["--players", "2"], ["--diggers", "brilliant"]])
def test_invalid_option_is_rejected(options: list[str]) -> None:
    # Not through dev.py, which would install the benchmark libraries in the environment of this test.
    command = [sys.executable, "-P", "-m", "bench.roles", *options]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    completed_process = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False
    )
    assert completed_process.returncode == 2
    assert options[1] in completed_process.stderr
