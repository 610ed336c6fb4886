"""The log of the players: the turns they submitted and the responses they got."""

import threading
from collections import Counter
from typing import NamedTuple


class SubmittedTurn(NamedTuple):
    """A turn that a player submitted: the ``seq`` it would get, and the fields of its form."""

    address: str
    slug: str
    seq: int
    fields: tuple[tuple[str, str], ...]


class PlayerLog:
    """Shared by the threads of all players."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.submitted_turns: set[SubmittedTurn] = set()
        self.acknowledged_turns: list[SubmittedTurn] = []
        """Turns that the server confirmed."""
        self.accepted_emails: set[bytes] = set()
        """The digests of the answers by email that the server has accepted."""
        self.responses: Counter[str] = Counter()
        self.faults: list[str] = []
        """Responses that no visitor should ever get."""

    def submit(self, turn: SubmittedTurn) -> None:
        with self._lock:
            self.submitted_turns.add(turn)

    def acknowledge(self, turn: SubmittedTurn) -> None:
        with self._lock:
            self.acknowledged_turns.append(turn)

    def accept_email(self, digest: bytes) -> None:
        with self._lock:
            self.accepted_emails.add(digest)

    def count_response(self, kind: str) -> None:
        with self._lock:
            self.responses[kind] += 1

    def add_fault(self, description: str) -> None:
        with self._lock:
            self.faults.append(description)
