"""The lines of a game file and their forms."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.errors import ExpectedText, ParseError

_CONTINUATION_INDENT: Final = "      "


class LineFormat(NamedTuple):
    """The form of a line, as a pattern and as parse errors show it."""

    pattern: re.Pattern[str]
    display_text: str
    expected: ExpectedText = ExpectedText.LINE


def line_format(
    pattern: str, display_text: str, expected: ExpectedText = ExpectedText.LINE
) -> LineFormat:
    return LineFormat(re.compile(pattern, re.ASCII), display_text, expected)


class LineReader:
    """The lines of a file with their numbers; continuation lines are joined, empty lines are skipped."""

    def __init__(self, text: str) -> None:
        self._lines = list(_joined_lines(text))
        self._next_index = 0
        self.number = 1

    def peek(self) -> str:
        """Return the next line; empty at the end of the file."""
        return self._lines[self._next_index][1] if self._next_index < len(self._lines) else ""

    def take_line(self, form: LineFormat) -> re.Match[str]:
        """Return the match of the next line, which must have this form. Raises ParseError."""
        line = self.next_line()
        match = form.pattern.fullmatch(line)
        if match is None:
            raise self.error(form.expected, line, form.display_text)
        return match

    def next_line(self) -> str:
        line = self.peek()
        if self._next_index < len(self._lines):
            self.number = self._lines[self._next_index][0]
        self._next_index += 1
        return line

    def require_end(self) -> None:
        """Raise ParseError unless all lines have been taken."""
        if self._next_index < len(self._lines):
            raise self.error(ExpectedText.END, self.next_line())

    def error(self, expected: ExpectedText, found: str = "", form: str = "") -> ParseError:
        """Return a parse error at the line taken last."""
        return ParseError(expected, found=found, form=form, line=self.number)


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    current_line: tuple[int, list[str]] | None = None
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if current_line and line.startswith(_CONTINUATION_INDENT):
            current_line[1].append(line.removeprefix(_CONTINUATION_INDENT))
            continue
        if current_line:
            yield current_line[0], " ".join(current_line[1])
        current_line = (number, [line]) if line.strip() else None
    if current_line:
        yield current_line[0], " ".join(current_line[1])
