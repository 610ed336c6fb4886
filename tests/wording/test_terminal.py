"""Texts on a terminal: what would move the cursor or hide is shown as a replaced character, what is text stays."""

import pytest

from webapp.wording.terminal import printable_line, printable_lines


@pytest.mark.parametrize(
    "text, printed",
    [
        ("1\u202f000 \u00ab\u00a0or\u00a0\u00bb", "1\u202f000 \u00ab\u00a0or\u00a0\u00bb"),
        ("HINT:\tCheck free disk space.", "HINT: Check free disk space."),
        ("\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\u0dc1\u0dca\u200d\u0dbb\u0dd3"),
        ("\u2068\u05d0\u05d1\u2069 5", "\u05d0\u05d1 5"),
        ("a\x1b[31m\x07\u202eb", "a\ufffd[31m\ufffd\ufffdb"),
        ("one\u2028line\r", "one line "),
    ],
    ids=["no-break blanks", "tab", "joiner", "isolates", "controls", "line ends"],
)
def test_what_is_printed(text: str, printed: str) -> None:
    assert printable_line(text) == printed


def test_lines_stay_lines() -> None:
    assert printable_lines("a\nb\x00") == "a\nb\ufffd"
