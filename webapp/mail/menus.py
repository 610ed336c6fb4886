"""What a player may do, for a letter: every action in words and in notation, gathered by the card it is done with."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from engine.actions import Action, Discard, Lay, Look, Repair, Rockfall
from engine.cards import MAP, ROCKFALL, Card, Tool
from engine.notation import write_action
from engine.view import View
from webapp.i18n import N_, Language
from webapp.wording.actions import action_name
from webapp.wording.cards import card_name
from webapp.wording.perspective import Perspective

_MEND: Final[dict[Tool, str]] = {
    "pickaxe": N_("Mend the pickaxe of %(name)s"),
    "lantern": N_("Mend the lantern of %(name)s"),
    "cart": N_("Mend the cart of %(name)s"),
}
_MEND_OWN: Final[dict[Tool, str]] = {
    "pickaxe": N_("Mend your own pickaxe"),
    "lantern": N_("Mend your own lantern"),
    "cart": N_("Mend your own cart"),
}


class Choice(NamedTuple):
    """One action: what it is called, how it is written, and that as wide as its neighbours."""

    words: str
    notation: str
    padded: str


class Menu(NamedTuple):
    """The actions with one card; ``card`` is empty where no card is played."""

    card: str
    choices: tuple[Choice, ...]


_written = lru_cache(maxsize=4096)(write_action)
"""There are only so many actions, and they come up in letter after letter."""


def menus_of(
    actions: Sequence[Action], perspective: Perspective, *, view: View
) -> tuple[Menu, ...]:
    """The actions in the order of the hand, and for each card in the order in which they were given."""
    places = {card: place for place, card in enumerate(view.hand)}
    by_card = sorted(actions, key=lambda action: places.get(_card_of(action), -1))
    return tuple(
        Menu(_title(card, perspective.language), _choices(group, perspective, view))
        for card, group in groupby(by_card, key=_card_of)
    )


def _choices(actions: Iterable[Action], perspective: Perspective, view: View) -> tuple[Choice, ...]:
    pairs = [(_words(action, perspective, view), _written(action)) for action in actions]
    widest = max(len(notation) for _, notation in pairs)
    return tuple(Choice(words, notation, notation.ljust(widest)) for words, notation in pairs)


def _card_of(action: Action) -> Card:
    if isinstance(action, Rockfall):
        return ROCKFALL
    if isinstance(action, Look):
        return MAP
    return getattr(action, "card", "")


def _title(card: Card, language: Language) -> str:
    return card_name(card, language) if card else ""


def _words(action: Action, perspective: Perspective, view: View) -> str:
    """Shorter than elsewhere where the card above says the rest: there can be hundreds."""
    language = perspective.language
    if isinstance(action, Discard):
        return language.gettext("Discard it face down")
    if isinstance(action, Repair):
        return _mend(action, perspective)
    if not isinstance(action, Lay):
        return action_name(action, perspective, view=view)
    if action.turned:
        return language.gettext("Lay it at %(cell)s, turned round", cell=action.cell)
    return language.gettext("Lay it at %(cell)s", cell=action.cell)


def _mend(action: Repair, perspective: Perspective) -> str:
    if action.seat == perspective.me:
        return perspective.language.gettext(_MEND_OWN[action.tool])
    return perspective.language.gettext(_MEND[action.tool], name=perspective.name(action.seat))
