"""`lodepost replay FILE`: a recorded game as a seat, an onlooker or, after its end, anybody saw it."""

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

RUNNING = sample_recorder(seats=3, seed=6).play_randomly(9).record()
FINISHED = sample_recorder(seats=4, seed=7, house=HouseRules(rounds=1)).play_randomly().record()


def saved(folder: Path, record: Record) -> str:
    path = folder / "some.game"
    path.write_text(write_record(record), encoding="utf-8")
    return str(path)


def replayed(folder: Path, capsys: pytest.CaptureFixture[str], record: Record, *words: str) -> str:
    assert main(["replay", saved(folder, record), *words]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


def refused(folder: Path, capsys: pytest.CaptureFixture[str], record: Record, *words: str) -> str:
    assert main(["replay", saved(folder, record), *words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("lodepost replay: ")
    return told.err


def test_every_turn_is_told_in_its_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = replayed(tmp_path, capsys, RUNNING)
    numbered = [line.partition(".")[0] for line in told.split("\n") if line[:1].isdigit()]
    turns = [number for number in numbered if number.isdecimal()]
    assert turns == [str(seq) for seq in range(10)]
    assert "0. Round 1 was dealt." in told
    assert "╔ ┃ ╗" in told


def test_an_onlooker_hears_nothing_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = replayed(tmp_path, capsys, RUNNING)
    assert "drew" not in told
    assert "Your hand" not in told
    assert "Waiting for" in told


def test_a_seat_hears_its_own_and_sees_its_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = replayed(tmp_path, capsys, RUNNING, "--seat", "2")
    assert "You drew" in told
    assert "Your hand: " in told
    assert "You are a " in told
    assert "Anna drew" not in told


def test_an_empty_hand_is_said_to_be_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder = sample_recorder(seats=3, seed=6).play_randomly(9)
    told = replayed(tmp_path, capsys, recorder.give_up(1).record(), "--seat", "2")
    assert "Your hand is empty." in told


def test_it_stops_at_the_turn_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = replayed(tmp_path, capsys, FINISHED, "--until", "3")
    assert "\n3. " in told
    assert "\n4. " not in told
    assert "Waiting for" in told


def test_a_finished_game_ends_with_its_winners(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = replayed(tmp_path, capsys, FINISHED)
    assert told.rstrip().split("\n")[-1].endswith(".")
    assert "The game is over" in told
    assert " drew" not in told


def test_a_finished_game_can_be_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = replayed(tmp_path, capsys, FINISHED, "--open")
    for name in ("Anna", "Žanete Ķēniņa"):
        assert f"{name} drew" in told


def test_a_running_game_cannot_be_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "has not ended" in refused(tmp_path, capsys, RUNNING, "--open")


def test_an_opened_game_can_be_stopped_early(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = replayed(tmp_path, capsys, FINISHED, "--open", "--until", "0")
    assert told.count("\n0. ") + told.startswith("0. ") == 1


def test_the_mine_is_drawn_only_when_it_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = replayed(tmp_path, capsys, RUNNING)
    changes = [
        any(isinstance(event, CardLaid | RockFell | GoalTurned | Dealt) for event in turn.events)
        for turn in RUNNING.turns
    ]
    assert 2 < sum(changes) < len(changes)
    assert told.count("━━S━━") == sum(changes)


def test_plain_signs_can_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = replayed(tmp_path, capsys, RUNNING, "--ascii", "--until", "0")
    assert "--S--" in told
    assert "━" not in told


@pytest.mark.parametrize("seat", ["0", "4"])
def test_a_seat_that_there_is_not_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seat: str
) -> None:
    assert "the seats 1 to 3" in refused(tmp_path, capsys, RUNNING, "--seat", seat)


def test_a_turn_that_there_is_not_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "the turns 0 to 9" in refused(tmp_path, capsys, RUNNING, "--until", "10")


@pytest.mark.parametrize("words", [["--seat", "two"], ["--until", "-1"], ["--seat", "1", "--open"]])
def test_what_is_asked_for_wrongly_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["replay", saved(tmp_path, RUNNING), *words])
    assert left.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_a_game_that_contradicts_itself_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = (*RUNNING.turns[:4], RUNNING.turns[2], *RUNNING.turns[4:])
    record = msgspec.structs.replace(RUNNING, turns=turns)
    assert "turn 4 cannot have happened" in refused(tmp_path, capsys, record)


def test_a_file_that_cannot_be_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "no.game"
    path.write_text("chess", encoding="utf-8")
    assert main(["replay", str(path)]) == 2
    assert "A game file of this release begins with" in capsys.readouterr().err


def test_names_cannot_work_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = replayed(tmp_path, capsys, eventful_record("en-2004", seats=8))
    assert not set(told) & set("\x1b\x07\x00\u202e\u2028\t")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp437"])
@pytest.mark.parametrize("words", [[], ["--ascii"]])
def test_a_terminal_without_our_signs_shows_others(
    tmp_path: Path, encoding: str, words: list[str]
) -> None:
    path = saved(tmp_path, eventful_record("lv-2009", seats=5))
    done = subprocess.run(
        [sys.executable, "-m", "webapp.cli", "replay", path, *words],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"0. Round 1 was dealt." in done.stdout


def test_whoever_stops_reading_is_no_error(tmp_path: Path) -> None:
    record = eventful_record("lv-2009", seats=5)
    command = [sys.executable, "-m", "webapp.cli", "replay", saved(tmp_path, record)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.wait(timeout=60) == 0
        assert running.stderr.read() == b""
