"""Header lines that no value can break out of. Whatever is ASCII and printable is written as it is, the rest as RFC 2047 words.

Lines are not folded where that can be helped: a folded or encoded ``List-Unsubscribe`` or ``References`` is not understood
by everybody. The limit that counts is 998 (RFC 5322 2.1.1).
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from email.utils import quote
from functools import lru_cache
from typing import Final, TypeAlias

Field: TypeAlias = tuple[str, str]
"""A header's name, which is ours, and its value as it goes over the wire."""

_LONGEST: Final = 900
_JOINERS: Final = "\u200c\u200d"
_CRLF: Final = "\r\n"
_WORD: Final = "=?utf-8?b?%s?="
_LONGEST_OF_WORDS: Final = 76


class BadHeader(ValueError):
    """A value that must be plain ASCII is not; ``name`` says in which header."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the value of {name} cannot stand in a header")
        self.name = name


def written(fields: Iterable[Field]) -> bytes:
    """The header of a message, with the empty line that ends it."""
    lines = [f"{name}: {value}{_CRLF}" for name, value in fields]
    return "".join((*lines, _CRLF)).encode("ascii")


def token(name: str, value: str) -> Field:
    """A field for programs: an id, an address in brackets, a keyword. Raises BadHeader rather than encode it."""
    if not (value.isascii() and value.isprintable() and 0 < len(value) <= _LONGEST):
        raise BadHeader(name)
    return name, value


@lru_cache(maxsize=4096)
def text(name: str, value: str) -> Field:
    """A field for people, in any script."""
    clean = one_line(value)
    if clean.isascii() and len(clean) <= _LONGEST and "=?" not in clean:
        return name, clean
    return name, _encoded(name, clean)


@lru_cache(maxsize=4096)
def mailbox(name: str, address: str, *, called: str = "") -> Field:
    """A field with one address and the name of whom it belongs to. Raises BadHeader for an address that mail cannot carry."""
    if any(sign in address for sign in '<>(),:;"\\ ') or "@" not in address:
        raise BadHeader(name)
    _, plain = token(name, address)
    phrase = _phrase(name, one_line(called))
    if not phrase:
        return name, plain
    # A line that holds words of RFC 2047 is full sooner than others.
    between = f"{_CRLF} " if phrase.startswith("=?") else " "
    return name, f"{phrase}{between}<{plain}>"


def one_line(value: str) -> str:
    """A value without line ends, control characters, and marks that turn the direction of writing."""
    kept = (sign if sign.isprintable() or sign in _JOINERS else " " for sign in value)
    return " ".join("".join(kept).split())


def _phrase(name: str, called: str) -> str:
    if not called:
        return ""
    if called.isascii() and len(called) <= _LONGEST and "=?" not in called:
        return f'"{quote(called)}"'
    return _encoded(name, called)


def _encoded(name: str, value: str) -> str:
    """RFC 2047 words of whole characters, a line each, no line longer than 76 (section 2).

    Every character is inside a word, so nothing of the value can be taken for syntax. The standard library's ``Header``
    counts a sign too few in the first line, and nothing of what follows the last.
    """
    room = (_LONGEST_OF_WORDS - len(f"{name}: {_WORD % ''}")) // 4 * 3
    words = [_WORD % b64encode(piece).decode("ascii") for piece in _pieces(value, room)]
    return f"{_CRLF} ".join(words)


def _pieces(value: str, room: int) -> Iterator[bytes]:
    """The value in UTF-8, cut between characters into pieces of at most ``room`` octets."""
    piece = b""
    for octets in map(str.encode, value):
        if len(piece) + len(octets) > room:
            yield piece
            piece = b""
        piece += octets
    yield piece
