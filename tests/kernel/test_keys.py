import re

import pytest

from tests.support.transactions import KEYS, seeded_tokens
from webapp.kernel.keyring import Keyring, TokenSource, UnknownKey, hash_of, random_token


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


def test_tokens_and_message_ids_are_alphanumeric() -> None:
    """Mail programs leave punctuation out that ends a link."""
    for number in range(100):
        nonce = KEYS.new_nonce(lambda size, number=number: number.to_bytes(size, "big"))
        texts = (
            KEYS.token("unsubscribe", number),
            KEYS.link_token("sign-in", nonce),
            random_token(lambda size, number=number: bytes([number, *[255] * (size - 1)])),
            KEYS.message_id(number).strip("<>").partition("@")[0],
        )
        assert all(re.fullmatch("[a-z2-7]+", text) for text in texts)


def test_code_has_six_digits() -> None:
    codes = {KEYS.code(KEYS.new_nonce(lambda _, n=number: bytes([n]))) for number in range(200)}
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


def test_code_counts_for_its_nonce_and_key_only() -> None:
    nonce, other_nonce = (KEYS.new_nonce(seeded_tokens(seed)) for seed in ("one", "two"))
    code_hash = KEYS.code_hash(nonce, "123456")
    assert KEYS.is_code("123456", nonce, code_hash)
    assert not KEYS.is_code("123457", nonce, code_hash)
    assert not KEYS.is_code("123456", other_nonce, code_hash)
    assert not Keyring(b"another key", domain="lodepost.test").is_code("123456", nonce, code_hash)


def test_links_keep_the_key_that_they_were_made_with() -> None:
    old_keys = Keyring(b"the old key", domain="lodepost.test")
    keys = Keyring(b"the new key", domain="lodepost.test", old_secrets=[b"the old key"])
    link = TokenSource(old_keys, seeded_tokens()).new_link("invitation")
    assert hash_of(keys.link_token("invitation", link.nonce)) == link.token_hash
    assert keys.code(link.nonce) == old_keys.code(link.nonce)
    new_link = TokenSource(keys, seeded_tokens()).new_link("invitation")
    assert not old_keys.has_key_of(new_link.nonce)
    with pytest.raises(UnknownKey, match="OLD_SECRET_KEYS"):
        old_keys.link_token("invitation", new_link.nonce)


def test_token_of_an_old_key_counts_until_the_key_is_dropped() -> None:
    token = Keyring(b"the old key", domain="lodepost.test").token("sat there", 7)
    keys = Keyring(b"the new key", domain="lodepost.test", old_secrets=[b"the old key"])
    assert keys.token("sat there", 7) != token
    assert keys.is_token(token, "sat there", 7)
    assert not keys.is_token(token, "was in club", 7)
    assert not Keyring(b"the new key", domain="lodepost.test").is_token(token, "sat there", 7)


def test_any_text_can_be_hashed() -> None:
    assert len({hash_of(text) for text in ("", "x", "\ud800", "\0")}) == 4


def test_repr_of_keyring_hides_the_key() -> None:
    assert repr(KEYS) == "<Keyring>"
