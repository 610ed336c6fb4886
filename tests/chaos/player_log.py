"""What the players write down: what they asked for, and what they were told."""

import threading
from collections import Counter
from typing import NamedTuple


class Press(NamedTuple):
    """The button of a turn, pressed by somebody: the turn that it would be, and what the form said."""

    address: str
    slug: str
    seq: int
    fields: tuple[tuple[str, str], ...]


class Notes:
    """Shared by all players; each note is kept under a lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.pressed: set[Press] = set()
        self.won: list[Press] = []
        """Presses that were answered: this turn was taken."""
        self.answers: Counter[str] = Counter()
        self.faults: list[str] = []
        """Answers that no visitor should ever see."""

    def press(self, press: Press) -> None:
        with self._lock:
            self.pressed.add(press)

    def win(self, press: Press) -> None:
        with self._lock:
            self.won.append(press)

    def answer(self, kind: str) -> None:
        with self._lock:
            self.answers[kind] += 1

    def fault(self, words: str) -> None:
        with self._lock:
            self.faults.append(words)
