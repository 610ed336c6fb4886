"""A message is stored in few bytes until it is sent, and what can't be read is composed again.

``LODEPOST_GOLDEN=write`` makes the dictionary from the email about a turn.
"""

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.cards import ACTION_CARDS, PATH_CARDS
from tests.support.email_contexts import COMPOSER, EMAIL_KINDS, NOW, EmailContexts
from tests.support.golden import is_writing_golden_files
from tests.support.perspectives import ENGLISH
from webapp.mail import stored_message
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import MessageParts
from webapp.picture.cards import draw_card
from webapp.picture.palette import EMAIL_PALETTE

_TOKEN = re.compile(r"[a-z2-7]{26,}")
_BETWEEN_ELEMENTS = re.compile(r"(?=<)|(?<=\n)")
_SHORT = MessageParts(
    text="Your turn: ⛏\n", fields=(("To", "alice@example.test"),), html="<p>⛏</p>", boundary="=_b"
)


def test_dictionary_makes_the_email_about_a_turn_a_thirtieth_as_long(
    email_context: EmailContexts,
) -> None:
    context = email_context("your-turn")
    parts = COMPOSER.compose(context, now=NOW)
    if is_writing_golden_files():
        stored_message.DICTIONARY_FILE.write_bytes(_dictionaries(context))
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


def _dictionaries(context: EmailContext) -> bytes:
    """Return what the sections of an email say, without its tokens, and what the same email says where answers are not read.

    The pictures are those of the email and all cards. What most emails contain comes last, where deflate finds it longest.
    """
    envelope = replace(context.envelope, reply_to=None, reply_address="")
    emails = (
        COMPOSER.compose(each, now=NOW) for each in (context, replace(context, envelope=envelope))
    )
    (words, pictures), (other_words, _) = (map(_without_tokens, _texts_of(each)) for each in emails)
    cards = (draw_card(card, EMAIL_PALETTE, language=ENGLISH) for card in PATH_CARDS | ACTION_CARDS)
    sections = (
        _new_elements(other_words, words) + words,
        pictures + _new_elements("".join(cards), pictures),
    )
    return stored_message.SECTION_SEPARATOR.join(section.encode() for section in sections)


def _without_tokens(text: str) -> str:
    return _TOKEN.sub("", text)


def _new_elements(text: str, known_text: str) -> str:
    """Return the elements and lines of a text that another one has not, each once."""
    known_elements = set(_BETWEEN_ELEMENTS.split(known_text))
    return "".join(
        dict.fromkeys(each for each in _BETWEEN_ELEMENTS.split(text) if each not in known_elements)
    )


def _texts_of(parts: MessageParts) -> Iterator[str]:
    """Yield the text of each section as it is stored."""
    yield "".join((parts.text, *(f"{name}{value}" for name, value in parts.fields), parts.html))
    yield "".join(picture.svg for picture in parts.pictures)
