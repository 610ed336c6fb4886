"""`lodepost verify FILE`: everything about a game, checked offline and said in sentences."""

from pathlib import Path

import msgspec
import pytest

from engine.errors import Expected, ParseError, Reason
from engine.fairness import FrozenTable
from engine.record import Record, write_record
from engine.rulebook import HouseRules
from engine.verification import FlawCode, VerificationFinding
from tests.support.engine.sample_games import eventful_record, sample_recorder
from webapp.cli import main
from webapp.i18n import language_for
from webapp.wording.findings import finding_sentence
from webapp.wording.unreadable import unreadable

WHOLE = sample_recorder(seats=3, seed=3, house=HouseRules(rounds=1)).play_randomly().record()


def saved(folder: Path, content: str | bytes) -> str:
    path = folder / "some.game"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("rulebook", ["lv-2009", "et-2007"])
def test_a_fair_game_is_said_to_be_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rulebook: str
) -> None:
    assert main(["verify", saved(tmp_path, write_record(eventful_record(rulebook)))]) == 0
    told = capsys.readouterr()
    assert "The game was played to its end." in told.out
    assert told.out.endswith("Everything that was checked is right.\n")
    assert told.err == ""


def test_how_much_was_checked_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", saved(tmp_path, write_record(sample_recorder().record()))]) == 0
    assert capsys.readouterr().out.split("\n")[:3] == [
        "1 deal is as the secrets give it.",
        "1 turn is as the rules have it.",
        "The game did not come to its end.",
    ]


def test_a_game_that_was_tampered_with_is_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seat = msgspec.structs.replace(WHOLE.table.seats[0], salt=b"!")
    table = msgspec.structs.replace(WHOLE.table, seats=(seat, *WHOLE.table.seats[1:]))
    turns = (*WHOLE.turns[:3], *WHOLE.turns[4:])
    record = Record(table=table, freeze=WHOLE.freeze, turns=turns, secrets=WHOLE.secrets)
    assert main(["verify", saved(tmp_path, write_record(record))]) == 1
    told = capsys.readouterr().out
    assert "This is not right:" in told
    assert "the seats, their names or their salt" in told
    assert "  - Turn 3: the rules do not allow this action. The game is waiting" in told


def test_a_file_that_cannot_be_read_is_refused_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, write_record(WHOLE).replace("turn 2", "turn two"))
    assert main(["verify", path]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"lodepost verify: {path}: Line ")
    assert "A seat of this table belongs here" in told.err
    assert told.err.endswith("Found: two\n")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"\x00" * 100, b"x" * 5_000_000])
def test_whatever_else_a_file_holds_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    assert main(["verify", saved(tmp_path, content)]) == 2
    assert capsys.readouterr().err.startswith("lodepost verify: ")


def test_a_file_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path, tmp_path / "missing.game"):
        assert main(["verify", str(path)]) == 2
        assert capsys.readouterr().err.startswith(f"lodepost verify: {path}: ")


def test_a_device_without_end_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "/dev/zero"]) == 2
    assert "too large" in capsys.readouterr().err


def test_what_a_file_says_cannot_work_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["verify", saved(tmp_path, b"\x1b[2J\x1b]0;evil\x07")])
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("flaw", FlawCode)
def test_every_flaw_has_its_sentence(flaw: FlawCode) -> None:
    details = {
        FlawCode.FREEZE_DIFFERS: FrozenTable.__struct_fields__,
        FlawCode.ACTION_REFUSED: tuple(Reason),
    }.get(flaw, ("round-1",))
    for detail in details:
        told = finding_sentence(VerificationFinding(flaw, 7, str(detail)), language_for("en"))
        assert told[0].isupper()
        assert told.endswith(".")
        assert "%(" not in told


@pytest.mark.parametrize("wanted", Expected)
def test_every_reason_why_something_cannot_be_read_has_its_sentence(wanted: Expected) -> None:
    told = unreadable(ParseError(wanted, found="x", form="a b", line=3), language_for("en"))
    assert told.startswith("Line 3: ")
    assert told.endswith(" Found: x")
    assert "%(" not in told


def test_notation_outside_a_file_is_refused_without_a_line() -> None:
    told = unreadable(ParseError(Expected.END), language_for("en"))
    assert told == "The text should end here."
