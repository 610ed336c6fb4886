"""`lodepost verify FILE` checks a game offline and prints its findings."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from engine.commitments import FrozenTable
from engine.errors import ExpectedText, ParseError, Reason
from engine.record import Record, write_record
from engine.rulebook import HouseRules
from engine.verification import Flaw, FlawCode
from tests.support.engine.sample_games import eventful_record, sample_recorder
from webapp.cli import main
from webapp.kernel.i18n import language_for
from webapp.wording.game_files import flaw_sentence, short_head, unreadable_text

COMPLETE_RECORD = (
    sample_recorder(seats=3, seed=3, house=HouseRules(rounds=1)).play_randomly().record()
)


def saved_file(folder: Path, content: str | bytes) -> str:
    path = folder / "some.game"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("rulebook", ["lv-2009", "et-2007"])
def test_correct_game_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rulebook: str
) -> None:
    assert main(["verify", saved_file(tmp_path, write_record(eventful_record(rulebook)))]) == 0
    printed_text = capsys.readouterr()
    assert "The game was played to the end." in printed_text.out
    assert printed_text.out.endswith("Everything that was checked is correct.\n")
    assert printed_text.err == ""


def test_output_says_how_much_was_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", saved_file(tmp_path, write_record(sample_recorder().record()))]) == 3
    printed_lines = capsys.readouterr().out.split("\n")
    assert printed_lines[7:10] == [
        "1 deal matches the secrets.",
        "1 turn follows the rules.",
        "The game isn't finished.",
    ]
    assert printed_lines[10].startswith("Who acted is the server's word")


def test_output_has_the_fingerprints_of_the_emails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["verify", saved_file(tmp_path, write_record(COMPLETE_RECORD))])
    printed_lines = capsys.readouterr().out.split("\n")
    digest = hashlib.sha256(COMPLETE_RECORD.freeze).hexdigest()
    labels = ("gold", "round-1", "round-2", "round-3")
    assert printed_lines[1:7] == [
        *map("  {}: {}".format, labels, COMPLETE_RECORD.table.commitments),
        f"  deal record: {digest}",
        f"  turns up to turn {len(COMPLETE_RECORD.turns) - 1}: {COMPLETE_RECORD.head}",
    ]


def test_unfinished_game_has_its_own_exit_status(tmp_path: Path) -> None:
    record = sample_recorder().play_randomly(9).record()
    assert main(["verify", saved_file(tmp_path, write_record(record))]) == 3


@pytest.mark.parametrize("form", ["{}", "{} ", "{:.20}", "short", "{:.64}"])
def test_fingerprint_of_an_email_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert COMPLETE_RECORD.head is not None
    head = form.format(COMPLETE_RECORD.head)
    head = short_head(COMPLETE_RECORD.head).upper() if form == "short" else head
    path = saved_file(tmp_path, write_record(COMPLETE_RECORD))
    assert main(["verify", path, "--head", head]) == 0
    printed_text = capsys.readouterr().out
    assert f"is that of turn {len(COMPLETE_RECORD.turns) - 1}: up to there" in printed_text
    assert "add --head" not in printed_text


def test_fingerprint_that_no_turn_has_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved_file(tmp_path, write_record(COMPLETE_RECORD))
    assert COMPLETE_RECORD.head is not None
    heads = ["--head", COMPLETE_RECORD.head, "--head", "1234 5678 9abc def0 1234"]
    assert main(["verify", path, *heads]) == 1
    assert "the fingerprint 1234 5678 9abc def0 1234: this isn't" in capsys.readouterr().out


@pytest.mark.parametrize("head", ["", "1234", "g" * 20, "0" * 65])
def test_text_that_is_no_fingerprint_is_refused(tmp_path: Path, head: str) -> None:
    path = saved_file(tmp_path, write_record(COMPLETE_RECORD))
    with pytest.raises(SystemExit) as exit_info:
        main(["verify", path, "--head", head])
    assert exit_info.value.code == 2


def test_tampered_game_fails_with_its_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seat = msgspec.structs.replace(COMPLETE_RECORD.table.seats[0], salt=b"!")
    table = msgspec.structs.replace(
        COMPLETE_RECORD.table, seats=(seat, *COMPLETE_RECORD.table.seats[1:])
    )
    turns = (*COMPLETE_RECORD.turns[:3], *COMPLETE_RECORD.turns[4:])
    record = Record(
        table=table, freeze=COMPLETE_RECORD.freeze, turns=turns, secrets=COMPLETE_RECORD.secrets
    )
    assert main(["verify", saved_file(tmp_path, write_record(record))]) == 1
    printed_text = capsys.readouterr().out
    assert "These things are wrong:" in printed_text
    assert "the seats, their names or their random words" in printed_text
    assert "  - Turn 3: the rules don't allow this action. It's another player" in printed_text


def test_unreadable_file_is_rejected_with_the_line_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved_file(tmp_path, write_record(COMPLETE_RECORD).replace("turn 2", "turn two"))
    assert main(["verify", path]) == 2
    printed_text = capsys.readouterr()
    assert printed_text.out == ""
    assert printed_text.err.startswith(f"lodepost verify: {path}: Line ")
    assert "Expected the number of a seat at this table" in printed_text.err
    assert printed_text.err.endswith("Found: two\n")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"\x00" * 100, b"x" * 5_000_000])
def test_arbitrary_content_is_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    assert main(["verify", saved_file(tmp_path, content)]) == 2
    assert capsys.readouterr().err.startswith("lodepost verify: ")


def test_folder_and_missing_file_are_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (tmp_path, tmp_path / "missing.game"):
        assert main(["verify", str(path)]) == 2
        assert capsys.readouterr().err.startswith(f"lodepost verify: {path}: ")


def test_endless_device_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "/dev/zero"]) == 2
    assert "too large" in capsys.readouterr().err


def test_output_contains_no_control_characters_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["verify", saved_file(tmp_path, b"\x1b[2J\x1b]0;evil\x07")])
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("flaw", FlawCode)
def test_every_flaw_has_a_sentence(flaw: FlawCode) -> None:
    details = {
        FlawCode.FREEZE_DIFFERS: FrozenTable.__struct_fields__,
        FlawCode.ACTION_REFUSED: tuple(Reason),
    }.get(flaw, ("round-1",))
    for detail in details:
        printed_text = flaw_sentence(Flaw(flaw, 7, str(detail)), language_for("en"))
        assert printed_text[0].isupper()
        assert printed_text.endswith(".")
        assert "%(" not in printed_text


@pytest.mark.parametrize("expected_part", ExpectedText)
def test_every_reading_error_has_a_sentence(expected_part: ExpectedText) -> None:
    printed_text = unreadable_text(
        ParseError(expected_part, found="x", form="a b", line=3), language_for("en")
    )
    assert printed_text.startswith("Line 3: ")
    assert printed_text.endswith(" Found: x")
    assert "%(" not in printed_text


def test_reading_error_outside_a_file_has_no_line_number() -> None:
    printed_text = unreadable_text(ParseError(ExpectedText.END), language_for("en"))
    assert printed_text == "The text should end here."
