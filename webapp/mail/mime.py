"""The bytes of a message: header lines that no value can break out of, and the text and HTML bodies. All of it is ASCII.

Header lines are not folded where that can be helped: not every program understands a folded or encoded
``List-Unsubscribe`` or ``References``. The limit that counts is 998 characters (RFC 5322 2.1.1).

``email.message.EmailMessage`` does not write it. On Python 3.11.7 it decodes encoded words in a name, so a line end in one
begins a header. It also encodes a long ``List-Unsubscribe``, and takes twenty times as long.
"""

from base64 import b64encode
from binascii import b2a_base64, b2a_qp
from collections.abc import Callable, Iterable, Iterator
from email.utils import quote
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from webapp.kernel.i18n import ISOLATES, isolated
from webapp.picture.png import small_png_of

HeaderField: TypeAlias = tuple[str, str]
"""A header's name, which is a constant, and its value as it goes over the wire."""

_MAX_FIELD_LENGTH: Final = 900
_MAX_LINE_LENGTH: Final = 998
_MAX_ENCODED_LINE_LENGTH: Final = 76
_BASE64_LINE_LENGTH: Final = 76
_KEPT_CHARACTERS: Final = "\u200c\u200d" + ISOLATES
"""Joiners, and the isolates around names."""
_WITHOUT_ISOLATES: Final = dict.fromkeys(map(ord, ISOLATES), " ")
_CRLF: Final = "\r\n"
_ENCODED_WORD_FORMAT: Final = "=?utf-8?b?%s?="
_ASCII_BYTES: Final = bytes(range(128))


class BadHeader(ValueError):
    """A value that must be plain ASCII is not; ``name`` is the header's."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the value of {name} cannot be put in a header")
        self.name = name


class UndrawnPicture(NamedTuple):
    """A picture in an email, ``width`` pixels wide, which its HTML names as ``cid:`` and its id (RFC 2392)."""

    content_id: str
    svg: str
    width: int


class TextFile(NamedTuple):
    """A file of plain ASCII text that comes with an email."""

    name: str
    text: str


class MessageParts(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What the bytes of a message are made from. Stored by position, so another order makes stored messages unreadable.

    Only the sender may know the boundary beforehand, or a name in the text could end a body.
    """

    text: str
    fields: tuple[HeaderField, ...]
    html: str
    pictures: tuple[UndrawnPicture, ...] = ()
    files: tuple[TextFile, ...] = ()
    boundary: str

    @property
    def message_id(self) -> str:
        """The Message-ID in angle brackets."""
        return dict(self.fields)["Message-ID"]


def message_bytes(
    parts: MessageParts, *, png_of: Callable[[str, int], bytes] = small_png_of
) -> bytes:
    """Return a multipart/alternative message: text first, then HTML with its pictures (RFC 2046 5.1.4: the richest last).

    With files it is the first part of a multipart/mixed message. ``png_of`` draws a picture in so many pixels.
    """
    boundary = parts.boundary
    html_part = _part("text/html; charset=utf-8", *_encoded_html(parts.html))
    if parts.pictures:
        pictures = (
            _picture_part(picture.content_id, png_of(picture.svg, picture.width))
            for picture in parts.pictures
        )
        content_type = f'multipart/related; type="text/html"; boundary="{boundary}r"'
        related = _joined((html_part, *pictures), f"{boundary}r")
        html_part = header_bytes([("Content-Type", content_type)]) + related
    bodies = (_part("text/plain; charset=utf-8", *_encoded_text(parts.text)), html_part)
    content_type = f'multipart/alternative; boundary="{boundary}"'
    if not parts.files:
        fields = (*parts.fields, ("Content-Type", content_type))
        return header_bytes(fields) + _joined(bodies, boundary)
    body = header_bytes([("Content-Type", content_type)]) + _joined(bodies, boundary)
    mixed = ("Content-Type", f'multipart/mixed; boundary="{boundary}m"')
    files = map(_file_part, parts.files)
    return header_bytes((*parts.fields, mixed)) + _joined((body, *files), f"{boundary}m")


def _joined(parts: Iterable[bytes], boundary: str) -> bytes:
    """Return the body of a multipart: each part after a line with the boundary."""
    separator = b"--" + boundary.encode()
    return b"".join(
        (*(b"%b\r\n%b\r\n" % (separator, part) for part in parts), separator, b"--\r\n")
    )


def _part(content_type: str, encoding: bytes, body: bytes) -> bytes:
    fields = [("Content-Type", content_type), ("Content-Transfer-Encoding", encoding.decode())]
    return header_bytes(fields) + body


def _picture_part(content_id: str, png: bytes) -> bytes:
    fields = [
        ("Content-Type", "image/png"),
        ("Content-Transfer-Encoding", "base64"),
        ("Content-ID", f"<{content_id}>"),
        ("Content-Disposition", "inline"),
    ]
    return header_bytes(fields) + _base64(png)


def _file_part(file: TextFile) -> bytes:
    fields = [
        ("Content-Type", "text/plain; charset=us-ascii"),
        ("Content-Transfer-Encoding", "7bit"),
        ("Content-Disposition", f'attachment; filename="{file.name}"'),
    ]
    return header_bytes(fields) + file.text.replace("\n", _CRLF).encode("ascii")


def header_bytes(fields: Iterable[HeaderField]) -> bytes:
    """Return the header of a message, including the empty line that ends it."""
    lines = [f"{name}: {value}{_CRLF}" for name, value in fields]
    return "".join((*lines, _CRLF)).encode("ascii")


def ascii_field(name: str, value: str) -> HeaderField:
    """Return a field for programs: an id, an address in brackets, a keyword. Raises BadHeader rather than encode it."""
    if not (value.isascii() and value.isprintable() and 0 < len(value) <= _MAX_FIELD_LENGTH):
        raise BadHeader(name)
    return name, value


@lru_cache(maxsize=4096)
def text_field(name: str, value: str) -> HeaderField:
    """Return a field for people, in any script."""
    cleaned_value = plain_line(value)
    if _is_plain_ascii(cleaned_value):
        return name, cleaned_value
    return name, _encoded_words(name, cleaned_value)


@lru_cache(maxsize=4096)
def mailbox_field(name: str, address: str, *, display_name: str = "") -> HeaderField:
    """Return a field with one address and its owner's name. Raises BadHeader for an address that mail cannot carry."""
    if any(character in address for character in '<>(),:;"\\ ') or "@" not in address:
        raise BadHeader(name)
    _, plain_address = ascii_field(name, address)
    phrase = _phrase(name, plain_line(display_name))
    if not phrase:
        return name, plain_address
    # A line with encoded words must be shorter than others.
    separator_before_address = f"{_CRLF} " if phrase.startswith("=?") else " "
    return name, f"{phrase}{separator_before_address}<{plain_address}>"


def one_line(value: str) -> str:
    """Return a name or another typed value as it is put into sentences: on one line, and reordering nothing around it."""
    return isolated(plain_line(value.translate(_WITHOUT_ISOLATES)))


def plain_line(value: str) -> str:
    """Return a value without line ends, control characters, and marks that change the direction of writing but isolates."""
    kept_characters = (
        character if character.isprintable() or character in _KEPT_CHARACTERS else " "
        for character in value
    )
    return " ".join("".join(kept_characters).split())


def _phrase(name: str, display_name: str) -> str:
    if not display_name:
        return ""
    if _is_plain_ascii(display_name):
        return f'"{quote(display_name)}"'
    return _encoded_words(name, display_name)


def _is_plain_ascii(value: str) -> bool:
    return value.isascii() and len(value) <= _MAX_FIELD_LENGTH and "=?" not in value


def _encoded_words(name: str, value: str) -> str:
    """Return RFC 2047 words of whole characters, each on its own line of at most 76 characters (section 2).

    Every character is inside a word, so nothing of the value can be taken for syntax. The standard library's ``Header``
    allows a character too many in the first line, and ignores what follows the last.
    """
    octets_per_word = (
        (_MAX_ENCODED_LINE_LENGTH - len(f"{name}: {_ENCODED_WORD_FORMAT % ''}")) // 4 * 3
    )
    words = [
        _ENCODED_WORD_FORMAT % b64encode(piece).decode("ascii")
        for piece in _word_pieces(value, octets_per_word)
    ]
    return f"{_CRLF} ".join(words)


def _word_pieces(value: str, octets_per_word: int) -> Iterator[bytes]:
    """Yield the value in UTF-8, cut between characters into pieces of at most ``octets_per_word``."""
    piece = b""
    for octets in map(str.encode, value):
        if len(piece) + len(octets) > octets_per_word:
            yield piece
            piece = b""
        piece += octets
    yield piece


def _encoded_html(html: str) -> tuple[bytes, bytes]:
    """Return the transfer encoding and the body; HTML can spell every character in ASCII, so most need no encoding."""
    data = html.encode("ascii", "xmlcharrefreplace").replace(b"\n", b"\r\n")
    if max(map(len, data.split(b"\r\n"))) <= _MAX_LINE_LENGTH:
        return b"7bit", data
    return b"quoted-printable", b2a_qp(data)


def _encoded_text(text: str) -> tuple[bytes, bytes]:
    """Return the shorter transfer encoding and the body: quoted-printable needs nine bytes for a box-drawing character."""
    # Line ends are encoded as CRLF: RFC 2045 6.8.
    data = text.encode("utf-8", "replace").replace(b"\n", b"\r\n")
    non_ascii_count = len(data.translate(None, _ASCII_BYTES))
    if 2 * non_ascii_count > len(data) // 3:
        return b"base64", _base64(data)
    return b"quoted-printable", b2a_qp(data)


def _base64(data: bytes) -> bytes:
    encoded_data = b2a_base64(data, newline=False)
    line_starts = range(0, len(encoded_data), _BASE64_LINE_LENGTH)
    return b"\r\n".join(encoded_data[start : start + _BASE64_LINE_LENGTH] for start in line_starts)
