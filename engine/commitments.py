"""The provable deal: the secrets of a game, the commitments to them, the freeze record, and the shuffles that follow.

A game has four *secrets* of 32 random bytes: one for the gold pile and one for each round. Every player sees a
*commitment* to each secret before any player may add salt. The ready-check then freezes the table into one byte string,
the *freeze record*, which is emailed to all players; every shuffle depends on a secret and on that record. After the
game the secrets are opened, and anyone can verify the game (:mod:`engine.verification`). ``docs/game-record.md``
describes the same for people who read no Python.

Commitments and freeze records consist of *fields*: a field is its length in bytes as a big-endian unsigned 32-bit number,
then the bytes. Text is UTF-8. Numbers are big-endian unsigned 32-bit numbers. ``tests/rules/test_commitments.py`` pins a test
vector of each.

Commitment: the SHA-256, in lower-case hexadecimal, over the fields ``lodepost commitment 1``, the game's public name, the
secret's label (``gold``, ``round-1``, ``round-2`` or ``round-3``) and the secret.

Freeze record, of 8192 bytes at most, in this order and without anything after it:

- field ``lodepost freeze 1``
- field: the game's public name; field: the rulebook's key
- the number of house rules that differ from their default; a field for each, in the order of ``HouseRules``: its name with
  hyphens (``open-gold``), and ``rounds=1`` or ``rounds=2`` for a shorter game
- number: 0 if chance picks the starter of round one, else the starter's seat, counted from 1
- four fields of 32 bytes: the commitments as raw bytes, for ``gold``, ``round-1``, ``round-2``, ``round-3``
- the number of seats; for each, clockwise: a field with the player's public name, a field with the salt (0-64 bytes)

Anyone can reproduce the shuffles, in any programming language. The algorithm never changes. This is how ``items`` are
shuffled under a ``label`` with a 32-byte ``secret`` and a byte string ``record``:

1. The *opening* is ``u32(len(record)) record u32(len(label)) label``: lengths in bytes as big-endian unsigned 32-bit
   numbers, the label in UTF-8.
2. Block number ``k`` (0, 1, 2 ...) is HMAC-SHA-256 with the secret as key over the opening followed by ``k`` as a
   big-endian unsigned 64-bit number. Its 32 bytes are eight *draws*, big-endian unsigned 32-bit numbers from left to
   right. The draws of all blocks form one endless sequence; every label begins at block 0.
3. A number below ``n`` is computed from the next draw ``d``: if ``d`` is not below the largest multiple of ``n`` that is at
   most 2**32, it is rejected and the next draw is used; otherwise the number is ``d mod n``.
4. For ``last`` from the last index down to 1: compute a number below ``last + 1``, and swap the item at it with that at ``last``.

``tests/rules/test_provable_shuffle.py`` pins test vectors and reproduces them with an independent implementation of this text.
"""

import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec.structs import fields

from engine.cards import HAND_SIZES
from engine.rulebook import HouseRules

SECRET_SIZE: Final = 32
MAX_SALT_SIZE: Final = 64
"""The largest size of a player's salt, in bytes."""
MAX_FREEZE_RECORD_SIZE: Final = 8 * 1024
"""The largest size of a freeze record, in bytes; every shuffle hashes it."""
SECRET_LABELS: Final = ("gold", "round-1", "round-2", "round-3")
"""The labels of the secrets. A shuffle under the label ``round-2/deck`` uses the secret ``round-2``."""

_COMMITMENT_TAG: Final = b"lodepost commitment 1"
_FREEZE_TAG: Final = b"lodepost freeze 1"
_NUMBER_SIZE: Final = 4
_DIGEST_PATTERN: Final = re.compile("[0-9a-f]{64}")
_EIGHT_NUMBERS_STRUCT: Final = Struct(">8I")
_NUMBER_RANGE: Final = 1 << 32

T = TypeVar("T")


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """The four secrets of a game, 32 bytes each. Its repr shows none of them."""

    gold: bytes
    round_1: bytes
    round_2: bytes
    round_3: bytes

    def __post_init__(self) -> None:
        """Raise ValueError for a secret of another size."""
        if any(len(secret) != SECRET_SIZE for secret in self.by_label().values()):
            raise ValueError("a secret has 32 bytes")

    def __repr__(self) -> str:
        return "<Secrets>"

    def by_label(self) -> dict[str, bytes]:
        """Return every secret by its label, in the order of ``SECRET_LABELS``."""
        secrets = (self.gold, self.round_1, self.round_2, self.round_3)
        return dict(zip(SECRET_LABELS, secrets, strict=True))

    def secret_for(self, label: str) -> bytes:
        """Return the secret for the label of a shuffle, named by the part before the first slash. Raises ValueError."""
        name = label.partition("/")[0]
        if name not in SECRET_LABELS:
            raise ValueError("no secret belongs to this label")
        secret: bytes = getattr(self, name.replace("-", "_"))
        return secret


class FrozenSeat(msgspec.Struct, frozen=True):
    """A seat in the freeze record: the player's public name and salt (empty for bots and players who added none)."""

    name: str
    salt: bytes = b""


class FrozenTable(msgspec.Struct, frozen=True, kw_only=True):
    """The agreements of a table before the deal, and the commitments to the secrets."""

    game: str
    rulebook: str
    house: HouseRules
    starter: int | None
    """The seat, from 0, that starts round one; None if chance picks it (R6)."""
    commitments: tuple[str, str, str, str]
    """Digests in lower-case hexadecimal, in the order of ``SECRET_LABELS``."""
    seats: tuple[FrozenSeat, ...]

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid number of seats, starter, salt, commitment or text."""
        if len(self.seats) not in HAND_SIZES:
            raise ValueError("a game has three to ten seats")
        if self.starter is not None and not 0 <= self.starter < len(self.seats):
            raise ValueError("the starter must be one of the seats")
        if any(len(seat.salt) > MAX_SALT_SIZE for seat in self.seats):
            raise ValueError("salt has 64 bytes at most")
        if not all(_DIGEST_PATTERN.fullmatch(digest) for digest in self.commitments):
            raise ValueError("a commitment has 64 hexadecimal digits")
        for text in (self.game, self.rulebook, *(seat.name for seat in self.seats)):
            text.encode()  # Raises an error for an unpaired surrogate.


def commitment(game: str, label: str, secret: bytes) -> str:
    """Return the commitment of a game to a secret, as 64 hexadecimal digits."""
    parts = (_COMMITMENT_TAG, game.encode(), label.encode(), secret)
    return hashlib.sha256(b"".join(length_prefixed(part) for part in parts)).hexdigest()


def commitments(game: str, secrets: Secrets) -> tuple[str, str, str, str]:
    """Return the commitments of a game to all its secrets, in the order of ``SECRET_LABELS``."""
    gold, *rounds = (
        commitment(game, label, secret) for label, secret in secrets.by_label().items()
    )
    return gold, rounds[0], rounds[1], rounds[2]


def freeze(table: FrozenTable) -> bytes:
    """Return the freeze record of a table; equal tables give equal bytes."""
    house_rules = house_rule_words(table.house)
    parts = [
        length_prefixed(_FREEZE_TAG),
        length_prefixed(table.game.encode()),
        length_prefixed(table.rulebook.encode()),
        _number_bytes(len(house_rules)),
        *(length_prefixed(rule.encode()) for rule in house_rules),
        _number_bytes(0 if table.starter is None else table.starter + 1),
        *(length_prefixed(bytes.fromhex(digest)) for digest in table.commitments),
        _number_bytes(len(table.seats)),
        *(length_prefixed(seat.name.encode()) + length_prefixed(seat.salt) for seat in table.seats),
    ]
    return b"".join(parts)


def thaw(record: bytes) -> FrozenTable:
    """Return the table in a freeze record; ``freeze`` turns it into the same bytes again. Raises ValueError."""
    if len(record) > MAX_FREEZE_RECORD_SIZE:
        raise ValueError("a freeze record has 8192 bytes at most")
    reader = _FieldReader(record)
    if reader.field() != _FREEZE_TAG:
        raise ValueError("not a freeze record of a known format")
    table = _thaw_fields(reader)
    reader.require_end()
    return table


def _thaw_fields(reader: "_FieldReader") -> FrozenTable:
    game, rulebook = reader.text(), reader.text()
    house = parse_house_rules([reader.text() for _ in range(reader.number())])
    starter = reader.number()
    gold_digest, round_1_digest, round_2_digest, round_3_digest = (
        reader.field().hex() for _ in SECRET_LABELS
    )
    seats = tuple(FrozenSeat(reader.text(), reader.field()) for _ in range(reader.number()))
    return FrozenTable(
        game=game,
        rulebook=rulebook,
        house=house,
        starter=starter - 1 if starter else None,
        commitments=(gold_digest, round_1_digest, round_2_digest, round_3_digest),
        seats=seats,
    )


def house_rule_words(house: HouseRules) -> tuple[str, ...]:
    """Return the house rules that differ from their default, one word each: ``open-gold``, ``rounds=2``."""
    changed_rules = [
        (field.name.replace("_", "-"), getattr(house, field.name))
        for field in fields(house)
        if getattr(house, field.name) != field.default
    ]
    return tuple(name if value is True else f"{name}={value}" for name, value in changed_rules)


def parse_house_rules(rule_words: Sequence[str]) -> HouseRules:
    """Return the house rules for the words of ``house_rule_words``. Raises ValueError for any other words."""
    values: dict[str, int] = {}
    for rule in rule_words:
        name, separator, value = rule.partition("=")
        values[name.replace("-", "_")] = int(value) if separator else True
    try:
        house = msgspec.convert(values, HouseRules)
    except msgspec.ValidationError as error:
        raise ValueError("unknown house rule") from error
    if house_rule_words(house) != tuple(rule_words):
        raise ValueError("house rules are not in their canonical form")
    return house


def length_prefixed(field: bytes) -> bytes:
    """Return the bytes with their length before them, so that different lists of fields give different bytes."""
    return _number_bytes(len(field)) + field


def _number_bytes(value: int) -> bytes:
    return value.to_bytes(_NUMBER_SIZE, "big")


class _FieldReader:
    """Reads numbers and fields from a byte string. Raises ValueError if it ends too early."""

    def __init__(self, record: bytes) -> None:
        self._remaining_bytes = record

    def number(self) -> int:
        return int.from_bytes(self._take_bytes(_NUMBER_SIZE), "big")

    def field(self) -> bytes:
        return self._take_bytes(self.number())

    def text(self) -> str:
        return self.field().decode()

    def require_end(self) -> None:
        if self._remaining_bytes:
            raise ValueError("a freeze record has bytes after its end")

    def _take_bytes(self, size: int) -> bytes:
        if size > len(self._remaining_bytes):
            raise ValueError("a freeze record ends too early")
        taken_bytes, self._remaining_bytes = (
            self._remaining_bytes[:size],
            self._remaining_bytes[size:],
        )
        return taken_bytes


class Chance(Protocol):
    """The source of all chance. The same label always gives the same order, so every use has its own label."""

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Return the items in random order; every order is equally likely."""
        ...


class ProvableChance:
    """The chance of a real game, from the secret of the label and the freeze record."""

    def __init__(self, secrets: Secrets, record: bytes) -> None:
        """Use the four secrets of a game and its freeze record (see :mod:`engine.commitments`)."""
        self._secrets = secrets
        self._record = record

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle with the secret of the label. Raises ValueError if no secret belongs to it."""
        return shuffle(items, drawn_numbers(self._secrets.secret_for(label), self._record, label))


class SeededChance:
    """Reproducible chance from a seed, which is the key of every label; for benchmarks and tests."""

    def __init__(self, seed: bytes) -> None:
        """Use any byte string as the seed."""
        self._seed = seed

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle with the seed."""
        return shuffle(items, drawn_numbers(self._seed, b"", label))


def drawn_numbers(key: bytes, record: bytes, label: str) -> Iterator[int]:
    """Yield the endless sequence of draws below 2**32 for a key, a record and a label (steps 1 and 2)."""
    opening = length_prefixed(record) + length_prefixed(label.encode())
    opening_code = hmac.new(key, opening, "sha256")
    block_number = 0
    while True:
        block_code = opening_code.copy()
        block_code.update(block_number.to_bytes(8, "big"))
        yield from _EIGHT_NUMBERS_STRUCT.unpack(block_code.digest())
        block_number += 1


def shuffle(items: Sequence[T], numbers: Iterator[int]) -> tuple[T, ...]:
    """Return the items in the order of a Fisher-Yates shuffle with rejection, from draws below 2**32 (steps 3 and 4)."""
    shuffled_items = list(items)
    # zip stops at the end of its first argument without taking another draw.
    for (number_span, limit), first_number in zip(
        _spans_and_limits(len(shuffled_items)), numbers, strict=False
    ):
        drawn_number = first_number
        while drawn_number >= limit:
            drawn_number = next(numbers)
        picked_position, last_position = drawn_number % number_span, number_span - 1
        shuffled_items[last_position], shuffled_items[picked_position] = (
            shuffled_items[picked_position],
            shuffled_items[last_position],
        )
    return tuple(shuffled_items)


@lru_cache
def _spans_and_limits(count: int) -> tuple[tuple[int, int], ...]:
    """Return for each step of a shuffle the number of items left and the lowest draw that is rejected."""
    return tuple(
        (number_span, _NUMBER_RANGE - _NUMBER_RANGE % number_span)
        for number_span in range(count, 1, -1)
    )
