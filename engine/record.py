"""The record of a game, its text file ``NAME.game``, and the chain of its turns.

The file is UTF-8 text in lines. A line that begins with six spaces continues the line before. In this order::

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

    head: (64 hexadecimal digits)           the head after the last turn
    secret gold: (64 hexadecimal digits)    the four secrets, once they are opened
    secret round-1: ...
    end

Names are JSON strings in which every non-printable character is escaped. Actions and events are in the notation of
:mod:`engine.notation`, the events of a turn below it. ``table`` is a turn of no seat; a turn without an action has no colon.
The freeze record and the commitments are described in :mod:`engine.commitments`, the head below.

The chain of turns gives one hash, the *head*, that stands for a game up to a turn. Players get the head in their emails
while they play. After the game anyone can compute every head again from the record, so a record in which any turn was
changed, replaced or left out does not match the emails. The format never changes.

Fields and numbers are those of :mod:`engine.commitments`, and ``record`` is the freeze record. All hashes are SHA-256.

1. The *start* is the hash over the fields ``lodepost chain 1`` and ``record``.
2. The *nonce* of turn ``n`` is HMAC-SHA-256 with the secret ``gold`` as key over the field ``record``, the field ``turns`` and ``n`` as a
   big-endian unsigned 64-bit number. That is block ``n`` of the shuffles (:mod:`engine.commitments`) for the label ``turns``, under
   which nothing is shuffled.
3. The *text* of a turn is what the game file says of it, in UTF-8: its line and the lines of its events, each with its continuation
   lines joined by single spaces, and with one line feed after each line (:func:`engine.record.turn_text`).
4. The head after turn ``n`` is the hash over the fields ``lodepost turn 1``, the head after turn ``n - 1`` (for turn 0 the start, and in
   both cases 32 raw bytes), the nonce and the text of turn ``n``.

A turn holds secrets that are easy to guess, such as one of a few cards. Its nonce keeps everyone from testing a guess against the
head: it is known to no one before the secrets of the deal are revealed, and the commitment to the secret ``gold`` fixes it. A rewind
is a turn like any other: the turns that it undoes stay in the log and in the chain.
"""

import hashlib
import hmac
import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from engine.actions import Action
from engine.commitments import (
    SECRET_LABELS,
    FrozenTable,
    Secrets,
    house_rule_words,
    length_prefixed,
)
from engine.events import Event
from engine.notation import write_action, write_event

FORMAT: Final = "lodepost game 1"
TurnSource: TypeAlias = Literal[
    "player", "mail", "plan", "server", "clock", "bot", "away", "moderator", "vote"
]
"""How a turn entered the game: ``away`` is a bot's turn for an absent player, ``server`` gold picked for a player."""

_LINE_WIDTH: Final = 100
_HEX_DIGITS_PER_LINE: Final = 64
_EVENT_INDENT: Final = "  "
_CONTINUATION_INDENT: Final = "      "
_SECTION_START: Final = re.compile(" (?=(?:roles|aside|goals|hands|/|deck|pile) )")
"""A long event, such as a deal, continues on a new line at these words."""

SHORT_HEAD_DIGITS: Final = 20
"""The number of hexadecimal digits of a head that an email shows if the whole head is one link away: 80 bits."""
_START_TAG: Final = b"lodepost chain 1"
_TURN_TAG: Final = b"lodepost turn 1"
_NONCE_LABEL: Final = b"turns"
_TURN_NUMBER_SIZE: Final = 8


class RecordedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of the log. Its repr shows no field, because its events hold secrets."""

    seat: int | None
    by: TurnSource
    action: Action | None
    """None for the first deal, a seat given up or handed over, a game shortened, and a rewind."""
    events: tuple[Event, ...]

    def __repr__(self) -> str:
        return "<RecordedTurn>"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A game from its freeze record on. Its repr shows no field, because they hold secrets."""

    table: FrozenTable
    """The agreements before the deal, as in the header of the file."""
    freeze: bytes
    """The freeze record that all players received; it holds the same agreements, unless the file was changed."""
    turns: tuple[RecordedTurn, ...]
    """All turns; turn 0 is the first deal."""
    secrets: Secrets | None
    """None until the game has ended and its secrets are opened."""
    head: str | None = None
    """The head after the last turn, in hexadecimal; None if the file does not state it."""

    def __repr__(self) -> str:
        return "<Record>"


def write_record(record: Record) -> str:
    """Return the text of a game file, with every secret; :func:`engine.record_reading.read_record` reads it."""
    return "".join(f"{line}\n" for line in _record_lines(record))


def turn_text(seq: int, turn: RecordedTurn) -> str:
    """Return what the file says of a turn, without line breaks within an event."""
    event_lines = (f"{_EVENT_INDENT}{write_event(event)}\n" for event in turn.events)
    return "".join((f"{_turn_line(seq, turn)}\n", *event_lines))


def _record_lines(record: Record) -> Iterator[str]:
    yield FORMAT
    yield from _header_lines(record.table)
    yield "freeze:"
    yield from _hex_chunks(record.freeze.hex())
    yield ""
    for seq, turn in enumerate(record.turns):
        yield from _turn_lines(seq, turn)
    yield ""
    if record.head is not None:
        yield f"head: {record.head}"
    if record.secrets is not None:
        for label, secret in record.secrets.by_label().items():
            yield f"secret {label}: {secret.hex()}"
    yield "end"


def _header_lines(table: FrozenTable) -> Iterator[str]:
    yield f"game: {_quoted_name(table.game)}"
    yield f"rulebook: {table.rulebook}"
    yield f"house: {' '.join(house_rule_words(table.house)) or 'none'}"
    yield "starter: " + ("chance" if table.starter is None else f"seat {table.starter + 1}")
    for number, seat in enumerate(table.seats, 1):
        yield f"seat {number}: {_quoted_name(seat.name)} salt {seat.salt.hex() or '-'}"
    for label, digest in zip(SECRET_LABELS, table.commitments, strict=True):
        yield f"commitment {label}: {digest}"


def _turn_lines(seq: int, turn: RecordedTurn) -> Iterator[str]:
    yield _turn_line(seq, turn)
    for event in turn.events:
        yield from _event_lines(event)


def _turn_line(seq: int, turn: RecordedTurn) -> str:
    actor = "table" if turn.seat is None else f"seat {turn.seat + 1}"
    action = "" if turn.action is None else f": {write_action(turn.action)}"
    return f"{seq} {actor}{action} (by {turn.by})"


def _event_lines(event: Event) -> Iterator[str]:
    indent = _EVENT_INDENT
    for section in _SECTION_START.split(write_event(event)):
        yield from _wrapped_lines(section, indent)
        indent = _CONTINUATION_INDENT


def _wrapped_lines(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _LINE_WIDTH,
        initial_indent=indent,
        subsequent_indent=_CONTINUATION_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _hex_chunks(digits: str) -> Iterator[str]:
    for chunk_start in range(0, len(digits), _HEX_DIGITS_PER_LINE):
        yield _CONTINUATION_INDENT + digits[chunk_start : chunk_start + _HEX_DIGITS_PER_LINE]


def _quoted_name(text: str) -> str:
    """Return a JSON string in which every non-printable character is escaped."""
    quoted_text = json.dumps(text, ensure_ascii=False)
    return "".join(
        character if character.isprintable() else json.dumps(character)[1:-1]
        for character in quoted_text
    )


class TurnChain:
    """Computes the heads of one game. Its repr shows no secret."""

    def __init__(self, secrets: Secrets, record: bytes) -> None:
        """Use the secrets of the game and its freeze record."""
        self.start = hashlib.sha256(length_prefixed(_START_TAG) + length_prefixed(record)).digest()
        opening = length_prefixed(record) + length_prefixed(_NONCE_LABEL)
        self._nonce_hash = hmac.new(secrets.gold, opening, "sha256")

    def __repr__(self) -> str:
        return "<TurnChain>"

    def nonce(self, seq: int) -> bytes:
        """Return the nonce of a turn; it is as secret as the deck until the game is over."""
        nonce_hash = self._nonce_hash.copy()
        nonce_hash.update(seq.to_bytes(_TURN_NUMBER_SIZE, "big"))
        return nonce_hash.digest()

    def head_after(self, head: bytes, seq: int, turn: RecordedTurn) -> bytes:
        """Return the head after turn ``seq``, from the head before it."""
        parts = (_TURN_TAG, head, self.nonce(seq), turn_text(seq, turn).encode())
        return hashlib.sha256(b"".join(map(length_prefixed, parts))).digest()

    def heads(self, turns: Iterable[RecordedTurn]) -> tuple[bytes, ...]:
        """Return the head after every turn of a game, from the first deal on."""
        heads = [self.start]
        for seq, turn in enumerate(turns):
            heads.append(self.head_after(heads[-1], seq, turn))
        return tuple(heads[1:])
