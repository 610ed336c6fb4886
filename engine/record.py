"""A whole game as one readable text file, ``NAME.game``, that gives the same game when it is read.

UTF-8 text in lines. A line that begins with six spaces continues the one before. In this order::

    lodepost game 1
    game: "brave-otter-3"
    rulebook: en-2004
    house: open-gold rounds=2               or: house: none
    starter: chance                         or: starter: seat 2
    seat 1: "Anna" salt 73616c74            or: salt -
    seat 2: ...
    commitment gold: (64 hexadecimal digits)
    commitment round-1: ...
    freeze:
          (the freeze record in hexadecimal)

    0 table (by player)
      dealt round 1 starter 2
          roles ...
    1 seat 2: lay path-trb D5 turned (by mail)
      2 laid path-trb D5 turned
      2 drew map
      turn 3

    secret gold: (64 hexadecimal digits)    the four secrets, once they are opened
    secret round-1: ...
    end

Names are JSON strings in which everything that does not print is escaped. Actions and events are in the notation of
:mod:`engine.notation`, a turn's events below it. ``table`` is a turn of nobody in particular; a turn without an action has
no colon. What is frozen, and what a commitment is, stands in :mod:`engine.fairness`.
"""

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from engine.actions import Action
from engine.events import Event
from engine.fairness import LABELS, FrozenTable, Secrets, freeze, house_rule_words
from engine.notation import write_action, write_event

FORMAT: Final = "lodepost game 1"
TurnSource: TypeAlias = Literal["player", "mail", "plan", "clock", "bot", "moderator"]
"""How a turn entered the game."""

_WIDTH: Final = 100
_CHUNK: Final = 64
_EVENT_INDENT: Final = "  "
_MORE_INDENT: Final = "      "
_SECTION: Final = re.compile(" (?=(?:roles|aside|goals|hands|/|deck|pile) )")
"""Where a long event, a deal above all, goes on in a new line."""


class RecordedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of the log. Blank in tracebacks and logs, for its events hold secrets."""

    seat: int | None
    by: TurnSource
    action: Action | None
    """None where nobody played: the first deal, a seat given up or handed over, a rewind."""
    events: tuple[Event, ...]

    def __repr__(self) -> str:
        return "<RecordedTurn>"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A game from its freeze on. Blank in tracebacks and logs."""

    table: FrozenTable
    """What was agreed on before the deal, as the file's header says it."""
    freeze: bytes
    """The freeze record that was mailed to all; it says the same, if nobody tampered with it."""
    turns: tuple[RecordedTurn, ...]
    """The log; turn 0 is the first deal."""
    secrets: Secrets | None
    """None until they are opened."""

    def __repr__(self) -> str:
        return "<Record>"


class _Step(Protocol):
    @property
    def seat(self) -> int | None: ...
    @property
    def action(self) -> Action | None: ...
    @property
    def events(self) -> tuple[Event, ...]: ...


class _Played(Protocol):
    @property
    def frozen(self) -> FrozenTable: ...
    @property
    def secrets(self) -> Secrets: ...
    @property
    def steps(self) -> Sequence[_Step]: ...


def record_of(game: _Played) -> Record:
    """The record of a game that bots have played."""
    turns = (
        RecordedTurn(seat=step.seat, by="bot", action=step.action, events=step.events)
        for step in game.steps
    )
    return Record(
        table=game.frozen, freeze=freeze(game.frozen), turns=tuple(turns), secrets=game.secrets
    )


def write_record(record: Record) -> str:
    """The text of a game file, with every secret of the game. :func:`engine.record_reading.read` reads it."""
    return "".join(f"{line}\n" for line in _lines(record))


def _lines(record: Record) -> Iterator[str]:
    yield FORMAT
    yield from _header(record.table)
    yield "freeze:"
    yield from _chunks(record.freeze.hex())
    yield ""
    for seq, turn in enumerate(record.turns):
        yield from _turn(seq, turn)
    yield ""
    if record.secrets is not None:
        for label, secret in record.secrets.by_label().items():
            yield f"secret {label}: {secret.hex()}"
    yield "end"


def _header(table: FrozenTable) -> Iterator[str]:
    yield f"game: {quote_name(table.game)}"
    yield f"rulebook: {table.rulebook}"
    yield f"house: {' '.join(house_rule_words(table.house)) or 'none'}"
    yield "starter: " + ("chance" if table.starter is None else f"seat {table.starter + 1}")
    for number, seat in enumerate(table.seats, 1):
        yield f"seat {number}: {quote_name(seat.name)} salt {seat.salt.hex() or '-'}"
    for label, digest in zip(LABELS, table.commitments, strict=True):
        yield f"commitment {label}: {digest}"


def _turn(seq: int, turn: RecordedTurn) -> Iterator[str]:
    who = "table" if turn.seat is None else f"seat {turn.seat + 1}"
    action = "" if turn.action is None else f": {write_action(turn.action)}"
    yield f"{seq} {who}{action} (by {turn.by})"
    for event in turn.events:
        yield from _event(event)


def _event(event: Event) -> Iterator[str]:
    indent = _EVENT_INDENT
    for section in _SECTION.split(write_event(event)):
        yield from _wrapped(section, indent)
        indent = _MORE_INDENT


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=_MORE_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _chunks(digits: str) -> Iterator[str]:
    for begin in range(0, len(digits), _CHUNK):
        yield _MORE_INDENT + digits[begin : begin + _CHUNK]


def quote_name(text: str) -> str:
    """A JSON string in which everything that does not print is escaped."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(mark if mark.isprintable() else json.dumps(mark)[1:-1] for mark in written)
