"""`lodepost simulate` prints correct statistics, and its game files can be verified and replayed."""

import json
from collections import Counter
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from engine.bots.evidence import SUSPICION_BY_TRAIT
from engine.bots.observed_rounds import ObservedRound, observed_rounds
from engine.bots.simulation import SimulationSettings, simulate
from webapp.cli import main
from webapp.commands.evidence_fit import samples_of_round
from webapp.commands.simulation_report import (
    matches_of,
    report_object,
    report_rows,
    share_won_by_saboteurs,
)

OutputCapture = pytest.CaptureFixture[str]


def simulation_statistics(capsys: OutputCapture, *options: str) -> dict[str, object]:
    assert main(["simulate", "--json", *options]) == 0
    statistics: dict[str, object] = json.loads(capsys.readouterr().out)
    return statistics


def test_statistics_count_games_rounds_endings_and_gold(capsys: OutputCapture) -> None:
    statistics = simulation_statistics(capsys, "--games", "4", "--players", "4", "--seed", "s")
    rounds_won, endings = statistics["rounds_won"], statistics["endings"]
    assert isinstance(rounds_won, dict)
    assert isinstance(endings, dict)
    assert statistics["games"] == 4
    assert statistics["rounds"] == sum(rounds_won.values()) == sum(endings.values()) == 12
    assert set(rounds_won) == {"diggers", "saboteurs", "nobody"}
    assert set(statistics) >= {"turns", "gold_paid", "seconds"}


def test_keen_bots_need_not_look_ahead(capsys: OutputCapture) -> None:
    statistics = simulation_statistics(
        capsys, "--games", "1", "--players", "4", "--diggers", "keen", "--rollouts", "0"
    )
    assert statistics["rounds"] == 3


@pytest.mark.parametrize("option", ["--diggers", "--saboteurs"])
def test_unknown_level_is_refused_with_those_that_are_known(
    capsys: OutputCapture, option: str
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["simulate", option, "brilliant"])
    assert exit_info.value.code == 2
    message = capsys.readouterr().err
    assert "brilliant" in message
    assert all(level in message for level in ("random", "easy", "steady", "keen"))


@pytest.mark.no_cover
def test_same_seed_gives_the_same_statistics(capsys: OutputCapture) -> None:
    first_output, second_output = (
        simulation_statistics(capsys, "--games", "3", "--seed", "seven") for _ in range(2)
    )
    assert first_output | {"seconds": 0} == second_output | {"seconds": 0}
    assert (
        first_output["turns"]
        != simulation_statistics(capsys, "--games", "3", "--seed", "eight")["turns"]
    )


def test_rounds_that_end_with_empty_hands_have_exactly_67_turns(capsys: OutputCapture) -> None:
    options = ("--rulebook", "lt-2009", "--diggers", "random", "--saboteurs", "random")
    statistics = simulation_statistics(
        capsys, "--games", "2", "--players", "7", "--seed", "0", *options
    )
    assert statistics["endings"] == {"exhausted": 6}
    assert statistics["turns"] == 6 * 67


def test_saved_games_can_be_verified_and_replayed(tmp_path: Path, capsys: OutputCapture) -> None:
    simulation_statistics(capsys, "--games", "2", "--save", str(tmp_path / "games"))
    saved_files = sorted((tmp_path / "games").iterdir())
    assert [path.name for path in saved_files] == ["simulated-1.game", "simulated-2.game"]
    for path in saved_files:
        assert main(["verify", str(path)]) == 0
    assert main(["replay", str(saved_files[0]), "--seat", "2", "--until", "9"]) == 0
    assert "9" in capsys.readouterr().out


def test_statistics_without_json_are_a_table(capsys: OutputCapture) -> None:
    assert main(["simulate", "--games", "1"]) == 0
    table = capsys.readouterr().out
    assert "rounds won" in table
    assert " no one\n" in table


@pytest.mark.parametrize(
    "options",
    [
        ["--players", "2"],
        ["--players", "11"],
        ["--rulebook", "xx"],
        ["--games", "0"],
        ["--rollouts", "few"],
    ],
)
def test_invalid_option_is_rejected(options: list[str], capsys: OutputCapture) -> None:
    with pytest.raises(SystemExit):
        main(["simulate", *options])
    assert options[1] in capsys.readouterr().err


def test_unwritable_folder_is_reported(tmp_path: Path, capsys: OutputCapture) -> None:
    existing_file = tmp_path / "file"
    existing_file.write_text("in the way")
    assert main(["simulate", "--games", "1", "--save", str(existing_file)]) == 2
    assert str(existing_file) in capsys.readouterr().err


def test_report_names_the_library_that_it_needs_or_prints_every_match(
    capsys: OutputCapture,
) -> None:
    options = ["--players", "5", "--games", "4", "--diggers", "random", "--saboteurs", "easy"]
    status = main(["simulate", "--report", *options])
    printed_output = capsys.readouterr()
    if find_spec("sklearn") is None:
        assert status == 2
        assert "scikit-learn" in printed_output.err
        return
    headings, *lines = printed_output.out.splitlines()
    assert "after 3" in headings
    assert [line.split()[1:3] for line in lines] == [
        ["random", "random"],
        ["random", "easy"],
        ["easy", "random"],
        ["easy", "easy"],
    ]


def test_report_is_one_json_object_with_named_fields() -> None:
    matches = [
        match._replace(rollouts=0) for match in matches_of("en-2004", [3], "random", "random")
    ]
    rows = report_rows(matches, games=2, seed=b"0", processes=1, auc=lambda *_: 0.5)
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


@pytest.mark.parametrize(
    "option, names", [("--report", {"rows"}), ("--evidence", {"traits", "log_loss"})]
)
def test_json_of_report_and_evidence_is_one_object_or_the_library_that_they_need_is_named(
    capsys: OutputCapture, option: str, names: set[str]
) -> None:
    status = main(["simulate", option, "--json", "--players", "3", "--games", "4"])
    printed_output = capsys.readouterr()
    if find_spec("sklearn") is None:
        assert (status, printed_output.out) == (2, "")
        assert "scikit-learn" in printed_output.err
        return
    assert set(json.loads(printed_output.out)) == names


def test_evidence_names_the_library_that_it_needs_or_fits_every_trait(
    capsys: OutputCapture,
) -> None:
    status = main(["simulate", "--evidence", "--players", "3", "--games", "4"])
    printed_output = capsys.readouterr()
    if find_spec("sklearn") is None:
        assert status == 2
        assert "scikit-learn" in printed_output.err
        return
    _, *lines, log_losses = printed_output.out.splitlines()
    assert [line[:18].rstrip() for line in lines] == list(SUSPICION_BY_TRAIT)
    assert "prior" in log_losses


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
