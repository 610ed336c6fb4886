"""What a player can pick on the table page, and what they have picked so far.

A selection is part of the page's URL: picking changes nothing, and the browser's back button undoes it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from engine.actions import Action
from engine.cards import MAP, ROCKFALL, Card
from webapp.picture.places import Place, Preview
from webapp.wording.hand_notes import NO_NOTE, HandNote


class Selection(NamedTuple):
    """What the viewer has picked so far, as the URL gives it: any text at all."""

    card: str = ""
    cell: str = ""
    turned: str = ""
    seat: str = ""
    tool: str = ""
    discard: str = ""


class HandCard(NamedTuple):
    """A card of the hand; without ``href`` it cannot be picked now."""

    card: Card
    turned: bool = False
    href: str | None = None
    chosen: bool = False
    note: HandNote = NO_NOTE


class Option(NamedTuple):
    """A link that picks what a card is played on."""

    label: str
    href: str
    chosen: bool


class PickerView(NamedTuple):
    """Everything the viewer can pick now, and the action that the selection makes, if it makes one."""

    hand: tuple[HandCard, ...] = ()
    places: tuple[Place, ...] = ()
    options: tuple[Option, ...] = ()
    card: Card | None = None
    note: HandNote = NO_NOTE
    """The note on the picked card."""
    preview: Preview | None = None
    rotated_card_href: str | None = None
    discard_href: str | None = None
    gold: tuple[int, ...] = ()
    action: Action | None = None


def selection_from_url(parameters: Mapping[str, str]) -> Selection:
    """Return the selection in the query of a table page's URL."""
    return Selection(**{name: parameters.get(name, "") for name in Selection._fields})


def selection_from_form(form: Mapping[str, str]) -> Selection:
    """Return the selection that led to the form of a turn, to show it again with an error."""
    selection = selection_from_url(form)
    match form.get("do"):
        case "discard":
            return selection._replace(discard="1")
        case "rockfall":
            return selection._replace(card=ROCKFALL)
        case "look":
            return selection._replace(card=MAP)
    return selection
