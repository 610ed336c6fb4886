"""`lodepost simulate` prints correct statistics, and its game files can be verified and replayed."""

import json
from pathlib import Path

import pytest

from webapp.cli import main

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
