"""The shuffle is documented byte for byte; a second implementation, written from that text alone, must agree with it."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator
from itertools import islice, permutations

import pytest

from engine.cards import DECK, GOALS, GOLD_CARDS, role_pile
from engine.commitments import ProvableChance, Secrets, SeededChance, drawn_numbers, shuffle

SECRETS = Secrets(
    gold=bytes(range(32)),
    round_1=b"\x01" * 32,
    round_2=b"\x02" * 32,
    round_3=bytes(range(255, 223, -1)),
)
RECORD = b"what the table froze"

VECTOR_DRAWS = [
    1571617171,
    1821395379,
    588946701,
    1803373947,
    501366453,
    1597867496,
    3927632053,
    955258306,
    4039446205,
]
VECTOR_GOLD = "1131121212211113111321322112"
VECTOR_ROLES = "ddsdddsdssd"
VECTOR_GOALS = ("stone-tr", "treasure", "stone-tl")
VECTOR_DECK = (41, 22, 9, 10, 16, 58, 56, 42, 38, 3, 57, 1, 36, 2, 33, 66, 4, 40, 50, 51, 21, 52, 44, 53, 65, 14, 48, 34, 17, 62, 23, 43, 45, 7, 60, 29, 0, 37, 64, 12, 59, 25, 24, 19, 20, 26, 31, 39, 30, 47, 46, 49, 35, 27, 32, 18, 8, 28, 6, 63, 5, 15, 11, 13, 55, 54, 61)  # fmt: skip
DECK_DIGEST = "b9de1352579e2282eba53b323cc211b7d5c157e7d27f06db131d8d958cce392a"


def reference_shuffle(secret: bytes, record: bytes, label: str, items: list[str]) -> list[str]:
    def numbers() -> Iterator[int]:
        name, block_number = label.encode("utf-8"), 0
        while True:
            message = b"".join(
                [
                    len(record).to_bytes(4, "big"),
                    record,
                    len(name).to_bytes(4, "big"),
                    name,
                    block_number.to_bytes(8, "big"),
                ]
            )
            digest = hmac.new(secret, message, hashlib.sha256).digest()
            for block_offset in range(0, 32, 4):
                yield int.from_bytes(digest[block_offset : block_offset + 4], "big")
            block_number += 1

    source, order = numbers(), list(items)
    for last_index in reversed(range(1, len(order))):
        upper_bound = last_index + 1
        number = next(source)
        while number >= (2**32 // upper_bound) * upper_bound:
            number = next(source)
        position = number % upper_bound
        order[position], order[last_index] = order[last_index], order[position]
    return order


@pytest.mark.parametrize(
    "label,secret",
    [
        ("gold", SECRETS.gold),
        ("round-1/deck", SECRETS.round_1),
        ("round-2/roles", SECRETS.round_2),
        ("round-3/goals", SECRETS.round_3),
    ],
)
def test_a_second_implementation_gives_the_same_order(label: str, secret: bytes) -> None:
    items = [f"{place}-{card}" for place, card in enumerate(DECK)]
    expected = reference_shuffle(secret, RECORD, label, items)
    assert list(ProvableChance(SECRETS, RECORD).shuffled(label, items)) == expected


def test_shuffles_equal_their_pinned_vectors() -> None:
    chance = ProvableChance(SECRETS, RECORD)
    assert list(islice(drawn_numbers(SECRETS.gold, RECORD, "gold"), 9)) == VECTOR_DRAWS
    assert "".join(map(str, chance.shuffled("gold", GOLD_CARDS))) == VECTOR_GOLD
    assert (
        "".join(role[0] for role in chance.shuffled("round-1/roles", role_pile(10))) == VECTOR_ROLES
    )
    assert chance.shuffled("round-2/goals", GOALS) == VECTOR_GOALS
    assert chance.shuffled("round-3/deck", range(67)) == VECTOR_DECK


def test_initial_order_of_the_items_is_pinned() -> None:
    assert hashlib.sha256(" ".join(DECK).encode()).hexdigest() == DECK_DIGEST
    assert GOLD_CARDS == (1,) * 16 + (2,) * 8 + (3,) * 4
    assert GOALS == ("treasure", "stone-tl", "stone-tr")
    assert role_pile(3) == ("saboteur", "digger", "digger", "digger")


def test_draw_above_the_largest_multiple_is_rejected() -> None:
    rejected_number = (
        2**32 - 1
    )  # 2**32 leaves 1 over 3, so that this number would be the fourth way to nought
    assert shuffle("abc", iter([rejected_number, rejected_number, 0, 1])) == shuffle(
        "abc", iter([0, 1])
    )


def test_no_draw_is_rejected_when_the_range_divides_evenly() -> None:
    assert shuffle("ab", iter([2**32 - 1])) == ("a", "b")
    assert shuffle("ab", iter([2**32 - 2])) == ("b", "a")


@pytest.mark.parametrize("items", ["", "a"])
def test_shuffling_fewer_than_two_items_draws_no_number(items: str) -> None:
    assert shuffle(items, iter(())) == tuple(items)


def test_order_depends_on_label_and_seed() -> None:
    chance = SeededChance(b"seed")
    assert chance.shuffled("round-1/deck", DECK) == chance.shuffled("round-1/deck", DECK)
    assert chance.shuffled("round-1/deck", DECK) != chance.shuffled("round-2/deck", DECK)
    assert chance.shuffled("round-1/deck", DECK) != SeededChance(b"s").shuffled(
        "round-1/deck", DECK
    )


def test_order_depends_only_on_the_secret_of_its_label() -> None:
    other = Secrets(gold=SECRETS.gold, round_1=b"z" * 32, round_2=b"z" * 32, round_3=b"z" * 32)
    first_chance, second_chance = ProvableChance(SECRETS, RECORD), ProvableChance(other, RECORD)
    assert first_chance.shuffled("gold", GOLD_CARDS) == second_chance.shuffled("gold", GOLD_CARDS)
    for label in ("round-1/deck", "round-2/deck", "round-3/deck"):
        assert first_chance.shuffled(label, DECK) != second_chance.shuffled(label, DECK)


def test_one_changed_byte_of_the_freeze_record_changes_every_order() -> None:
    first_chance, second_chance = (
        ProvableChance(SECRETS, RECORD),
        ProvableChance(SECRETS, RECORD + b"!"),
    )
    for label in ("gold", "round-1/deck", "round-2/deck", "round-3/deck"):
        assert first_chance.shuffled(label, DECK) != second_chance.shuffled(label, DECK)


def test_record_and_label_are_length_prefixed() -> None:
    assert next(drawn_numbers(b"k", b"ab", "c")) != next(drawn_numbers(b"k", b"a", "bc"))


def test_label_without_a_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="no secret"):
        ProvableChance(SECRETS, RECORD).shuffled("round-4/deck", DECK)


def test_every_order_is_equally_likely() -> None:
    orders = Counter(
        SeededChance(seed.to_bytes(4, "big")).shuffled("x", "abcd") for seed in range(4_800)
    )
    assert set(orders) == set(permutations("abcd"))
    # 200 of each are expected; a larger deviation has a probability of about one in a million.
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < 72


def test_first_card_is_shuffled_to_every_place_equally_often() -> None:
    places = Counter(
        SeededChance(seed.to_bytes(4, "big")).shuffled("x", range(67)).index(0)
        for seed in range(6_700)
    )
    assert sum((places[place] - 100) ** 2 / 100 for place in range(67)) < 130
