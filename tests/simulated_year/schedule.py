"""What the people of a simulated year are going to do, the earliest first."""

import heapq
from collections.abc import Callable
from datetime import datetime
from itertools import count
from typing import TypeAlias

Event: TypeAlias = Callable[[datetime], None]


class Schedule:
    """Events with their times; of two at the same time the one that was added first comes first."""

    def __init__(self) -> None:
        self._events: list[tuple[datetime, int, Event]] = []
        self._numbers = count()

    @property
    def next_at(self) -> datetime | None:
        """Return when the next event is; None if there is none."""
        return self._events[0][0] if self._events else None

    def add(self, at: datetime, event: Event) -> None:
        """Add an event."""
        heapq.heappush(self._events, (at, next(self._numbers), event))

    def pop(self) -> Event:
        """Remove the next event and return it."""
        return heapq.heappop(self._events)[2]
