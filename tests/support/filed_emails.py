"""The mails that a served Lodepost has filed, as the people in a test read them."""

import email
import re
import time
from collections import Counter
from collections.abc import Callable, Collection
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import NamedTuple

_PATIENCE = 20.0


class Notification(NamedTuple):
    kind: str
    to: str
    message_id: str
    text: str

    @property
    def link(self) -> str:
        """The address that the letter asks to open: the first in it."""
        return re.findall(r"https?://\S+", self.text)[0]

    @property
    def code(self) -> str:
        return re.findall(r"\b\d{3} ?\d{3}\b", self.text)[0].replace(" ", "")


class Sink:
    """A Maildir, read again and again; every letter to one of these addresses is handed out once."""

    def __init__(self, folder: Path, addresses: Collection[str]) -> None:
        self._folder = folder
        self._addresses = addresses
        self._read: set[str] = set()
        self._waiting: list[Notification] = []
        self.letters: list[Notification] = []

    def next_for(self, address: str, kind: str) -> Notification:
        """Wait for the next letter of this kind to this address."""
        return self._next(lambda letter: letter.to == address and letter.kind == kind)

    def next_of(self, *kinds: str) -> Notification:
        """Wait for the next letter of one of these kinds to anybody."""
        return self._next(lambda letter: letter.kind in kinds)

    def _next(self, is_wanted: Callable[[Notification], bool]) -> Notification:
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            self._collect()
            found = next(filter(is_wanted, self._waiting), None)
            if found is not None:
                self._waiting.remove(found)
                return found
            time.sleep(0.01)
        raise AssertionError(f"no such letter came; there were {self.kinds()}")

    def kinds(self) -> Counter[str]:
        """How many letters of each kind have come."""
        self._collect()
        return Counter(letter.kind for letter in self.letters)

    def _collect(self) -> None:
        folder = self._folder / "new"
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        for name in sorted(names - self._read):
            letter = _letter((folder / name).read_bytes())
            if letter.to in self._addresses:
                self.letters.append(letter)
                self._waiting.append(letter)
        self._read |= names


def _letter(content: bytes) -> Notification:
    message = email.message_from_bytes(content, policy=default)
    assert isinstance(message, EmailMessage)
    text = message.get_body(("plain",))
    assert text is not None
    return Notification(
        kind=message["Feedback-ID"].partition(":")[0],
        to=message["Delivered-To"],
        message_id=message["Message-ID"],
        text=text.get_content(),
    )
