"""Names from players and files, made safe to print on a terminal."""

from typing import Final

from webapp.kernel.i18n import ISOLATES

_JOINERS: Final = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def printable_line(text: str) -> str:
    """Return the text as one line; control characters become a question mark in a diamond.

    White space of any kind stays, as a blank if it would break the line. Isolates, which sentences put around names, go.
    """
    return "".join(map(_printable, text))


def printable_lines(text: str) -> str:
    """Return a text of several lines with each line made printable."""
    return "\n".join(map(printable_line, text.split("\n")))


def _printable(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if character in ISOLATES:
        return ""
    if character.isspace():
        return " " if character < " " or character in "\x85\u2028\u2029" else character
    return "\N{REPLACEMENT CHARACTER}"
