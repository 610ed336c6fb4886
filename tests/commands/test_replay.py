"""`lodepost replay FILE`: a recorded game as a seat, an onlooker or, after its end, an observer saw it."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.events import CardLaid, Dealt, GoalTurned, RockFell
from engine.record import Record, write_record
from engine.rulebook import HouseRules
from tests.support.engine.sample_games import eventful_record, sample_recorder
from webapp.cli import main

RUNNING_GAME = sample_recorder(seats=3, seed=6).play_randomly(9).record()
FINISHED_GAME = (
    sample_recorder(seats=4, seed=7, house=HouseRules(rounds=1)).play_randomly().record()
)


def save_record(folder: Path, record: Record) -> str:
    path = folder / "some.game"
    path.write_text(write_record(record), encoding="utf-8")
    return str(path)


def replay_output(
    folder: Path, capsys: pytest.CaptureFixture[str], record: Record, *options: str
) -> str:
    assert main(["replay", save_record(folder, record), *options]) == 0
    printed_text = capsys.readouterr()
    assert printed_text.err == ""
    return printed_text.out


def replay_error(
    folder: Path, capsys: pytest.CaptureFixture[str], record: Record, *options: str
) -> str:
    assert main(["replay", save_record(folder, record), *options]) == 2
    printed_text = capsys.readouterr()
    assert printed_text.out == ""
    assert printed_text.err.startswith("lodepost replay: ")
    return printed_text.err


def test_every_turn_is_printed_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed_text = replay_output(tmp_path, capsys, RUNNING_GAME)
    turn_numbers = [
        line.partition(".")[0] for line in printed_text.split("\n") if line[:1].isdigit()
    ]
    turns = [number for number in turn_numbers if number.isdecimal()]
    assert turns == [str(seq) for seq in range(10)]
    assert "0. Round 1 is dealt." in printed_text
    assert "╔ ┃ ╗" in printed_text


def test_observer_sees_nothing_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed_text = replay_output(tmp_path, capsys, RUNNING_GAME)
    assert "drew" not in printed_text
    assert "Your hand" not in printed_text
    assert "Waiting for" in printed_text


def test_seat_sees_its_own_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed_text = replay_output(tmp_path, capsys, RUNNING_GAME, "--seat", "2")
    assert "You drew" in printed_text
    assert "Your hand: " in printed_text
    assert "You're a " in printed_text
    assert "Anna drew" not in printed_text


def test_empty_hand_is_printed_as_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorder = sample_recorder(seats=3, seed=6).play_randomly(9)
    printed_text = replay_output(tmp_path, capsys, recorder.give_up(1).record(), "--seat", "2")
    assert "Your hand is empty." in printed_text


def test_replay_stops_at_the_given_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed_text = replay_output(tmp_path, capsys, FINISHED_GAME, "--until", "3")
    assert "\n3. " in printed_text
    assert "\n4. " not in printed_text
    assert "Waiting for" in printed_text


def test_replay_of_a_finished_game_ends_with_the_winners(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed_text = replay_output(tmp_path, capsys, FINISHED_GAME)
    assert printed_text.rstrip().split("\n")[-1].endswith(".")
    assert "The game is over" in printed_text
    assert " drew" not in printed_text


def test_finished_game_can_be_shown_with_all_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed_text = replay_output(tmp_path, capsys, FINISHED_GAME, "--open")
    for name in ("Anna", "Žanete Ķēniņa"):
        assert f"{name} drew" in printed_text


def test_running_game_cannot_be_shown_with_all_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not finished" in replay_error(tmp_path, capsys, RUNNING_GAME, "--open")


def test_replay_with_all_secrets_can_stop_early(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed_text = replay_output(tmp_path, capsys, FINISHED_GAME, "--open", "--until", "0")
    assert printed_text.count("\n0. ") + printed_text.startswith("0. ") == 1


def test_mine_is_drawn_only_after_a_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed_text = replay_output(tmp_path, capsys, RUNNING_GAME)
    mine_changed_by_turn = [
        any(isinstance(event, CardLaid | RockFell | GoalTurned | Dealt) for event in turn.events)
        for turn in RUNNING_GAME.turns
    ]
    assert 2 < sum(mine_changed_by_turn) < len(mine_changed_by_turn)
    assert printed_text.count("━━S━━") == sum(mine_changed_by_turn)


def test_ascii_option_draws_with_ascii_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed_text = replay_output(tmp_path, capsys, RUNNING_GAME, "--ascii", "--until", "0")
    assert "--S--" in printed_text
    assert "━" not in printed_text


@pytest.mark.parametrize("seat", ["0", "4"])
def test_seat_out_of_range_is_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seat: str
) -> None:
    assert "seats 1 to 3" in replay_error(tmp_path, capsys, RUNNING_GAME, "--seat", seat)


def test_turn_out_of_range_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "turns 0 to 9" in replay_error(tmp_path, capsys, RUNNING_GAME, "--until", "10")


@pytest.mark.parametrize(
    "options", [["--seat", "two"], ["--until", "-1"], ["--seat", "1", "--open"]]
)
def test_invalid_options_are_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    with pytest.raises(SystemExit) as error_info:
        main(["replay", save_record(tmp_path, RUNNING_GAME), *options])
    assert error_info.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_impossible_game_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = (*RUNNING_GAME.turns[:4], RUNNING_GAME.turns[2], *RUNNING_GAME.turns[4:])
    record = msgspec.structs.replace(RUNNING_GAME, turns=turns)
    assert "Turn 4 of this file is impossible" in replay_error(tmp_path, capsys, record)


def test_unreadable_file_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no.game"
    path.write_text("chess", encoding="utf-8")
    assert main(["replay", str(path)]) == 2
    assert "A game file of this version starts with" in capsys.readouterr().err


def test_output_contains_no_control_characters_of_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed_text = replay_output(tmp_path, capsys, eventful_record("en-2004", seats=8))
    assert not set(printed_text) & set("\x1b\x07\x00\u202e\u2028\t")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp437"])
@pytest.mark.parametrize("options", [[], ["--ascii"]])
def test_terminal_with_another_encoding_shows_replacements(
    tmp_path: Path, encoding: str, options: list[str]
) -> None:
    path = save_record(tmp_path, eventful_record("lv-2009", seats=5))
    completed_process = subprocess.run(
        [sys.executable, "-m", "webapp.cli", "replay", path, *options],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (completed_process.returncode, completed_process.stderr) == (0, b"")
    assert b"0. Round 1 is dealt." in completed_process.stdout


def test_closed_output_pipe_is_no_error(tmp_path: Path) -> None:
    record = eventful_record("lv-2009", seats=5)
    command = [sys.executable, "-m", "webapp.cli", "replay", save_record(tmp_path, record)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as replay_process:
        assert replay_process.stdout is not None
        assert replay_process.stderr is not None
        replay_process.stdout.readline()
        replay_process.stdout.close()
        assert replay_process.wait(timeout=240) == 0
        assert replay_process.stderr.read() == b""
