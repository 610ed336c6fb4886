"""What makes the deal provable: a game's secrets, the commitments to them, and the record that the ready-check freezes.

A game has four *secrets* of 32 random bytes: one for the gold pile, one for each round. Before anybody may add a pinch of
salt, everybody sees a *commitment* to each. The ready-check then freezes the table into one byte string, the *freeze
record*, which is mailed to all; every shuffle depends on a secret and on that record (:mod:`engine.shuffle`). When the
game has ended the secrets are opened, and anyone can check everything (:mod:`engine.verification`).

Both are made of *fields*: a field is its length in bytes as a big-endian unsigned 32-bit number, then the bytes. Text is
UTF-8. Numbers are big-endian unsigned 32-bit numbers. ``tests/rules/test_fairness.py`` pins a vector of each.

Commitment: the SHA-256, in lower-case hexadecimal, over the fields ``lodepost commitment 1``, the game's public name, the
secret's label (``gold``, ``round-1``, ``round-2`` or ``round-3``) and the secret.

Freeze record, in this order and with nothing after it:

- field ``lodepost freeze 1``
- field: the game's public name; field: the rulebook's key
- number of house rules that are not at their default, a field for each, in the order of ``HouseRules``: its name with
  hyphens (``open-gold``), and ``rounds=1`` or ``rounds=2`` for a shorter game
- number: 0 when chance picks the starter of round one, else the starter's seat, counted from 1
- four fields of 32 bytes: the commitments as raw bytes, for ``gold``, ``round-1``, ``round-2``, ``round-3``
- number of seats; for each, clockwise: a field with the public name of who sits there, a field with the salt (0-64 bytes)
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import fields

from engine.cards import HAND_SIZES
from engine.rulebook import HouseRules

SECRET_SIZE: Final = 32
SALT_LIMIT: Final = 64
"""The most bytes that a pinch of salt may have."""
LABELS: Final = ("gold", "round-1", "round-2", "round-3")
"""What each of a game's secrets is for. Every shuffle of ``round-2/deck`` uses the secret ``round-2``."""

_COMMITMENT_TAG: Final = b"lodepost commitment 1"
_FREEZE_TAG: Final = b"lodepost freeze 1"
_NUMBER_SIZE: Final = 4
_DIGEST: Final = re.compile("[0-9a-f]{64}")


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """The four secrets of a game, 32 bytes each. Blank in tracebacks and logs."""

    gold: bytes
    round_1: bytes
    round_2: bytes
    round_3: bytes

    def __post_init__(self) -> None:
        """Refuse a secret of another size."""
        if any(len(secret) != SECRET_SIZE for secret in self.by_label().values()):
            raise ValueError("a secret has 32 bytes")

    def __repr__(self) -> str:
        return "<Secrets>"

    def by_label(self) -> dict[str, bytes]:
        """Every secret with its label, in the order of ``LABELS``."""
        opened = (self.gold, self.round_1, self.round_2, self.round_3)
        return dict(zip(LABELS, opened, strict=True))

    def of(self, label: str) -> bytes:
        """The secret that a shuffle's label belongs to: the part before the first slash names it."""
        name = label.partition("/")[0]
        if name not in LABELS:
            raise ValueError("no secret belongs to this label")
        secret: bytes = getattr(self, name.replace("-", "_"))
        return secret


class FrozenSeat(msgspec.Struct, frozen=True):
    """Who sits in a seat when the table freezes, by public name, and the pinch of salt (empty for bots and the absent)."""

    name: str
    salt: bytes = b""


class FrozenTable(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a table agreed on before the deal."""

    game: str
    rulebook: str
    house: HouseRules
    starter: int | None
    """The seat, from 0, that starts round one; None leaves it to chance (R6)."""
    commitments: tuple[str, str, str, str]
    """As hexadecimal, in the order of ``LABELS``."""
    seats: tuple[FrozenSeat, ...]

    def __post_init__(self) -> None:
        """Refuse a table that no game can have. Raises ValueError."""
        if len(self.seats) not in HAND_SIZES:
            raise ValueError("a game has three to ten seats")
        if self.starter is not None and not 0 <= self.starter < len(self.seats):
            raise ValueError("the starter must be one of the seats")
        if any(len(seat.salt) > SALT_LIMIT for seat in self.seats):
            raise ValueError("a pinch of salt has 64 bytes at most")
        if not all(_DIGEST.fullmatch(digest) for digest in self.commitments):
            raise ValueError("a commitment has 64 hexadecimal digits")
        for text in (self.game, self.rulebook, *(seat.name for seat in self.seats)):
            text.encode()  # Half of a surrogate pair is no text, and has no bytes.


def commitment(game: str, label: str, secret: bytes) -> str:
    """The hash that binds a game to a secret before it is opened, as 64 hexadecimal digits."""
    parts = (_COMMITMENT_TAG, game.encode(), label.encode(), secret)
    return hashlib.sha256(b"".join(length_prefixed(part) for part in parts)).hexdigest()


def commitments(game: str, secrets: Secrets) -> tuple[str, str, str, str]:
    """The commitments to all of a game's secrets, in the order of ``LABELS``."""
    gold, *rounds = (
        commitment(game, label, secret) for label, secret in secrets.by_label().items()
    )
    return gold, rounds[0], rounds[1], rounds[2]


def freeze(table: FrozenTable) -> bytes:
    """The freeze record of a table: the same table always gives the same bytes."""
    words = house_rule_words(table.house)
    parts = [
        length_prefixed(_FREEZE_TAG),
        length_prefixed(table.game.encode()),
        length_prefixed(table.rulebook.encode()),
        _number(len(words)),
        *(length_prefixed(word.encode()) for word in words),
        _number(0 if table.starter is None else table.starter + 1),
        *(length_prefixed(bytes.fromhex(digest)) for digest in table.commitments),
        _number(len(table.seats)),
        *(length_prefixed(seat.name.encode()) + length_prefixed(seat.salt) for seat in table.seats),
    ]
    return b"".join(parts)


def thaw(record: bytes) -> FrozenTable:
    """Read a freeze record. Raises ValueError when it is none; ``freeze`` of the answer is the record again."""
    rest = _Reader(record)
    if rest.field() != _FREEZE_TAG:
        raise ValueError("this is no freeze record of a format known here")
    table = _thaw_fields(rest)
    rest.finish()
    return table


def _thaw_fields(rest: "_Reader") -> FrozenTable:
    game, rulebook = rest.text(), rest.text()
    house = parse_house_rules([rest.text() for _ in range(rest.number())])
    starter = rest.number()
    gold, first, second, third = (rest.field().hex() for _ in LABELS)
    seats = tuple(FrozenSeat(rest.text(), rest.field()) for _ in range(rest.number()))
    return FrozenTable(
        game=game,
        rulebook=rulebook,
        house=house,
        starter=starter - 1 if starter else None,
        commitments=(gold, first, second, third),
        seats=seats,
    )


def house_rule_words(house: HouseRules) -> tuple[str, ...]:
    """The house rules that are not at their default, a word each: ``open-gold``, ``rounds=2``."""
    changed = [
        (field.name.replace("_", "-"), getattr(house, field.name))
        for field in fields(house)
        if getattr(house, field.name) != field.default
    ]
    return tuple(name if value is True else f"{name}={value}" for name, value in changed)


def parse_house_rules(words: Sequence[str]) -> HouseRules:
    """Read what ``house_rule_words`` wrote, and nothing else. Raises ValueError."""
    given: dict[str, int] = {}
    for word in words:
        name, equals, value = word.partition("=")
        given[name.replace("-", "_")] = int(value) if equals else True
    try:
        house = msgspec.convert(given, HouseRules)
    except msgspec.ValidationError as problem:
        raise ValueError("this is no house rule known here") from problem
    if house_rule_words(house) != tuple(words):
        raise ValueError("house rules have one way to be written, and this is another")
    return house


def length_prefixed(field: bytes) -> bytes:
    """The bytes with their number before them, so that no two lists of fields look alike."""
    return _number(len(field)) + field


def _number(value: int) -> bytes:
    return value.to_bytes(_NUMBER_SIZE, "big")


class _Reader:
    """Reads numbers and fields off a byte string; ValueError when it ends too early."""

    def __init__(self, record: bytes) -> None:
        self._rest = record

    def number(self) -> int:
        return int.from_bytes(self._take(_NUMBER_SIZE), "big")

    def field(self) -> bytes:
        return self._take(self.number())

    def text(self) -> str:
        return self.field().decode()

    def finish(self) -> None:
        if self._rest:
            raise ValueError("a freeze record goes on after its end")

    def _take(self, size: int) -> bytes:
        if size > len(self._rest):
            raise ValueError("a freeze record ends too early")
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken
