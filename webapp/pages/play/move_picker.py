"""What lies on the picker_view of a player whose turn it is: choose a card, a place, a way round, then look at it and confirm.

A choice lives in the address of the page, so choosing changes nothing and the back button undoes it. What is on offer comes
from the menu alone: the legal actions of this seat.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.actions import (
    Action,
    Break,
    ChooseGoal,
    Discard,
    Lay,
    Look,
    Pass,
    Repair,
    Rockfall,
    TakeGold,
    TurnGoal,
)
from engine.cards import GOAL_SHAPES, MAP, ROCKFALL, Card
from engine.cells import GOAL_CELLS, Cell, position
from engine.view import View
from webapp import urls
from webapp.picture.mine import Ghost, Place
from webapp.wording.actions import action_name
from webapp.wording.perspective import Perspective


class Selection(NamedTuple):
    """What the reader has chosen so far, as the address says it: any text at all."""

    card: str = ""
    cell: str = ""
    turned: str = ""
    seat: str = ""
    tool: str = ""
    discard: str = ""


class Tile(NamedTuple):
    """A card of the hand."""

    card: Card
    turned: bool
    href: str | None
    chosen: bool
    note: str = ""
    """Why it can do less than its reader may think."""


class Option(NamedTuple):
    """Something that can be chosen, in words."""

    words: str
    href: str
    chosen: bool
    action: Action


class PickerView(NamedTuple):
    """Everything the reader can choose now, and the action that has been chosen, if one has."""

    tiles: tuple[Tile, ...] = ()
    places: tuple[Place, ...] = ()
    options: tuple[Option, ...] = ()
    card: Card | None = None
    ghost: Ghost | None = None
    turn_href: str | None = None
    discard_href: str | None = None
    gold: tuple[int, ...] = ()
    action: Action | None = None


def selection_from(parameters: Mapping[str, str]) -> Selection:
    """The choice in the address of a page."""
    return Selection(**{name: parameters.get(name, "") for name in Selection._fields})


def selection_in_form(form: Mapping[str, str]) -> Selection:
    """The choice that led to the form of a turn."""
    choice = selection_from(form)
    match form.get("do"):
        case "discard":
            return choice._replace(discard="1")
        case "rockfall":
            return choice._replace(card=ROCKFALL)
        case "look":
            return choice._replace(card=MAP)
    return choice


def picker_view_for(
    view: View, menu: Sequence[Action], choice: Selection, *, slug: str, perspective: Perspective
) -> PickerView:
    """The picker_view of the seat that is awaited; an empty one for everybody else, with the hand to look at."""
    maker = MovePicker(view, menu, slug=slug, perspective=perspective)
    if not menu or view.awaiting is None:
        return PickerView(tiles=tuple(maker.idle_tiles()))
    match view.awaiting.kind:
        case "goal":
            return maker.goal_desk(choice)
        case "way-round":
            return maker.way_round_desk(choice)
        case "gold":
            golds = (action.nuggets for action in menu if isinstance(action, TakeGold))
            return PickerView(tiles=tuple(maker.idle_tiles()), gold=tuple(golds))
        case "turn":
            return maker.turn_desk(choice)


class MovePicker:
    """Makes a picker_view from one view and its menu."""

    def __init__(
        self, view: View, menu: Sequence[Action], *, slug: str, perspective: Perspective
    ) -> None:
        self._view = view
        self._menu = menu
        self._slug = slug
        self._listener = perspective
        self._gettext = perspective.language.gettext

    def idle_tiles(self) -> Iterator[Tile]:
        """The hand of somebody who waits."""
        return (Tile(card, turned=False, href=None, chosen=False) for card in self._view.hand)

    def turn_desk(self, choice: Selection) -> PickerView:
        """A turn: a card first, then what to do with it."""
        if not self._view.hand:
            return PickerView(action=Pass())
        card = choice.card if choice.card in self._view.hand else None
        tiles = tuple(self._tiles(card, choice))
        if card is None:
            return PickerView(tiles=tiles)
        uses = [action for action in self._menu if _card_of(action) == card]
        picker_view = PickerView(
            tiles=tiles, card=card, discard_href=self._href(card=card, discard=1)
        )
        if choice.discard:
            return picker_view._replace(
                action=Discard(card), places=tuple(self._places(uses, None))
            )
        return self._with_use(picker_view, uses, choice)

    def goal_desk(self, choice: Selection) -> PickerView:
        """Several goals were reached: which is turned over (R28)."""
        chosen = _first(self._menu, lambda action: _cell_of(action) == choice.cell)
        places = [self._place(action, chosen) for action in self._menu]
        return PickerView(tiles=tuple(self.idle_tiles()), places=tuple(places), action=chosen)

    def way_round_desk(self, choice: Selection) -> PickerView:
        """A stone fits neither way: how it lies (E7)."""
        chosen = _first(
            self._menu,
            lambda action: (
                isinstance(action, TurnGoal) and choice.turned == str(int(action.turned))
            ),
        )
        options = (
            Option(
                self._words(action), self._href(turned=int(action.turned)), action == chosen, action
            )
            for action in self._menu
            if isinstance(action, TurnGoal)
        )
        return PickerView(
            tiles=tuple(self.idle_tiles()),
            options=tuple(options),
            ghost=self._stone(chosen),
            action=chosen,
        )

    def _tiles(self, chosen: Card | None, choice: Selection) -> Iterator[Tile]:
        playable = {_card_of(action) for action in self._menu if not isinstance(action, Discard)}
        marked = False
        for card in self._view.hand:
            # Two cards may look alike: one of them is the chosen one.
            is_chosen = card == chosen and not marked
            marked = marked or is_chosen
            turned = is_chosen and choice.turned == "1"
            note = "" if card in playable else self._gettext("only to discard now")
            yield Tile(card, turned, self._href(card=card), is_chosen, note)

    def _with_use(
        self, picker_view: PickerView, uses: Sequence[Action], choice: Selection
    ) -> PickerView:
        action = _chosen_use(uses, choice)
        picker_view = picker_view._replace(
            places=tuple(self._places(uses, action)),
            options=tuple(self._options(uses, action)),
            action=action,
        )
        if isinstance(action, Lay):
            return self._with_ghost(picker_view, uses, action)
        return picker_view

    def _with_ghost(
        self, picker_view: PickerView, uses: Sequence[Action], action: Lay
    ) -> PickerView:
        other = Lay(action.card, action.cell, not action.turned)
        turn = self._lay_href(other) if other in uses else None
        ghost = Ghost(action.cell, action.card, action.turned)
        return picker_view._replace(ghost=ghost, turn_href=turn)

    def _places(self, uses: Iterable[Action], chosen: Action | None) -> Iterator[Place]:
        by_cell: dict[Cell, Action] = {}
        for action in uses:
            cell = _cell_of(action)
            if cell is not None:
                by_cell.setdefault(cell, action)
        for cell in sorted(by_cell, key=_reading_order):
            yield self._place(by_cell[cell], chosen)

    def _place(self, action: Action, chosen: Action | None) -> Place:
        cell = _cell_of(action) or ""
        is_chosen = chosen is not None and _cell_of(chosen) == cell
        return Place(cell, self._words(action), self._place_href(action), is_chosen)

    def _options(self, uses: Iterable[Action], chosen: Action | None) -> Iterator[Option]:
        for action in uses:
            if isinstance(action, Break | Repair):
                yield Option(
                    self._words(action), self._person_href(action), action == chosen, action
                )

    def _place_href(self, action: Action) -> str:
        match action:
            case Lay():
                return self._lay_href(action)
            case Rockfall(cell):
                return self._href(card=ROCKFALL, cell=cell)
            case Look(cell):
                return self._href(card=MAP, cell=cell)
        return self._href(cell=_cell_of(action))

    def _lay_href(self, action: Lay) -> str:
        turned = 1 if action.turned else None
        return self._href(card=action.card, cell=action.cell, turned=turned)

    def _person_href(self, action: Break | Repair) -> str:
        tool = action.tool if isinstance(action, Repair) else None
        return self._href(card=action.card, seat=action.seat, tool=tool)

    def _stone(self, action: Action | None) -> Ghost | None:
        due = self._view.awaiting
        if not isinstance(action, TurnGoal) or due is None:
            return None
        goal = self._view.goals[GOAL_CELLS.index(due.cells[0])]
        return None if goal is None else Ghost(due.cells[0], GOAL_SHAPES[goal][action.turned])

    def _words(self, action: Action) -> str:
        return action_name(action, self._listener, view=self._view)

    def _href(self, **choice: str | int | None) -> str:
        anchor = "confirm" if {"cell", "seat", "discard", "turned"} & choice.keys() else "choose"
        return f"{urls.game(self._slug, **choice)}#{anchor}"


def _chosen_use(uses: Sequence[Action], choice: Selection) -> Action | None:
    """The action that the choice comes to; where only one way round is legal, the address need not say which."""
    wanted = [action for action in uses if _is_meant(action, choice)]
    turned = choice.turned == "1"
    exact = _first(wanted, lambda action: isinstance(action, Lay) and action.turned == turned)
    return exact or _first(wanted, lambda _: True)


def _is_meant(action: Action, choice: Selection) -> bool:
    match action:
        case Lay() | Rockfall() | Look():
            return action.cell == choice.cell
        case Break():
            return str(action.seat) == choice.seat
        case Repair():
            return str(action.seat) == choice.seat and choice.tool in {"", action.tool}
    return False


def _card_of(action: Action) -> Card | None:
    match action:
        case Lay() | Break() | Repair() | Discard():
            return action.card
        case Rockfall():
            return ROCKFALL
        case Look():
            return MAP
    return None


def _cell_of(action: Action) -> Cell | None:
    match action:
        case Lay() | Rockfall() | Look() | ChooseGoal():
            return action.cell
    return None


def _first(actions: Iterable[Action], fits: Callable[[Action], bool]) -> Action | None:
    return next(filter(fits, actions), None)


def _reading_order(cell: Cell) -> tuple[int, int]:
    x, y = position(cell)
    return y, x
