import re

import pytest

from tests.support.factories import KEYS, seeded_tokens
from webapp.services.keys import Keyring, hash_of, random_text, same


def test_the_same_parts_give_the_same_token_and_others_another() -> None:
    assert KEYS.token("a purpose", b"nonce", 1) == KEYS.token("a purpose", b"nonce", 1)
    others = {
        KEYS.token("a purpose", b"nonce", 1),
        KEYS.token("another", b"nonce", 1),
        KEYS.token("a purpose", b"nonce", 2),
        KEYS.token("a purpose", b"nonce1"),
        KEYS.token("a purpose", b"nonc", "e1"),
        Keyring(b"another key", domain="lodepost.test").token("a purpose", b"nonce", 1),
    }
    assert len(others) == 6


def test_nothing_and_empty_are_one_part_and_no_part_is_another() -> None:
    assert KEYS.token("a purpose", None) == KEYS.token("a purpose", "")
    assert KEYS.token("a purpose", None) != KEYS.token("a purpose")


def test_tokens_travel_in_addresses() -> None:
    for token in (KEYS.token("a purpose"), random_text(seeded_tokens())):
        assert re.fullmatch(r"[A-Za-z0-9_-]{32}", token)


def test_a_code_has_six_digits() -> None:
    codes = {KEYS.code(bytes([number])) for number in range(200)}
    assert all(re.fullmatch(r"[0-9]{6}", code) for code in codes)
    assert len(codes) > 190


def test_a_message_id_is_short_and_names_the_domain() -> None:
    message_id = KEYS.message_id("your-turn", 1, 2, 3, 0)
    assert re.fullmatch(r"<[a-z2-7]{26}@lodepost\.test>", message_id)
    assert len(message_id) < 70


@pytest.mark.parametrize(
    "domain, under",
    [
        ("dwarfs.mining.university-of-riga.example", "dwarfs.mining.university-of-riga.example"),
        (
            "saboteur.games.mining.university-of-riga.example",
            "games.mining.university-of-riga.example",
        ),
        (f"{'x' * 60}.example", f"{'x' * 60}.example"),
    ],
)
def test_a_message_id_bears_as_much_of_a_long_domain_as_has_room(domain: str, under: str) -> None:
    message_id = Keyring(b"a key", domain=domain).message_id("your-turn", 1)
    assert message_id.partition("@")[2] == f"{under}>"


def test_the_hash_of_a_code_needs_the_key() -> None:
    other = Keyring(b"another key", domain="lodepost.test")
    assert not same(KEYS.code_hash(b"n", "123456"), other.code_hash(b"n", "123456"))
    assert same(KEYS.code_hash(b"n", "123456"), KEYS.code_hash(b"n", "123456"))


def test_every_text_has_a_hash() -> None:
    assert len({hash_of(text) for text in ("", "x", "\ud800", "\0")}) == 4


def test_a_keyring_does_not_show_its_key() -> None:
    assert repr(KEYS) == "<Keyring>"
