"""What the seat on turn may do, as a sequence that makes an action only when somebody looks at it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, overload

from engine.actions import Action, Break, Discard, Lay, Look, Repair, Rockfall
from engine.cards import (
    BREAKS,
    DECK,
    MAP,
    PATH_CARDS,
    REPAIRS,
    ROCKFALL,
    Card,
    Tool,
)
from engine.cells import GOAL_CELLS
from engine.edge_masks import COUNT_MASK, COUNT_SHIFTS
from engine.mine import Mine
from engine.rulebook import HouseRules


class TurnFacts(Protocol):
    """All that a menu rests on: the part of a view that decides what its seat may do on its turn."""

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
    """What each card of the hand can be used for, card by card, and then the discards.

    It is what a tuple of the same actions would be; its length and any one of its items come cheap.
    """

    __slots__ = ("_counts", "_seat", "_sight")

    def __init__(self, sight: TurnFacts, seat: int) -> None:
        """Count what this seat may do with each card of its hand; cards that look alike count once."""
        self._sight = sight
        self._seat = seat
        # A broken tool bars path cards alone: action cards stay open, and so do discards (R19, R20).
        ways = 0 if sight.broken[seat] else sight.mine.placement_counts
        self._counts = {
            card: ways >> COUNT_SHIFTS[card] & COUNT_MASK
            if card in COUNT_SHIFTS
            else _COUNT[card](sight, seat, card)
            for card in sight.hand
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
        return self._item(index)

    def _item(self, index: int) -> Action:
        for card, count in self._counts.items():
            if index < count:
                if card in COUNT_SHIFTS:
                    return self._sight.mine.placement(card, index)
                return _USES[card](self._sight, self._seat, card)[index]
            index -= count
        return _DISCARDS[tuple(self._counts)[index]]

    def __iter__(self) -> Iterator[Action]:
        for card in self._counts:
            yield from _USES[card](self._sight, self._seat, card)
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
        """Blank in tracebacks and logs, for it shows a hand."""
        return f"<Menu of {len(self)}>"


def _lays(sight: TurnFacts, seat: int, card: Card) -> Sequence[Lay]:
    return () if sight.broken[seat] else sight.mine.placements(card)


def _breaks(sight: TurnFacts, seat: int, card: Card) -> list[Break]:
    """One of each kind at most before a player (R18)."""
    spared = seat if sight.house.no_self_breaking else None
    return [
        Break(card, target)
        for target, broken in enumerate(sight.broken)
        if BREAKS[card] not in broken and target not in sight.gone and target != spared
    ]


def _count_breaks(sight: TurnFacts, seat: int, card: Card) -> int:
    if sight.gone or sight.house.no_self_breaking:
        return len(_breaks(sight, seat, card))
    return len(sight.broken) - sum(sight.broken, ()).count(BREAKS[card])


def _repairs(sight: TurnFacts, _seat: int, card: Card) -> list[Repair]:
    return [
        Repair(card, target, tool)
        for target, broken in enumerate(sight.broken)
        if broken and target not in sight.gone
        for tool in REPAIRS[card]
        if tool in broken
    ]


def _count_repairs(sight: TurnFacts, seat: int, card: Card) -> int:
    if sight.gone:
        return len(_repairs(sight, seat, card))
    return sum(map(sum(sight.broken, ()).count, REPAIRS[card]))


def _rockfalls(sight: TurnFacts, _seat: int, _card: Card) -> tuple[Rockfall, ...]:
    return sight.mine.rockfalls()


def _count_rockfalls(sight: TurnFacts, _seat: int, _card: Card) -> int:
    return len(sight.mine.rockfalls())


def _looks(sight: TurnFacts, _seat: int, _card: Card) -> list[Look]:
    """Only at face-down goals (E22)."""
    return [look for look, face_up in zip(_LOOKS, sight.turned, strict=True) if not face_up]


def _count_looks(sight: TurnFacts, _seat: int, _card: Card) -> int:
    return len(_LOOKS) - sum(sight.turned)


_USES: Final[dict[Card, Callable[[TurnFacts, int, Card], Sequence[Action]]]] = {
    **dict.fromkeys(PATH_CARDS, _lays),
    **dict.fromkeys(BREAKS, _breaks),
    **dict.fromkeys(REPAIRS, _repairs),
    ROCKFALL: _rockfalls,
    MAP: _looks,
}
_COUNT: Final[dict[Card, Callable[[TurnFacts, int, Card], int]]] = {
    **dict.fromkeys(BREAKS, _count_breaks),
    **dict.fromkeys(REPAIRS, _count_repairs),
    ROCKFALL: _count_rockfalls,
    MAP: _count_looks,
}
_DISCARDS: Final = {card: Discard(card) for card in DECK}
_LOOKS: Final = tuple(map(Look, GOAL_CELLS))
