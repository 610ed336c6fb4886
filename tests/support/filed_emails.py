"""The emails that a running Lodepost has filed, as the people in a test read them."""

import re
import time
from collections import Counter
from collections.abc import Callable, Collection
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import NamedTuple

_TIMEOUT_SECONDS = 240.0


class FiledEmail(NamedTuple):
    """An email as its recipient reads it."""

    kind: str
    to: str
    message_id: str
    text: str

    @property
    def link(self) -> str:
        """The link to act on: the first in the text."""
        return re.findall(r"https?://\S+", self.text)[0]

    @property
    def code(self) -> str:
        return re.findall(r"\b\d{3} ?\d{3}\b", self.text)[0].replace(" ", "")


class MaildirInbox:
    """A Maildir that is polled. Every email to one of these addresses is returned once.

    Where no worker runs, ``deliver`` files the emails that are due before each look.
    """

    def __init__(
        self,
        folder: Path,
        addresses: Collection[str],
        deliver: Callable[[], None] = lambda: None,
    ) -> None:
        self._folder = folder
        self._addresses = addresses
        self._deliver = deliver
        self._read_names: set[str] = set()
        self._unread_emails: list[FiledEmail] = []
        self.emails: list[FiledEmail] = []

    def next_email_to(self, address: str, kind: str) -> FiledEmail:
        """Wait for the next email of this kind to this address."""
        return self._next_matching(lambda email: email.to == address and email.kind == kind)

    def next_email_of_kinds(self, *kinds: str) -> FiledEmail:
        """Wait for the next email of one of these kinds."""
        return self._next_matching(lambda email: email.kind in kinds)

    def _next_matching(self, is_wanted: Callable[[FiledEmail], bool]) -> FiledEmail:
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            self._collect_new_emails()
            email = next(filter(is_wanted, self._unread_emails), None)
            if email is not None:
                self._unread_emails.remove(email)
                return email
            time.sleep(0.01)
        raise AssertionError(f"no such email arrived; there were {self.kinds()}")

    def kinds(self) -> Counter[str]:
        """Return how many emails of each kind have arrived."""
        self._collect_new_emails()
        return Counter(email.kind for email in self.emails)

    def _collect_new_emails(self) -> None:
        self._deliver()
        folder = self._folder / "new"
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        for name in sorted(names - self._read_names, key=_filing_order):
            email = _parse((folder / name).read_bytes())
            if email.to in self._addresses:
                self.emails.append(email)
                self._unread_emails.append(email)
        self._read_names |= names


def _filing_order(name: str) -> list[int]:
    """Return second, microsecond, process and number of an email from the name of its file; several have the same file time."""
    return [int(number) for number in re.findall(r"\d+", name)[:4]]


def _parse(content: bytes) -> FiledEmail:
    message = message_from_bytes(content, policy=default)
    assert isinstance(message, EmailMessage)
    text = message.get_body(("plain",))
    assert text is not None
    return FiledEmail(
        kind=message["Feedback-ID"].partition(":")[0],
        to=message["Delivered-To"],
        message_id=message["Message-ID"],
        text=text.get_content(),
    )
