"""A message is stored in few bytes until it is sent, and what can't be read is composed again.

``LODEPOST_GOLDEN=write`` makes the dictionary from the email about a turn.
"""

import re
from collections.abc import Iterator

import pytest

from tests.support.email_contexts import COMPOSER, EMAIL_KINDS, NOW, EmailContexts
from tests.support.golden import is_writing_golden_files
from webapp.mail import stored_message
from webapp.mail.mime import MessageParts

_TOKEN = re.compile(r"[a-z2-7]{26,}")
_SHORT = MessageParts(
    text="Your turn: ⛏\n", fields=(("To", "alice@example.test"),), html="<p>⛏</p>", boundary="=_b"
)


def test_dictionary_makes_the_email_about_a_turn_a_thirtieth_as_long(
    email_context: EmailContexts,
) -> None:
    parts = COMPOSER.compose(email_context("your-turn"), now=NOW)
    if is_writing_golden_files():
        stored_message.DICTIONARY_FILE.write_bytes(_dictionaries(parts))
    length = len("".join(_texts_of(parts)))
    assert len(stored_message.encode(parts)) < length / 30


@pytest.mark.parametrize("kind", EMAIL_KINDS)
def test_message_is_read_as_it_was_stored(email_context: EmailContexts, kind: str) -> None:
    parts = COMPOSER.compose(email_context(kind), now=NOW)
    assert stored_message.decode(stored_message.encode(parts)) == parts


def test_nothing_stored_is_no_message() -> None:
    assert stored_message.decode(None) is None


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"From: not compressed",
        stored_message.encode(_SHORT)[:-6],
        stored_message.encode(_SHORT).replace(b"\x78", b"\x79", 1),
    ],
)
def test_damaged_message_is_none(value: bytes) -> None:
    assert stored_message.decode(value) is None


def _dictionaries(parts: MessageParts) -> bytes:
    """Return what the sections of an email say, without its tokens."""
    return stored_message.SECTION_SEPARATOR.join(
        _TOKEN.sub("", text).encode() for text in _texts_of(parts)
    )


def _texts_of(parts: MessageParts) -> Iterator[str]:
    """Yield the text of each section as it is stored."""
    yield "".join((parts.text, *(f"{name}{value}" for name, value in parts.fields), parts.html))
    yield "".join(picture.svg for picture in parts.pictures)
