"""What is noted on a card of the hand: why it can't be played now, or whom it helps.

A note has two texts: a whole one for screen readers, and a short one for a tile that is 50 pixels wide.
"""

from typing import Final, NamedTuple

from engine.cards import PATH_CARDS, REPAIRS, Card, Tool
from engine.view import View
from webapp.i18n import N_, Language

_BROKEN_TOOL_TEXTS: Final[dict[Tool, tuple[str, str]]] = {
    "pickaxe": (N_("can't be played (pickaxe broken)"), N_("pickaxe broken")),
    "lantern": (N_("can't be played (lantern broken)"), N_("lantern broken")),
    "cart": (N_("can't be played (cart broken)"), N_("cart broken")),
}
_NOTHING_TO_REPAIR_TEXTS: Final = (
    N_("can't be played (nothing to repair)"),
    N_("nothing broken"),
)
_NO_PLACE_TEXTS: Final = (N_("can't be played (fits nowhere)"), N_("fits nowhere"))
_UNPLAYABLE_TEXTS: Final = (N_("can't be played now"), N_("not now"))
_OWN_REPAIR_TEXTS: Final[dict[Tool, str]] = {
    "pickaxe": N_("repairs your pickaxe"),
    "lantern": N_("repairs your lantern"),
    "cart": N_("repairs your cart"),
}


class HandNote(NamedTuple):
    """A note on a card of the hand; ``is_helpful`` if the card can repair a tool of its holder."""

    text: str = ""
    short_text: str = ""
    is_helpful: bool = False


NO_NOTE: Final = HandNote()


def unplayable_note(card: Card, view: View, language: Language) -> HandNote:
    """Return why a card of the viewer's hand can only be discarded now."""
    text, short_text = _unplayable_texts(card, _broken_tools(view))
    return HandNote(language.gettext(text), language.gettext(short_text))


def playable_note(card: Card, view: View, language: Language) -> HandNote:
    """Return that a card repairs a broken tool of the viewer; nothing for any other card."""
    tools = [tool for tool in _broken_tools(view) if tool in REPAIRS.get(card, ())]
    if not tools:
        return NO_NOTE
    text = language.gettext(_OWN_REPAIR_TEXTS[tools[0]])
    return HandNote(text, language.gettext("helps you"), is_helpful=True)


def _unplayable_texts(card: Card, broken_tools: tuple[Tool, ...]) -> tuple[str, str]:
    if card in PATH_CARDS:
        return _BROKEN_TOOL_TEXTS[broken_tools[0]] if broken_tools else _NO_PLACE_TEXTS
    return _NOTHING_TO_REPAIR_TEXTS if card in REPAIRS else _UNPLAYABLE_TEXTS


def _broken_tools(view: View) -> tuple[Tool, ...]:
    return () if view.seat is None else view.broken[view.seat]
