"""Reading a game file: strictly, line by line, and whatever is in it.

A file may come from anybody. Everything that is wrong with one is a :class:`~engine.errors.ParseError` that names the line
and what would be right there. That a file can be read says nothing about its truth: that is for :mod:`engine.verification`.
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
"""A long game is a hundredth of this."""


def read_record(file: bytes) -> Record:
    """Read a game file. Raises CannotRead, and nothing else."""
    lines = _Lines(_text(file))
    lines.take(_FORMAT)
    table = _table(lines)
    record = _bytes(lines.take(_FREEZE)["hex"])
    turns = tuple(_turns(lines, len(table.seats)))
    secrets = _secrets(lines)
    lines.take(_END)
    lines.finish()
    return Record(table=table, freeze=record, turns=turns, secrets=secrets)


class _Form(NamedTuple):
    """What a line may look like, for the machine and for people."""

    pattern: re.Pattern[str]
    words: str
    wanted: Expected = Expected.LINE


def _form(pattern: str, words: str, wanted: Expected = Expected.LINE) -> _Form:
    return _Form(re.compile(pattern, re.ASCII), words, wanted)


_QUOTED: Final = r'(?P<name>"(?:[^"\\]|\\.)*")'
_DIGEST: Final = "(?P<hex>[0-9a-f]{64})"
_FORMAT: Final = _form(re.escape(FORMAT), FORMAT, Expected.FORMAT)
_GAME: Final = _form(f"game: {_QUOTED}", 'game: "NAME"')
_RULEBOOK: Final = _form(r"rulebook: (?P<key>\S+)", "rulebook: KEY")
_HOUSE: Final = _form(r"house: (?P<words>[a-z0-9= -]+)", "house: none")
_STARTER: Final = _form(r"starter: (?:chance|seat (?P<seat>10|[1-9]))", "starter: chance")
_SEAT: Final = _form(
    rf"seat (?P<seat>10|[1-9]): {_QUOTED} salt (?P<salt>-|(?:[0-9a-f]{{2}}){{1,{SALT_LIMIT}}})",
    'seat NUMBER: "NAME" salt -',
)
_FREEZE: Final = _form("freeze: (?P<hex>(?:[0-9a-f]{2}| )+)", "freeze: HEXADECIMAL")
_TURN: Final = _form(
    r"(?P<seq>0|[1-9][0-9]{0,8}) (?:table|seat (?P<seat>10|[1-9]))(?:: (?P<action>.*))? \(by (?P<by>[a-z]+)\)",
    "NUMBER seat SEAT: ACTION (by WHOM)",
)
_SECRETS: Final = tuple(
    _form(f"secret {label}: {_DIGEST}", f"secret {label}: HEXADECIMAL") for label in LABELS
)
_COMMITMENTS: Final = tuple(
    _form(f"commitment {label}: {_DIGEST}", f"commitment {label}: HEXADECIMAL") for label in LABELS
)
_END: Final = _form("end", "end")
_CONTINUED: Final = "      "
_EVENT: Final = "  "


class _Lines:
    """The lines of a file, continued ones put together and empty ones left out, each with its number."""

    def __init__(self, text: str) -> None:
        self._lines = list(_joined(text))
        self._next = 0
        self.number = 1

    def peek(self) -> str:
        """The next line; empty at the end of the file."""
        return self._lines[self._next][1] if self._next < len(self._lines) else ""

    def take(self, form: _Form) -> re.Match[str]:
        """The next line, which must be of this form."""
        line = self.next_line()
        found = form.pattern.fullmatch(line)
        if found is None:
            raise self.wrong(form.wanted, line, form.words)
        return found

    def next_line(self) -> str:
        line = self.peek()
        if self._next < len(self._lines):
            self.number = self._lines[self._next][0]
        self._next += 1
        return line

    def finish(self) -> None:
        """Nothing may follow."""
        if self._next < len(self._lines):
            raise self.wrong(Expected.END, self.next_line())

    def wrong(self, wanted: Expected, found: str = "", form: str = "") -> ParseError:
        """The refusal of the line just taken."""
        return ParseError(wanted, found=found, form=form, line=self.number)


def _text(file: bytes) -> str:
    if len(file) > MAX_FILE_BYTES:
        raise ParseError(Expected.SIZE, form=str(MAX_FILE_BYTES), line=1)
    try:
        return file.decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        line = file.count(b"\n", 0, broken.start) + 1
        raise ParseError(Expected.UTF_8, line=line) from None


def _joined(text: str) -> Iterator[tuple[int, str]]:
    begun: tuple[int, list[str]] | None = None
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if begun and line.startswith(_CONTINUED):
            begun[1].append(line.removeprefix(_CONTINUED))
            continue
        if begun:
            yield begun[0], " ".join(begun[1])
        begun = (number, [line]) if line.strip() else None
    if begun:
        yield begun[0], " ".join(begun[1])


def _table(lines: _Lines) -> FrozenTable:
    game = _name(lines, _GAME)
    rulebook = _rulebook(lines)
    house = _house(lines)
    starter = lines.take(_STARTER)["seat"]
    seats = tuple(_seats(lines))
    gold, first, second, third = (lines.take(form)["hex"] for form in _COMMITMENTS)
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
        raise lines.wrong(Expected.TABLE, f"{len(seats)}", f"3 {MAX_SEATS}") from None


def _rulebook(lines: _Lines) -> str:
    key = lines.take(_RULEBOOK)["key"]
    if key not in RULEBOOKS:
        raise lines.wrong(Expected.RULEBOOK, key, " ".join(RULEBOOKS))
    return key


def _house(lines: _Lines) -> HouseRules:
    words = lines.take(_HOUSE)["words"]
    try:
        return parse_house_rules(() if words == "none" else words.split(" "))
    except ValueError:
        raise lines.wrong(Expected.HOUSE_RULES, words) from None


def _seats(lines: _Lines) -> Iterator[FrozenSeat]:
    for number in range(1, MAX_SEATS + 1):
        if not lines.peek().startswith("seat"):
            return
        found = lines.take(_SEAT)
        if found["seat"] != str(number):
            raise lines.wrong(Expected.LINE, found[0], f'seat {number}: "NAME" salt -')
        salt = b"" if found["salt"] == "-" else bytes.fromhex(found["salt"])
        yield FrozenSeat(_unquoted(lines, found["name"]), salt)


def _name(lines: _Lines, form: _Form) -> str:
    return _unquoted(lines, lines.take(form)["name"])


def _unquoted(lines: _Lines, quoted: str) -> str:
    try:
        name: str = json.loads(quoted)
        name.encode()
    except ValueError:
        raise lines.wrong(Expected.NAME, quoted) from None
    return name


def _turns(lines: _Lines, seats: int) -> Iterator[RecordedTurn]:
    seq = 0
    while lines.peek()[:1].isdigit() or seq == 0:
        yield _turn(lines, seq, seats)
        seq += 1


def _turn(lines: _Lines, seq: int, seats: int) -> RecordedTurn:
    found = lines.take(_TURN)
    if found["seq"] != str(seq):
        raise lines.wrong(Expected.TURN, found["seq"], str(seq))
    seat = None if found["seat"] is None else int(found["seat"]) - 1
    if seat is not None and seat >= seats:
        raise lines.wrong(Expected.SEAT, found["seat"])
    try:
        action = None if found["action"] is None else read_action(found["action"])
    except ParseError as wrong:
        raise lines.wrong(wrong.wanted, wrong.found, wrong.form) from None
    return RecordedTurn(
        seat=seat, by=_by(lines, found["by"]), action=action, events=tuple(_events(lines, seats))
    )


def _by(lines: _Lines, word: str) -> TurnSource:
    for by in _BY:
        if by == word:
            return by
    raise lines.wrong(Expected.BY, word, " ".join(_BY))


_BY: Final[tuple[TurnSource, ...]] = get_args(TurnSource)


def _events(lines: _Lines, seats: int) -> Iterator[Event]:
    while lines.peek().startswith(_EVENT):
        try:
            event = read_event(lines.next_line().removeprefix(_EVENT))
        except ParseError as wrong:
            raise lines.wrong(wrong.wanted, wrong.found, wrong.form) from None
        _require_table(lines, event, seats)
        yield event


def _require_table(lines: _Lines, event: Event, seats: int) -> None:
    """Every seat of an event is one of the table, and what goes by seats goes by all of them."""
    for seat in _seats_in(event):
        if seat >= seats:
            raise lines.wrong(Expected.SEAT, str(seat + 1))
    if any(len(rows) != seats for rows in _rows_in(event)):
        raise lines.wrong(Expected.COUNT, form=str(seats))


def _seats_in(event: Event) -> Iterator[int]:
    for name in _SEATS:
        seat = getattr(event, name, None)
        if seat is not None:
            yield seat
    if isinstance(event, GameEnded):
        yield from event.winners


def _rows_in(event: Event) -> tuple[Sequence[object], ...]:
    match event:
        case Dealt():
            return event.roles, event.hands
        case RoundEnded():
            return (event.roles,)
        case GameEnded():
            return (event.nuggets,)
    return ()


_SEATS: Final = ("seat", "target", "starter", "ended_by", "passed_to")


def _secrets(lines: _Lines) -> Secrets | None:
    if not lines.peek().startswith("secret"):
        return None
    gold, first, second, third = (_bytes(lines.take(form)["hex"]) for form in _SECRETS)
    return Secrets(gold=gold, round_1=first, round_2=second, round_3=third)


def _bytes(digits: str) -> bytes:
    return bytes.fromhex(digits.replace(" ", ""))
