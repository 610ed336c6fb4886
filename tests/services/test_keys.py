import re
from hmac import compare_digest

import pytest

from tests.support.factories import KEYS, seeded_tokens
from webapp.services.keys import Keyring, hash_of, random_token


def test_token_depends_on_purpose_and_every_part() -> None:
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


def test_none_counts_as_an_empty_part_but_not_as_a_missing_one() -> None:
    assert KEYS.token("a purpose", None) == KEYS.token("a purpose", "")
    assert KEYS.token("a purpose", None) != KEYS.token("a purpose")


def test_tokens_are_url_safe() -> None:
    for token in (KEYS.token("a purpose"), random_token(seeded_tokens())):
        assert re.fullmatch(r"[A-Za-z0-9_-]{32}", token)


def test_code_has_six_digits() -> None:
    codes = {KEYS.code(bytes([number])) for number in range(200)}
    assert all(re.fullmatch(r"[0-9]{6}", code) for code in codes)
    assert len(codes) > 190


def test_message_id_is_short_and_ends_with_the_domain() -> None:
    message_id = KEYS.message_id("your-turn", 1, 2, 3, 0)
    assert re.fullmatch(r"<[a-z2-7]{26}@lodepost\.test>", message_id)
    assert len(message_id) < 70


@pytest.mark.parametrize(
    "domain, domain_suffix",
    [
        ("dwarfs.mining.university-of-riga.example", "dwarfs.mining.university-of-riga.example"),
        (
            "saboteur.games.mining.university-of-riga.example",
            "games.mining.university-of-riga.example",
        ),
        (f"{'x' * 60}.example", f"{'x' * 60}.example"),
    ],
)
def test_message_id_shortens_a_long_domain(domain: str, domain_suffix: str) -> None:
    message_id = Keyring(b"a key", domain=domain).message_id("your-turn", 1)
    assert message_id.partition("@")[2] == f"{domain_suffix}>"


def test_code_hash_depends_on_the_key() -> None:
    other = Keyring(b"another key", domain="lodepost.test")
    assert not compare_digest(KEYS.code_hash(b"n", "123456"), other.code_hash(b"n", "123456"))
    assert compare_digest(KEYS.code_hash(b"n", "123456"), KEYS.code_hash(b"n", "123456"))


def test_any_text_can_be_hashed() -> None:
    assert len({hash_of(text) for text in ("", "x", "\ud800", "\0")}) == 4


def test_repr_of_keyring_hides_the_key() -> None:
    assert repr(KEYS) == "<Keyring>"
