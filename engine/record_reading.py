"""Read a game file strictly, line by line.

A file can come from an untrusted source. Every error is a :class:`~engine.errors.ParseError` with the line and what was
expected there. A file that can be read may still be false; :mod:`engine.verification` verifies it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, get_args

from engine.errors import Expected, ParseError
from engine.events import Dealt, Event, GameEnded, RoundEnded
from engine.fairness import LABELS, SALT_LIMIT, FrozenSeat, FrozenTable, Secrets, parse_house_rules
from engine.notation import MAX_SEATS, read_action, read_event
from engine.record import FORMAT, Record, RecordedTurn, TurnSource
from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""The largest accepted file, in bytes: about a hundred times a long game."""


def read_record(file: bytes) -> Record:
    """Return the record in a game file. Raises ParseError for any content that is not a valid file."""
    lines = _LineReader(_text(file))
    lines.take(_FORMAT_LINE)
    table = _table(lines)
    freeze = _bytes(lines.take(_FREEZE_LINE)["hex"])
    turns = tuple(_turns(lines, len(table.seats)))
    secrets = _secrets(lines)
    lines.take(_END_LINE)
    lines.finish()
    return Record(table=table, freeze=freeze, turns=turns, secrets=secrets)


class _LineForm(NamedTuple):
    """The form of a line, as a pattern and as parse errors show it."""

    pattern: re.Pattern[str]
    shown: str
    expected: Expected = Expected.LINE


def _form(pattern: str, shown: str, expected: Expected = Expected.LINE) -> _LineForm:
    return _LineForm(re.compile(pattern, re.ASCII), shown, expected)


_QUOTED_NAME_PATTERN: Final = r'(?P<name>"(?:[^"\\]|\\.)*")'
_DIGEST_PATTERN: Final = "(?P<hex>[0-9a-f]{64})"
_FORMAT_LINE: Final = _form(re.escape(FORMAT), FORMAT, Expected.FORMAT)
_GAME_LINE: Final = _form(f"game: {_QUOTED_NAME_PATTERN}", 'game: "NAME"')
_RULEBOOK_LINE: Final = _form(r"rulebook: (?P<key>\S+)", "rulebook: KEY")
_HOUSE_RULES_LINE: Final = _form(r"house: (?P<words>[a-z0-9= -]+)", "house: none")
_STARTER_LINE: Final = _form(r"starter: (?:chance|seat (?P<seat>10|[1-9]))", "starter: chance")
_SEAT_LINE: Final = _form(
    rf"seat (?P<seat>10|[1-9]): {_QUOTED_NAME_PATTERN} salt (?P<salt>-|(?:[0-9a-f]{{2}}){{1,{SALT_LIMIT}}})",
    'seat NUMBER: "NAME" salt -',
)
_FREEZE_LINE: Final = _form("freeze: (?P<hex>(?:[0-9a-f]{2}| )+)", "freeze: HEXADECIMAL")
_TURN_LINE: Final = _form(
    r"(?P<seq>0|[1-9][0-9]{0,8}) (?:table|seat (?P<seat>10|[1-9]))(?:: (?P<action>.*))? \(by (?P<by>[a-z]+)\)",
    "NUMBER seat SEAT: ACTION (by SOURCE)",
)
_SECRET_LINES: Final = tuple(
    _form(f"secret {label}: {_DIGEST_PATTERN}", f"secret {label}: HEXADECIMAL") for label in LABELS
)
_COMMITMENT_LINES: Final = tuple(
    _form(f"commitment {label}: {_DIGEST_PATTERN}", f"commitment {label}: HEXADECIMAL")
    for label in LABELS
)
_END_LINE: Final = _form("end", "end")
_CONTINUATION_INDENT: Final = "      "
_EVENT_INDENT: Final = "  "


class _LineReader:
    """The lines of a file with their numbers; continuation lines are joined, empty lines are skipped."""

    def __init__(self, text: str) -> None:
        self._lines = list(_joined_lines(text))
        self._next = 0
        self.number = 1

    def peek(self) -> str:
        """Return the next line; empty at the end of the file."""
        return self._lines[self._next][1] if self._next < len(self._lines) else ""

    def take(self, form: _LineForm) -> re.Match[str]:
        """Return the match of the next line, which must have this form. Raises ParseError."""
        line = self.next_line()
        match = form.pattern.fullmatch(line)
        if match is None:
            raise self.error(form.expected, line, form.shown)
        return match

    def next_line(self) -> str:
        line = self.peek()
        if self._next < len(self._lines):
            self.number = self._lines[self._next][0]
        self._next += 1
        return line

    def finish(self) -> None:
        """Raise ParseError unless all lines have been taken."""
        if self._next < len(self._lines):
            raise self.error(Expected.END, self.next_line())

    def error(self, expected: Expected, found: str = "", form: str = "") -> ParseError:
        """Return a parse error at the line taken last."""
        return ParseError(expected, found=found, form=form, line=self.number)


def _text(file: bytes) -> str:
    if len(file) > MAX_FILE_BYTES:
        raise ParseError(Expected.SIZE, form=str(MAX_FILE_BYTES), line=1)
    try:
        return file.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.count(b"\n", 0, error.start) + 1
        raise ParseError(Expected.UTF_8, line=line) from None


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    current: tuple[int, list[str]] | None = None
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if current and line.startswith(_CONTINUATION_INDENT):
            current[1].append(line.removeprefix(_CONTINUATION_INDENT))
            continue
        if current:
            yield current[0], " ".join(current[1])
        current = (number, [line]) if line.strip() else None
    if current:
        yield current[0], " ".join(current[1])


def _table(lines: _LineReader) -> FrozenTable:
    game = _name(lines, _GAME_LINE)
    rulebook = _rulebook(lines)
    house = _house(lines)
    starter = lines.take(_STARTER_LINE)["seat"]
    seats = tuple(_seats(lines))
    gold, first, second, third = (lines.take(form)["hex"] for form in _COMMITMENT_LINES)
    try:
        return FrozenTable(
            game=game,
            rulebook=rulebook,
            house=house,
            starter=None if starter is None else int(starter) - 1,
            commitments=(gold, first, second, third),
            seats=seats,
        )
    except ValueError:
        raise lines.error(Expected.TABLE, f"{len(seats)}", f"3 {MAX_SEATS}") from None


def _rulebook(lines: _LineReader) -> str:
    key = lines.take(_RULEBOOK_LINE)["key"]
    if key not in RULEBOOKS:
        raise lines.error(Expected.RULEBOOK, key, " ".join(RULEBOOKS))
    return key


def _house(lines: _LineReader) -> HouseRules:
    words = lines.take(_HOUSE_RULES_LINE)["words"]
    try:
        return parse_house_rules(() if words == "none" else words.split(" "))
    except ValueError:
        raise lines.error(Expected.HOUSE_RULES, words) from None


def _seats(lines: _LineReader) -> Iterator[FrozenSeat]:
    for number in range(1, MAX_SEATS + 1):
        if not lines.peek().startswith("seat"):
            return
        match = lines.take(_SEAT_LINE)
        if match["seat"] != str(number):
            raise lines.error(Expected.LINE, match[0], f'seat {number}: "NAME" salt -')
        salt = b"" if match["salt"] == "-" else bytes.fromhex(match["salt"])
        yield FrozenSeat(_unquoted(lines, match["name"]), salt)


def _name(lines: _LineReader, form: _LineForm) -> str:
    return _unquoted(lines, lines.take(form)["name"])


def _unquoted(lines: _LineReader, quoted: str) -> str:
    try:
        name: str = json.loads(quoted)
        name.encode()
    except ValueError:
        raise lines.error(Expected.NAME, quoted) from None
    return name


def _turns(lines: _LineReader, seats: int) -> Iterator[RecordedTurn]:
    seq = 0
    while lines.peek()[:1].isdigit() or seq == 0:
        yield _turn(lines, seq, seats)
        seq += 1


def _turn(lines: _LineReader, seq: int, seats: int) -> RecordedTurn:
    match = lines.take(_TURN_LINE)
    if match["seq"] != str(seq):
        raise lines.error(Expected.TURN, match["seq"], str(seq))
    seat = None if match["seat"] is None else int(match["seat"]) - 1
    if seat is not None and seat >= seats:
        raise lines.error(Expected.SEAT, match["seat"])
    try:
        action = None if match["action"] is None else read_action(match["action"])
    except ParseError as error:
        raise lines.error(error.expected, error.found, error.form) from None
    return RecordedTurn(
        seat=seat,
        by=_source(lines, match["by"]),
        action=action,
        events=tuple(_events(lines, seats)),
    )


def _source(lines: _LineReader, word: str) -> TurnSource:
    for source in _TURN_SOURCES:
        if source == word:
            return source
    raise lines.error(Expected.TURN_SOURCE, word, " ".join(_TURN_SOURCES))


_TURN_SOURCES: Final[tuple[TurnSource, ...]] = get_args(TurnSource)


def _events(lines: _LineReader, seats: int) -> Iterator[Event]:
    while lines.peek().startswith(_EVENT_INDENT):
        try:
            event = read_event(lines.next_line().removeprefix(_EVENT_INDENT))
        except ParseError as error:
            raise lines.error(error.expected, error.found, error.form) from None
        _require_seats(lines, event, seats)
        yield event


def _require_seats(lines: _LineReader, event: Event, seats: int) -> None:
    """Require that an event names only seats of the table, and that its tuples over seats are complete."""
    for seat in _seats_in(event):
        if seat >= seats:
            raise lines.error(Expected.SEAT, str(seat + 1))
    if any(len(values) != seats for values in _tuples_over_seats(event)):
        raise lines.error(Expected.COUNT, form=str(seats))


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


def _secrets(lines: _LineReader) -> Secrets | None:
    if not lines.peek().startswith("secret"):
        return None
    gold, first, second, third = (_bytes(lines.take(form)["hex"]) for form in _SECRET_LINES)
    return Secrets(gold=gold, round_1=first, round_2=second, round_3=third)


def _bytes(digits: str) -> bytes:
    return bytes.fromhex(digits.replace(" ", ""))
