"""The legal actions of the seat on turn, as a sequence that builds an action only when it is read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, overload

from engine.actions import Action, Break, Discard, Lay, Look, Repair, Rockfall
from engine.cards import BREAKS, DECK, MAP, PATH_CARDS, REPAIRS, ROCKFALL, Card, Tool
from engine.cells import GOAL_CELLS, PATH_CARD_NUMBERS
from engine.mine import Mine
from engine.rulebook import HouseRules


class TurnView(Protocol):
    """The part of a :class:`~engine.view.View` that determines the legal actions of a turn."""

    @property
    def house(self) -> HouseRules: ...
    @property
    def hand(self) -> tuple[Card, ...]: ...
    @property
    def mine(self) -> Mine: ...
    @property
    def turned(self) -> tuple[bool, bool, bool]: ...
    @property
    def broken(self) -> tuple[tuple[Tool, ...], ...]: ...
    @property
    def gone(self) -> tuple[int, ...]: ...


class TurnActions(Sequence[Action]):
    """The legal uses of each card of the hand, card by card, and then the discards.

    It equals a tuple of the same actions, but its length and single items are computed without building the others.
    """

    __slots__ = ("_counts", "_seat", "_view")

    def __init__(self, view: TurnView, seat: int) -> None:
        """Count the legal uses of each card in the hand of a seat; equal cards count once."""
        self._view = view
        self._seat = seat
        # A broken tool forbids path cards only, not action cards and discards (R19, R20).
        placement_counts = _NO_PLACEMENTS if view.broken[seat] else view.mine.placement_counts
        self._counts = {
            card: placement_counts[PATH_CARD_NUMBERS[card]]
            if card in PATH_CARD_NUMBERS
            else _COUNTERS_BY_CARD[card](view, seat, card)
            for card in view.hand
        }

    def __len__(self) -> int:
        return sum(self._counts.values()) + len(self._counts)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, index: int | slice) -> Action | tuple[Action, ...]:
        if isinstance(index, slice) or index < 0:
            return tuple(self)[index]
        for card, count in self._counts.items():
            if index < count:
                if card in PATH_CARDS:
                    return self._view.mine.placement(card, index)
                return _ACTIONS_BY_CARD[card](self._view, self._seat, card)[index]
            index -= count
        return _DISCARDS[tuple(self._counts)[index]]

    def __iter__(self) -> Iterator[Action]:
        for card in self._counts:
            yield from _ACTIONS_BY_CARD[card](self._view, self._seat, card)
        yield from map(_DISCARDS.__getitem__, self._counts)

    def __eq__(self, other: object) -> bool:
        return (
            tuple(self) == tuple(other)
            if isinstance(other, (TurnActions, tuple))
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Show the number of actions only, because the actions reveal a hand."""
        return f"<TurnActions: {len(self)}>"


def _lay_actions(view: TurnView, seat: int, card: Card) -> Sequence[Lay]:
    return () if view.broken[seat] else view.mine.placements(card)


def _break_actions(view: TurnView, seat: int, card: Card) -> list[Break]:
    """Return the broken-tool actions of a card: at most one broken tool of each kind per player (R18)."""
    protected_seat = seat if view.house.no_self_breaking else None
    return [
        Break(card, target)
        for target, broken in enumerate(view.broken)
        if BREAKS[card] not in broken and target not in view.gone and target != protected_seat
    ]


def _count_breaks(view: TurnView, seat: int, card: Card) -> int:
    if view.gone or view.house.no_self_breaking:
        return len(_break_actions(view, seat, card))
    return len(view.broken) - sum(view.broken, ()).count(BREAKS[card])


def _repair_actions(view: TurnView, _seat: int, card: Card) -> list[Repair]:
    return [
        Repair(card, target, tool)
        for target, broken in enumerate(view.broken)
        if broken and target not in view.gone
        for tool in REPAIRS[card]
        if tool in broken
    ]


def _count_repairs(view: TurnView, seat: int, card: Card) -> int:
    if view.gone:
        return len(_repair_actions(view, seat, card))
    return sum(map(sum(view.broken, ()).count, REPAIRS[card]))


def _rockfall_actions(view: TurnView, _seat: int, _card: Card) -> tuple[Rockfall, ...]:
    return view.mine.rockfalls()


def _count_rockfalls(view: TurnView, _seat: int, _card: Card) -> int:
    return view.mine.rockfall_count


def _look_actions(view: TurnView, _seat: int, _card: Card) -> list[Look]:
    """Return a look at every face-down goal (E22)."""
    return [look for look, face_up in zip(_LOOKS, view.turned, strict=True) if not face_up]


def _count_looks(view: TurnView, _seat: int, _card: Card) -> int:
    return len(_LOOKS) - sum(view.turned)


_ACTIONS_BY_CARD: Final[dict[Card, Callable[[TurnView, int, Card], Sequence[Action]]]] = {
    **dict.fromkeys(PATH_CARDS, _lay_actions),
    **dict.fromkeys(BREAKS, _break_actions),
    **dict.fromkeys(REPAIRS, _repair_actions),
    ROCKFALL: _rockfall_actions,
    MAP: _look_actions,
}
_COUNTERS_BY_CARD: Final[dict[Card, Callable[[TurnView, int, Card], int]]] = {
    **dict.fromkeys(BREAKS, _count_breaks),
    **dict.fromkeys(REPAIRS, _count_repairs),
    ROCKFALL: _count_rockfalls,
    MAP: _count_looks,
}
_NO_PLACEMENTS: Final = (0,) * len(PATH_CARDS)
_DISCARDS: Final = {card: Discard(card) for card in DECK}
_LOOKS: Final = tuple(map(Look, GOAL_CELLS))
