from pathlib import Path

import pytest

from tests.whole_tree.banned_words import BANNED_WORDS, EXEMPTIONS
from tests.whole_tree.source_rules import long_parts_of, problems_in, tracked_files, word_problems


@pytest.mark.parametrize(
    "line",
    [
        "A letter waits.",
        "def wasTold(letters): ...",
        "dead_letter = 1",
        "one's own",
        "<!-- goes on -->",
        "THE-LETTER",
    ],
)
def test_banned_words_are_found_in_sentences_and_identifiers(line: str) -> None:
    assert list(word_problems("webapp/x.py", line))


@pytest.mark.parametrize(
    "line",
    ['winners == "nobody"', "os.walk(folder)", "letterhead", "the history", "event-toolmended"],
)
def test_exempt_text_and_words_containing_a_banned_word_are_allowed(line: str) -> None:
    assert list(word_problems("webapp/x.py", line)) == []


def test_problem_names_file_line_and_replacement() -> None:
    (problem,) = word_problems("webapp/x.py", "fine\nThe letter\n")
    assert problem == (
        "webapp/x.py:2: 'letter': write email, Notification (row) or inbox; of the alphabet: character"
    )


def test_file_names_are_checked_too(tmp_path: Path) -> None:
    (tmp_path / "letters.md").write_text("Nothing else.\n")
    assert len(list(problems_in(["letters.md"], root=tmp_path))) == 1


def test_long_files_and_long_functions_are_reported() -> None:
    long_function = "def f():\n" + "    x = 1\n" * 50
    assert list(long_parts_of("a.py", "x = 1\n" * 501)) == ["a.py:1: 501 lines"]
    assert list(long_parts_of("a.py", long_function)) == ["a.py:1: f has 51 lines"]
    assert list(long_parts_of("a.py", "x = 1\n" * 500)) == []


def test_every_banned_word_has_a_replacement_and_every_exemption_a_reason() -> None:
    assert all(word.replacement for word in BANNED_WORDS)
    assert all(exemption.reason for exemption in EXEMPTIONS)


def test_tracked_files_can_be_limited_to_a_folder() -> None:
    names = tracked_files(["tests/whole_tree"])
    assert "tests/whole_tree/source_rules.py" in names
    assert all(name.startswith("tests/whole_tree/") for name in names)
