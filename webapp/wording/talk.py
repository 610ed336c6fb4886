"""Messages of players: whom they mention."""

import re
from functools import lru_cache
from typing import NamedTuple, Protocol

from webapp.wording.perspective import Perspective


class WrittenMessage(Protocol):
    """A message as use cases return it."""

    @property
    def text(self) -> str: ...


class MessagePart(NamedTuple):
    """A piece of a message; ``seat`` is whom it mentions, None for plain text."""

    text: str
    seat: int | None


def message_parts(message: WrittenMessage, perspective: Perspective) -> list[MessagePart]:
    """Return the text cut at the names of players that follow an at sign."""
    pattern = _mention_pattern(perspective.names)
    if pattern is None:
        return [MessagePart(message.text, None)]
    seats = {name.casefold(): seat for seat, name in enumerate(perspective.names)}
    # The pattern has one group, so every second piece is a mention.
    pieces = pattern.split(message.text)
    parts = [
        MessagePart(piece, seats.get(piece[1:].casefold()) if number % 2 else None)
        for number, piece in enumerate(pieces)
    ]
    return [part for part in parts if part.text]


@lru_cache(maxsize=512)
def _mention_pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    # The longest name first: "@Ann" is not the beginning of "@Anna".
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile(rf"(@(?:{'|'.join(map(re.escape, longest_first))}))(?!\w)", re.IGNORECASE)
