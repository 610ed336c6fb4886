"""How a message is stored until the relay has accepted it: compressed, and with what its pictures are drawn from.

The dictionary of the compression is what one email about a turn says, so that another one takes two or three kilobytes. A new
dictionary may replace it at any time: a message that can't be read is composed again.
"""

import zlib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from webapp.mail.mime import MessageParts

DICTIONARY_FILE: Final = Path(__file__).with_name("stored_message_dictionary.txt")
_MAX_MESSAGE_BYTES: Final = 1 << 24
"""A hundred times as many as a real message has: a damaged row can't fill the memory."""
_LEVEL: Final = 6
_WINDOW_BITS: Final = 15
_MEMORY_LEVEL: Final = 9


def encode(parts: MessageParts) -> bytes:
    """Return a message as it is stored."""
    compressor = zlib.compressobj(
        _LEVEL, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, _dictionary()
    )
    return compressor.compress(msgspec.msgpack.encode(parts)) + compressor.flush()


def decode(value: bytes | None) -> MessageParts | None:
    """Return the message in a stored value; None if there is none or it is damaged."""
    if value is None:
        return None
    decompressor = zlib.decompressobj(_WINDOW_BITS, _dictionary())
    try:
        encoded = decompressor.decompress(value, _MAX_MESSAGE_BYTES)
        return msgspec.msgpack.decode(encoded, type=MessageParts)
    except (zlib.error, msgspec.MsgspecError):
        return None


@cache
def _dictionary() -> bytes:
    return DICTIONARY_FILE.read_bytes()
