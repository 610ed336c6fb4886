"""Game files as commands meet them: read, or refused in a sentence."""

from pathlib import Path

from engine.errors import ParseError
from engine.record import Record
from engine.record_reading import MAX_FILE_BYTES, read_record
from webapp.i18n import Language
from webapp.wording.terminal import shown
from webapp.wording.unreadable import unreadable


class Unusable(Exception):
    """No game can be had from this file; the sentence says why."""


def record_in(file: Path, language: Language) -> Record:
    """The game in a file. Raises Unusable."""
    name = shown(str(file))
    try:
        with file.open("rb") as opened:
            # One byte more than can be right is enough to say so; the file may be a device without end.
            content = opened.read(MAX_FILE_BYTES + 1)
    except OSError as problem:
        raise Unusable(f"{name}: {problem.strerror}") from None
    try:
        return read_record(content)
    except ParseError as problem:
        raise Unusable(f"{name}: {unreadable(problem, language)}") from None
