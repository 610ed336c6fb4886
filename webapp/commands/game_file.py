"""Read a game file for the commands that take one."""

from pathlib import Path

from engine.errors import ParseError
from engine.record import Record
from engine.record_reading import MAX_FILE_BYTES, read_record
from webapp.kernel.i18n import Language
from webapp.kernel.operator_errors import InvalidGameFile
from webapp.wording.game_files import unreadable_text
from webapp.wording.terminal import printable_line


def read_game_file(file: Path, language: Language) -> Record:
    """Return the game in a file. Raises InvalidGameFile."""
    name = printable_line(str(file))
    try:
        with file.open("rb") as stream:
            # One byte over the limit is enough to reject it; the file may be an endless device.
            content = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InvalidGameFile(f"{name}: {error.strerror}") from None
    try:
        return read_record(content)
    except ParseError as error:
        raise InvalidGameFile(f"{name}: {unreadable_text(error, language)}") from None
