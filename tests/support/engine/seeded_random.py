"""Random numbers and shuffles that repeat: every value follows from a seed, so a failing test can be run again."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from engine.commitments import SeededChance, drawn_numbers

T = TypeVar("T")


class SeededRng:
    """The random decisions of players in tests; the game's own chance is separate (``ScriptedChance``)."""

    def __init__(self, seed: int) -> None:
        # The label is part of the seed: another one would change every recorded game.
        self._numbers = drawn_numbers(seed.to_bytes(8, "big"), b"", "dice of a test")

    def below(self, limit: int) -> int:
        """Return a number from 0 to ``limit - 1``."""
        return next(self._numbers) % limit

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        remaining_items = list(items)
        return [
            remaining_items.pop(self.below(len(remaining_items)))
            for _ in range(len(remaining_items))
        ]

    def happens_once_in(self, times: int) -> bool:
        """Return True in one of ``times`` calls on average."""
        return self.below(times) == 0


class ScriptedChance:
    """Return the given order for a label, or a seeded one where none is given; ``used_orders`` keeps every order returned."""

    def __init__(self, seed: int = 0, orders: Mapping[str, Sequence[Any]] | None = None) -> None:
        self._seeded_chance = SeededChance(seed.to_bytes(8, "big"))
        self._orders = dict(orders or {})
        self.used_orders: dict[str, tuple[Any, ...]] = {}

    def shuffled(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        scripted_order = self._orders.get(label)
        order = (
            self._seeded_chance.shuffled(label, items)
            if scripted_order is None
            else tuple(scripted_order)
        )
        assert Counter(order) == Counter(items), f"the order for {label} does not hold its items"
        self.used_orders[label] = order
        return order
