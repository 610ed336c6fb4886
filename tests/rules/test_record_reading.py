"""A malformed game file is refused with the line and with what was expected there."""

import msgspec
import pytest

from engine.errors import ExpectedText, ParseError
from engine.record import write_record
from engine.record_reading import MAX_FILE_BYTES, read_record
from engine.rulebook import HouseRules
from tests.support.engine.sample_games import sample_recorder
from tests.support.rulebook_groups import every_rulebook

RECORD = sample_recorder(seats=3, seed=5, house=HouseRules(rounds=1)).play_randomly(12).record()
GAME_TEXT = write_record(RECORD)
GAME_LINES = GAME_TEXT.split("\n")


def parse_error_of(text: str | bytes) -> ParseError:
    with pytest.raises(ParseError) as error_info:
        read_record(text if isinstance(text, bytes) else text.encode())
    return error_info.value


def line_number_of(beginning: str) -> int:
    return next(number for number, line in enumerate(GAME_LINES, 1) if line.startswith(beginning))


def test_file_without_a_head_is_read_as_it_was_written() -> None:
    record = msgspec.structs.replace(RECORD, head=None)
    assert read_record(write_record(record).encode()) == record


def test_oversized_file_is_refused() -> None:
    parse_error = parse_error_of(b"x" * (MAX_FILE_BYTES + 1))
    assert (parse_error.expected, parse_error.form) == (ExpectedText.SIZE, str(MAX_FILE_BYTES))


def test_invalid_utf_8_is_refused_with_its_line() -> None:
    parse_error = parse_error_of(GAME_TEXT.encode().replace(b"rulebook", b"rule\xffbook"))
    assert (parse_error.expected, parse_error.line) == (ExpectedText.UTF_8, 3)


@pytest.mark.parametrize("text", ["", "\n\n", "lodepost game 2\n", "\x00", "end\n"])
def test_file_without_the_format_line_is_refused(text: str) -> None:
    parse_error = parse_error_of(text)
    assert (parse_error.expected, parse_error.form) == (ExpectedText.FORMAT, "lodepost game 1")


@pytest.mark.parametrize("number", range(1, line_number_of("freeze") + 1))
def test_missing_header_line_is_refused(number: int) -> None:
    assert (
        parse_error_of("\n".join([*GAME_LINES[: number - 1], *GAME_LINES[number:]])).line
        is not None
    )


@pytest.mark.parametrize("number", range(1, line_number_of("freeze") + 1))
def test_repeated_header_line_is_refused_with_its_number(number: int) -> None:
    parse_error = parse_error_of("\n".join([*GAME_LINES[:number], *GAME_LINES[number - 1 :]]))
    assert parse_error.line in {number, number + 1}


@pytest.mark.parametrize(
    "old_text,new_text,expected,found_text",
    [
        ("rulebook: en-2004", "rulebook: fr-1999", ExpectedText.RULEBOOK, "fr-1999"),
        ("rulebook: en-2004", "rulebook:", ExpectedText.LINE, "rulebook:"),
        ("house: rounds=1", "house: rounds=9", ExpectedText.HOUSE_RULES, "rounds=9"),
        ("house: rounds=1", "house:", ExpectedText.LINE, "house:"),
        ("house: rounds=1", "house: free-beer", ExpectedText.HOUSE_RULES, "free-beer"),
        ("starter: chance", "starter: me", ExpectedText.LINE, "starter: me"),
        ("starter: chance", "starter: seat 4", ExpectedText.TABLE, "3"),
        ("starter: chance", "starter: seat 0", ExpectedText.LINE, "starter: seat 0"),
        ('seat 1: "Anna"', "seat 1: Anna", ExpectedText.LINE, "seat 1: Anna salt -"),
        ('seat 1: "Anna"', 'seat 1: "An\\qa"', ExpectedText.NAME, '"An\\qa"'),
        ('seat 1: "Anna"', 'seat 1: "\\ud83d"', ExpectedText.NAME, '"\\ud83d"'),
        (
            'seat 1: "Anna" salt -',
            'seat 1: "Anna" salt 0',
            ExpectedText.LINE,
            'seat 1: "Anna" salt 0',
        ),
        ('seat 1: "Anna" salt -', 'seat 1: "Anna" salt ' + "00" * 65, ExpectedText.LINE, None),
        ("seat 2: ", "seat 3: ", ExpectedText.LINE, None),
        ("seat 2: ", "seat 11: ", ExpectedText.LINE, None),
        ("commitment gold: ", "commitment silver: ", ExpectedText.LINE, None),
        ("commitment gold: ", "commitment gold: f", ExpectedText.LINE, None),
        ("freeze:\n", "freeze: g\n", ExpectedText.LINE, None),
        ("freeze:\n", "freeze: abc\n", ExpectedText.LINE, None),
        ("0 table (by player)", "1 table (by player)", ExpectedText.TURN, "1"),
        ("0 table (by player)", "00 table (by player)", ExpectedText.LINE, "00 table (by player)"),
        ("0 table (by player)", "table (by player)", ExpectedText.LINE, "table (by player)"),
        ("0 table (by player)", "0 seat 4 (by player)", ExpectedText.SEAT, "4"),
        (
            "0 table (by player)",
            "0 seat 11 (by player)",
            ExpectedText.LINE,
            "0 seat 11 (by player)",
        ),
        ("0 table (by player)", "0 table (by magic)", ExpectedText.TURN_SOURCE, "magic"),
        ("0 table (by player)", "0 table: fly (by player)", ExpectedText.ACTION, "fly"),
        ("\n2 seat", "\n999999999 seat", ExpectedText.TURN, "999999999"),
        ("\n2 seat", "\n99999999999999999999 seat", ExpectedText.LINE, None),
        ("\n2 seat", "\n\u0662 seat", ExpectedText.LINE, None),
        ("\n  dealt round 1", "\n  dealt round 4", ExpectedText.ROUND, "4"),
        ("\n  dealt round 1", "\n  felt round 1", ExpectedText.EVENT, "felt"),
        ("starter", "Starter", ExpectedText.LINE, "Starter: chance"),
        ("      / ", "      / / ", ExpectedText.COUNT, ""),
        ("      roles", "      roles digger", ExpectedText.COUNT, ""),
        ("  turn 1", "  turn 4", ExpectedText.SEAT, "4"),
        ("secret gold: ", "secret gold: z", ExpectedText.LINE, None),
        ("secret round-2: ", "secret round-4: ", ExpectedText.LINE, None),
        ("\nend\n", "\nthe end\n", ExpectedText.LINE, "the end"),
        ("\nend\n", "\n", ExpectedText.LINE, ""),
        ("\nend\n", "\nend\nend\n", ExpectedText.END, "end"),
        ("\nend\n", "\n13 seat 1: pass (by player)\nend\n", ExpectedText.LINE, None),
    ],
)
def test_malformed_file_is_refused_with_the_expected_part(
    old_text: str, new_text: str, expected: ExpectedText, found_text: str | None
) -> None:
    assert old_text in GAME_TEXT
    parse_error = parse_error_of(GAME_TEXT.replace(old_text, new_text, 1))
    assert parse_error.expected is expected
    assert found_text is None or parse_error.found == found_text
    assert parse_error.line is not None


def test_refusal_names_the_line_where_a_long_event_begins() -> None:
    parse_error = parse_error_of(GAME_TEXT.replace("      goals ", "      goals gold ", 1))
    assert (parse_error.expected, parse_error.line) == (
        ExpectedText.GOAL,
        line_number_of("  dealt"),
    )


def test_winners_of_a_finished_game_must_sit_at_its_table() -> None:
    text = write_record(
        sample_recorder(seats=3, house=HouseRules(rounds=1)).play_randomly().record()
    )
    section_start = text.index("game-over")
    section_end = text.index("\n", section_start)
    assert parse_error_of(
        text[:section_start] + "game-over nuggets 1 2 3 winners 4" + text[section_end:]
    ).expected is (ExpectedText.SEAT)
    assert parse_error_of(
        text[:section_start] + "game-over nuggets 1 2 winners 1" + text[section_end:]
    ).expected is (ExpectedText.COUNT)


def test_round_end_must_name_a_role_for_every_seat() -> None:
    text = write_record(
        sample_recorder(seats=3, house=HouseRules(rounds=1)).play_randomly().record()
    )
    section_start = text.index("roles", text.index("ended round"))
    assert (
        parse_error_of(text[:section_start] + "roles digger" + text[section_start + 5 :]).expected
        is ExpectedText.COUNT
    )


@every_rulebook
def test_every_prefix_of_a_file_is_refused(rulebook: str) -> None:
    text = write_record(sample_recorder(rulebook, seats=3).play_randomly(3).record())
    for section_end in range(0, len(text) - 2, 7):
        parse_error_of(text[:section_end])
