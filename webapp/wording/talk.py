"""Messages of players: whom they mention, and short ones that take one press."""

import re
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from engine.view import View
from webapp.kernel.i18n import N_, Language
from webapp.wording.perspective import Perspective

_REPAIR_PHRASE: Final = N_("Can someone repair me?")
_PHRASES: Final = (N_("Who has a map?"), N_("Nice dig!"), N_("I smell a saboteur."))
_PHRASES_AFTER_GAME: Final = (N_("Good game!"),)


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


def phrases(view: View, language: Language) -> list[str]:
    """Return what a player can say with one press; to ask for a repair they need a broken tool."""
    if view.awaiting is None:
        return [language.gettext(phrase) for phrase in _PHRASES_AFTER_GAME]
    is_broken = view.seat is not None and bool(view.broken[view.seat])
    offered_phrases = (_REPAIR_PHRASE, *_PHRASES) if is_broken else _PHRASES
    return [language.gettext(phrase) for phrase in offered_phrases]


@lru_cache(maxsize=512)
def _mention_pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    # The longest name first: "@Ann" is not the beginning of "@Anna".
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile(rf"(@(?:{'|'.join(map(re.escape, longest_first))}))(?!\w)", re.IGNORECASE)
