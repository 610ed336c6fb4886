"""Picking a move by links: a card, then its place or its target, then a preview to confirm.

Only legal actions are offered: the menu of the seat. A selection is part of the page's URL: picking changes nothing, and the
browser's back button undoes it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    ChooseOrientation,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
    card_of,
)
from engine.cards import GOAL_SHAPES, MAP, ROCKFALL, Card
from engine.cells import GOAL_CELLS, Cell, position
from engine.view import View
from webapp.picture.places import Place, Preview
from webapp.wording.actions import action_detail, action_name, lay_phrase
from webapp.wording.perspective import Perspective
from webapp.wording.turns import NO_NOTE, HandNote, playable_note, unplayable_note


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


A = TypeVar("A", bound=Action)


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


class MovePicker:
    """Builds the picker of one table page from its view and its menu."""

    def __init__(
        self,
        view: View,
        menu: Sequence[Action],
        *,
        page_url: Callable[..., str],
        perspective: Perspective,
    ) -> None:
        """Keep what can be picked; ``page_url`` returns the address of the page with a selection."""
        self._view = view
        self._menu = menu
        self._page_url = page_url
        self._perspective = perspective
        self._gettext = perspective.language.gettext

    def picker_view(self, selection: Selection) -> PickerView:
        """Return what the viewer can pick now; only the hand if it is not their turn."""
        if not self._menu or self._view.awaiting is None:
            return PickerView(hand=self._unlinked_hand())
        match self._view.awaiting.kind:
            case "goal":
                return self._goal_picker(selection)
            case "way-round":
                return self._goal_turn_picker(selection)
            case "gold":
                gold = (action.nuggets for action in self._menu if isinstance(action, TakeGold))
                return PickerView(hand=self._unlinked_hand(), gold=tuple(gold))
            case "turn":
                return self._turn_picker(selection)

    def _turn_picker(self, selection: Selection) -> PickerView:
        """Return the cards of the hand and, for the picked one, where or on whom it can be played."""
        if not self._view.hand:
            return PickerView(action=Pass())
        card = selection.card if selection.card in self._view.hand else None
        hand = tuple(self._hand_cards(card))
        if card is None:
            return PickerView(hand=hand)
        card_actions = [action for action in self._menu if card_of(action) == card]
        note = next(held.note for held in hand if held.chosen)
        discard_href = self._href(card=card, discard=1)
        picker = PickerView(hand=hand, card=card, note=note, discard_href=discard_href)
        if selection.discard or (len(card_actions) == 1 and isinstance(card_actions[0], Discard)):
            return picker._replace(
                action=Discard(card), places=tuple(self._places(card_actions, None))
            )
        return self._with_selected_action(picker, card_actions, selection)

    def _goal_picker(self, selection: Selection) -> PickerView:
        """Return the goals that were reached, of which the viewer chooses the one to turn over (R28)."""
        chosen_action = _first_matching(
            self._menu, lambda action: _cell_of(action) == selection.cell
        )
        places = tuple(self._place_for(action, chosen_action) for action in self._menu)
        return PickerView(hand=self._unlinked_hand(), places=places, action=chosen_action)

    def _goal_turn_picker(self, selection: Selection) -> PickerView:
        """Return the two ways in which a stone that fits neither way can lie (E7)."""
        turns = [action for action in self._menu if isinstance(action, ChooseOrientation)]
        chosen_action = _first_matching(
            turns, lambda action: selection.turned == str(int(action.turned))
        )
        options = (
            Option(
                action_detail(action, self._perspective.language, view=self._view)
                or self._action_label(action),
                self._href(turned=int(action.turned)),
                action == chosen_action,
            )
            for action in turns
        )
        return PickerView(
            hand=self._unlinked_hand(),
            options=tuple(options),
            preview=self._stone_preview(chosen_action),
            action=chosen_action,
        )

    def _unlinked_hand(self) -> tuple[HandCard, ...]:
        """Return the hand of a viewer who cannot pick a card now."""
        return tuple(HandCard(card) for card in self._view.hand)

    def _hand_cards(self, chosen_card: Card | None) -> Iterator[HandCard]:
        playable_cards = {
            card_of(action) for action in self._menu if not isinstance(action, Discard)
        }
        is_marked = False
        for card in self._view.hand:
            # Only the first of two equal cards is shown as chosen.
            is_chosen = card == chosen_card and not is_marked
            is_marked = is_marked or is_chosen
            note_for = playable_note if card in playable_cards else unplayable_note
            note = note_for(card, self._view, self._perspective.language)
            yield HandCard(card, href=self._href(card=card), chosen=is_chosen, note=note)

    def _with_selected_action(
        self, picker: PickerView, card_actions: Sequence[Action], selection: Selection
    ) -> PickerView:
        action = _selected_action(card_actions, selection) or _only_choice(card_actions, selection)
        picker = picker._replace(
            places=tuple(self._places(card_actions, action)),
            options=tuple(self._options(card_actions, action)),
            action=action,
        )
        return (
            self._with_preview(picker, card_actions, action) if isinstance(action, Lay) else picker
        )

    def _with_preview(
        self, picker: PickerView, card_actions: Sequence[Action], action: Lay
    ) -> PickerView:
        hand = tuple(
            held._replace(turned=action.turned) if held.chosen else held for held in picker.hand
        )
        turned_lay = Lay(action.card, action.cell, not action.turned)
        rotated_card_href = self._lay_href(turned_lay) if turned_lay in card_actions else None
        preview = Preview(action.cell, action.card, action.turned)
        return picker._replace(hand=hand, preview=preview, rotated_card_href=rotated_card_href)

    def _places(
        self, card_actions: Iterable[Action], chosen_action: Action | None
    ) -> Iterator[Place]:
        action_by_cell: dict[Cell, Action] = {}
        for action in card_actions:
            cell = _cell_of(action)
            if cell is not None:
                action_by_cell.setdefault(cell, action)
        for cell in sorted(action_by_cell, key=_reading_order):
            yield self._place_for(action_by_cell[cell], chosen_action)

    def _place_for(self, action: Action, chosen_action: Action | None) -> Place:
        cell = _cell_of(action) or ""
        is_chosen = chosen_action is not None and _cell_of(chosen_action) == cell
        # A card that fits only one way round is turned by itself, so the address does not say it.
        href = self._href(card=card_of(action), cell=cell)
        return Place(cell, self._action_label(action), href, is_chosen)

    def _options(
        self, card_actions: Iterable[Action], chosen_action: Action | None
    ) -> Iterator[Option]:
        targeted_actions = [action for action in card_actions if isinstance(action, Break | Repair)]
        # Hardly anyone breaks their own tool, so the viewer comes last.
        for action in sorted(targeted_actions, key=lambda action: action.seat == self._view.seat):
            yield Option(
                self._action_label(action), self._player_href(action), action == chosen_action
            )

    def _lay_href(self, action: Lay) -> str:
        is_turned = 1 if action.turned else None
        return self._href(card=action.card, cell=action.cell, turned=is_turned)

    def _player_href(self, action: Break | Repair) -> str:
        tool = action.tool if isinstance(action, Repair) else None
        return self._href(card=action.card, seat=action.seat, tool=tool)

    def _stone_preview(self, action: ChooseOrientation | None) -> Preview | None:
        awaiting = self._view.awaiting
        if action is None or awaiting is None:
            return None
        goal = self._view.goals[GOAL_CELLS.index(awaiting.cells[0])]
        return (
            None if goal is None else Preview(awaiting.cells[0], GOAL_SHAPES[goal][action.turned])
        )

    def _action_label(self, action: Action) -> str:
        if isinstance(action, Lay):
            return lay_phrase(action, self._perspective.language)
        return action_name(action, self._perspective, view=self._view)

    def _href(self, **selection: str | int | None) -> str:
        is_complete = {"cell", "seat", "discard", "turned"} & selection.keys()
        return f"{self._page_url(**selection)}#{'confirm' if is_complete else 'choose'}"


def _selected_action(card_actions: Sequence[Action], selection: Selection) -> Action | None:
    """Return the selected action; if a card fits only one way round, the URL need not say which."""
    selected_actions = [action for action in card_actions if _is_selected(action, selection)]
    is_turned = selection.turned == "1"
    exact_action = _first_matching(
        selected_actions, lambda action: isinstance(action, Lay) and action.turned == is_turned
    )
    return exact_action or _first_matching(selected_actions, lambda _: True)


def _only_choice(card_actions: Sequence[Action], selection: Selection) -> Action | None:
    """Return the action of a card that can be played in one place or on one target only, once the card is picked."""
    if selection.cell or selection.seat:
        return None
    actions = [action for action in card_actions if not isinstance(action, Discard)]
    targets = {
        (action.seat, getattr(action, "tool", None))
        if isinstance(action, Break | Repair)
        else _cell_of(action)
        for action in actions
    }
    return actions[0] if len(targets) == 1 else None


def _is_selected(action: Action, selection: Selection) -> bool:
    match action:
        case Lay() | Rockfall() | Look():
            return action.cell == selection.cell
        case Break():
            return str(action.seat) == selection.seat
        case Repair():
            is_seat = str(action.seat) == selection.seat
            return is_seat and selection.tool in {"", action.tool}
    return False


def _cell_of(action: Action) -> Cell | None:
    match action:
        case Lay() | Rockfall() | Look() | ChooseGoal():
            return action.cell
    return None


def _first_matching(actions: Iterable[A], matches: Callable[[A], bool]) -> A | None:
    return next(filter(matches, actions), None)


def _reading_order(cell: Cell) -> tuple[int, int]:
    x, y = position(cell)
    return y, x
