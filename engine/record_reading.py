"""Read a game file strictly, line by line.

A file can come from an untrusted source. Every error is a :class:`~engine.errors.ParseError` with the line and what was
expected there. A file that can be read may still be false; :mod:`engine.verification` verifies it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, get_args

from engine.commitments import (
    MAX_FREEZE_RECORD_SIZE,
    MAX_SALT_SIZE,
    SECRET_LABELS,
    FrozenSeat,
    FrozenTable,
    Secrets,
    parse_house_rules,
)
from engine.errors import ExpectedText, ParseError
from engine.events import Dealt, Event, GameEnded, RoundEnded
from engine.notation import MAX_SEATS, read_action, read_event
from engine.record import FORMAT, Record, RecordedTurn, TurnSource
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""The largest accepted file, in bytes: about a hundred times a long game."""

_CONTINUATION_INDENT: Final = "      "


class LineFormat(NamedTuple):
    """The form of a line, as a pattern and as parse errors show it."""

    pattern: re.Pattern[str]
    display_text: str
    expected: ExpectedText = ExpectedText.LINE


def _line_format(
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


def read_record(file: bytes) -> Record:
    """Return the record in a game file. Raises ParseError for any content that is not a valid file."""
    lines = LineReader(_decoded_text(file))
    lines.take_line(_FORMAT_LINE)
    table = _read_table(lines)
    freeze = _read_freeze_record(lines)
    turns = tuple(_read_turns(lines, len(table.seats)))
    head = _read_head(lines)
    secrets = _read_secrets(lines)
    lines.take_line(_END_LINE)
    lines.require_end()
    return Record(table=table, freeze=freeze, turns=turns, secrets=secrets, head=head)


_QUOTED_NAME_PATTERN: Final = r'(?P<name>"(?:[^"\\]|\\.)*")'
_DIGEST_PATTERN: Final = "(?P<hex>[0-9a-f]{64})"
_FORMAT_LINE: Final = _line_format(re.escape(FORMAT), FORMAT, ExpectedText.FORMAT)
_GAME_LINE: Final = _line_format(f"game: {_QUOTED_NAME_PATTERN}", 'game: "NAME"')
_RULEBOOK_LINE: Final = _line_format(r"rulebook: (?P<key>\S+)", "rulebook: KEY")
_HOUSE_RULES_LINE: Final = _line_format(r"house: (?P<words>[a-z0-9= -]+)", "house: none")
_STARTER_LINE: Final = _line_format(
    r"starter: (?:chance|seat (?P<seat>10|[1-9]))", "starter: chance"
)
_SEAT_LINE: Final = _line_format(
    rf"seat (?P<seat>10|[1-9]): {_QUOTED_NAME_PATTERN} salt (?P<salt>-|(?:[0-9a-f]{{2}}){{1,{MAX_SALT_SIZE}}})",
    'seat NUMBER: "NAME" salt -',
)
_FREEZE_LINE: Final = _line_format("freeze: (?P<hex>(?:[0-9a-f]{2}| )+)", "freeze: HEXADECIMAL")
_TURN_LINE: Final = _line_format(
    r"(?P<seq>0|[1-9][0-9]{0,8}) (?:table|seat (?P<seat>10|[1-9]))(?:: (?P<action>.*))? \(by (?P<by>[a-z]+)\)",
    "NUMBER seat SEAT: ACTION (by SOURCE)",
)
_SECRET_LINES: Final = tuple(
    _line_format(f"secret {label}: {_DIGEST_PATTERN}", f"secret {label}: HEXADECIMAL")
    for label in SECRET_LABELS
)
_COMMITMENT_LINES: Final = tuple(
    _line_format(f"commitment {label}: {_DIGEST_PATTERN}", f"commitment {label}: HEXADECIMAL")
    for label in SECRET_LABELS
)
_HEAD_LINE: Final = _line_format(f"head: {_DIGEST_PATTERN}", "head: HEXADECIMAL")
_END_LINE: Final = _line_format("end", "end")
_EVENT_INDENT: Final = "  "


def _decoded_text(file: bytes) -> str:
    if len(file) > MAX_FILE_BYTES:
        raise ParseError(ExpectedText.SIZE, form=str(MAX_FILE_BYTES), line=1)
    try:
        return file.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.count(b"\n", 0, error.start) + 1
        raise ParseError(ExpectedText.UTF_8, line=line) from None


def _read_table(lines: LineReader) -> FrozenTable:
    game = _read_name(lines, _GAME_LINE)
    rulebook = _read_rulebook(lines)
    house = _read_house_rules(lines)
    starter = lines.take_line(_STARTER_LINE)["seat"]
    seats = tuple(_read_seats(lines))
    gold_hex, round_1_hex, round_2_hex, round_3_hex = (
        lines.take_line(form)["hex"] for form in _COMMITMENT_LINES
    )
    try:
        return FrozenTable(
            game=game,
            rulebook=rulebook,
            house=house,
            starter=None if starter is None else int(starter) - 1,
            commitments=(gold_hex, round_1_hex, round_2_hex, round_3_hex),
            seats=seats,
        )
    except ValueError:
        raise lines.error(ExpectedText.TABLE, f"{len(seats)}", f"3 {MAX_SEATS}") from None


def _read_rulebook(lines: LineReader) -> str:
    key = lines.take_line(_RULEBOOK_LINE)["key"]
    if key not in RULEBOOKS:
        raise lines.error(ExpectedText.RULEBOOK, key, " ".join(RULEBOOKS))
    return key


def _read_house_rules(lines: LineReader) -> HouseRules:
    rule_words = lines.take_line(_HOUSE_RULES_LINE)["words"]
    try:
        return parse_house_rules(() if rule_words == "none" else rule_words.split(" "))
    except ValueError:
        raise lines.error(ExpectedText.HOUSE_RULES, rule_words) from None


def _read_seats(lines: LineReader) -> Iterator[FrozenSeat]:
    for number in range(1, MAX_SEATS + 1):
        if not lines.peek().startswith("seat"):
            return
        match = lines.take_line(_SEAT_LINE)
        if match["seat"] != str(number):
            raise lines.error(ExpectedText.LINE, match[0], f'seat {number}: "NAME" salt -')
        salt = b"" if match["salt"] == "-" else bytes.fromhex(match["salt"])
        yield FrozenSeat(_unquote_name(lines, match["name"]), salt)


def _read_name(lines: LineReader, form: LineFormat) -> str:
    return _unquote_name(lines, lines.take_line(form)["name"])


def _unquote_name(lines: LineReader, quoted_name: str) -> str:
    try:
        name: str = json.loads(quoted_name)
        name.encode()
    except ValueError:
        raise lines.error(ExpectedText.NAME, quoted_name) from None
    return name


def _read_turns(lines: LineReader, seats: int) -> Iterator[RecordedTurn]:
    seq = 0
    while lines.peek()[:1].isdigit() or seq == 0:
        yield _read_turn(lines, seq, seats)
        seq += 1


def _read_turn(lines: LineReader, seq: int, seats: int) -> RecordedTurn:
    match = lines.take_line(_TURN_LINE)
    if match["seq"] != str(seq):
        raise lines.error(ExpectedText.TURN, match["seq"], str(seq))
    seat = None if match["seat"] is None else int(match["seat"]) - 1
    if seat is not None and seat >= seats:
        raise lines.error(ExpectedText.SEAT, match["seat"])
    try:
        action = None if match["action"] is None else read_action(match["action"])
    except ParseError as error:
        raise lines.error(error.expected, error.found, error.form) from None
    return RecordedTurn(
        seat=seat,
        by=_read_source(lines, match["by"]),
        action=action,
        events=tuple(_read_events(lines, seats)),
    )


def _read_source(lines: LineReader, word: str) -> TurnSource:
    for source in _TURN_SOURCES:
        if source == word:
            return source
    raise lines.error(ExpectedText.TURN_SOURCE, word, " ".join(_TURN_SOURCES))


_TURN_SOURCES: Final[tuple[TurnSource, ...]] = get_args(TurnSource)


def _read_events(lines: LineReader, seats: int) -> Iterator[Event]:
    while lines.peek().startswith(_EVENT_INDENT):
        try:
            event = read_event(lines.next_line().removeprefix(_EVENT_INDENT))
        except ParseError as error:
            raise lines.error(error.expected, error.found, error.form) from None
        _require_seats(lines, event, seats)
        yield event


def _require_seats(lines: LineReader, event: Event, seats: int) -> None:
    """Require that an event names only seats of the table, and that its tuples over seats are complete."""
    for seat in _seats_in(event):
        if seat >= seats:
            raise lines.error(ExpectedText.SEAT, str(seat + 1))
    if any(len(values) != seats for values in _tuples_over_seats(event)):
        raise lines.error(ExpectedText.COUNT, form=str(seats))


def _seats_in(event: Event) -> Iterator[int]:
    for name in _SEAT_FIELDS:
        seat = getattr(event, name, None)
        if seat is not None:
            yield seat
    if isinstance(event, GameEnded):
        yield from event.winners


def _tuples_over_seats(event: Event) -> tuple[Sequence[object], ...]:
    match event:
        case Dealt():
            return event.roles, event.hands
        case RoundEnded():
            return (event.roles,)
        case GameEnded():
            return (event.nuggets,)
    return ()


_SEAT_FIELDS: Final = ("seat", "target", "starter", "ended_by", "passed_to")


def _read_freeze_record(lines: LineReader) -> bytes:
    freeze = _read_hex(lines.take_line(_FREEZE_LINE)["hex"])
    if len(freeze) > MAX_FREEZE_RECORD_SIZE:
        raise lines.error(ExpectedText.FREEZE_SIZE, f"{len(freeze)}", f"{MAX_FREEZE_RECORD_SIZE}")
    return freeze


def _read_head(lines: LineReader) -> str | None:
    return lines.take_line(_HEAD_LINE)["hex"] if lines.peek().startswith("head") else None


def _read_secrets(lines: LineReader) -> Secrets | None:
    if not lines.peek().startswith("secret"):
        return None
    gold_hex, round_1_hex, round_2_hex, round_3_hex = (
        _read_hex(lines.take_line(form)["hex"]) for form in _SECRET_LINES
    )
    return Secrets(gold=gold_hex, round_1=round_1_hex, round_2=round_2_hex, round_3=round_3_hex)


def _read_hex(digits: str) -> bytes:
    return bytes.fromhex(digits.replace(" ", ""))
