"""How a message is stored until the relay has accepted it: compressed, and with what its pictures are drawn from.

Its words and its pictures are compressed apart. Each has a dictionary of its own, made from an email about a turn and
all cards, so that another one takes one or two kilobytes. In one stream the pictures would lie too far from the dictionary, because
deflate looks back by 32 kilobytes. New dictionaries may replace these at any time: a message that can't be read is
composed again.
"""

import zlib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from webapp.mail.mime import MessageParts, UndrawnPicture

DICTIONARY_FILE: Final = Path(__file__).with_name("stored_message_dictionary.txt")
SECTION_SEPARATOR: Final = b"\f"
_MAX_SECTION_BYTES: Final = 1 << 23
"""A hundred times as many as a real section has: a damaged row can't fill the memory."""
_LEVEL: Final = 9
_WINDOW_BITS: Final = 15
_MEMORY_LEVEL: Final = 9
_packed: Final = msgspec.msgpack.encode


def encode(parts: MessageParts) -> bytes:
    """Return a message as it is stored."""
    sections = (_packed(msgspec.structs.replace(parts, pictures=())), _packed(parts.pictures))
    return _packed([*map(_compressed, sections, _dictionaries())])


def decode(value: bytes | None) -> MessageParts | None:
    """Return the message in a stored value; None if there is none or it is damaged."""
    if value is None:
        return None
    try:
        sections = msgspec.msgpack.decode(value, type=tuple[bytes, bytes])
        words, pictures = map(_decompressed, sections, _dictionaries())
        return msgspec.structs.replace(
            msgspec.msgpack.decode(words, type=MessageParts),
            pictures=msgspec.msgpack.decode(pictures, type=tuple[UndrawnPicture, ...]),
        )
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _compressed(section: bytes, dictionary: bytes) -> bytes:
    compressor = zlib.compressobj(
        _LEVEL, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, dictionary
    )
    return compressor.compress(section) + compressor.flush()


def _decompressed(value: bytes, dictionary: bytes) -> bytes:
    return zlib.decompressobj(_WINDOW_BITS, dictionary).decompress(value, _MAX_SECTION_BYTES)


@cache
def _dictionaries() -> tuple[bytes, ...]:
    return tuple(DICTIONARY_FILE.read_bytes().split(SECTION_SEPARATOR))
