"""The mails that were filed on this machine, read back for the mailbox page."""

import mailbox
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Final, NamedTuple

_ENVELOPE_SIZE: Final = 600
_FOLDERS: Final = ("tmp", "new", "cur")


class Filed(NamedTuple):
    """One mail in the folder; ``key`` names it there."""

    key: str
    at: datetime
    recipient: str


class Mail(NamedTuple):
    """One mail, read. Nothing in it is trusted: texts are for escaping, ``html`` is for a frame of its own."""

    recipient: str
    subject: str
    title: str
    """Its first line, which says more than a subject that is the same for a whole game."""
    headers: tuple[tuple[str, str], ...]
    text: str
    html: str


class FiledMails:
    """One Maildir. Mails never change, so what was read once of a long list is remembered."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Filed] = {}

    def all(self) -> tuple[Filed, ...]:
        """Every mail, newest first."""
        box = self._open()
        if box is None:
            return ()
        found = {key: self._known.get(key) or _filed(box, key) for key in box.iterkeys()}
        self._known = {key: mail for key, mail in found.items() if mail}
        return tuple(sorted(self._known.values(), key=_newest, reverse=True))

    def read(self, key: str) -> Mail | None:
        """One mail; None when there is none of this name."""
        box = self._open()
        try:
            return None if box is None else _read(box.get_bytes(key))
        except (KeyError, FileNotFoundError):
            return None

    def _open(self) -> "mailbox.Maildir | None":
        if not all((self._folder / name).is_dir() for name in _FOLDERS):
            return None
        return mailbox.Maildir(self._folder, create=False)


def recipients_of(mails: Sequence[Filed]) -> tuple[tuple[str, int], ...]:
    """Everybody who got mail, and how many, by address."""
    return tuple(sorted(Counter(mail.recipient for mail in mails).items()))


def _newest(mail: Filed) -> tuple[datetime, str]:
    return mail.at, mail.key


def _filed(box: mailbox.Maildir, key: str) -> Filed | None:
    """None for what is no mail of ours, or has just been removed."""
    seconds, _, rest = key.partition(".")
    try:
        with box.get_file(key) as opened:
            start = opened.read(_ENVELOPE_SIZE)
        micros = int(rest.removeprefix("M").partition("P")[0])
        at = datetime.fromtimestamp(int(seconds), UTC).replace(microsecond=micros)
    except (KeyError, ValueError, OSError):
        return None
    envelope = message_from_bytes(start, policy=policy.compat32)
    return Filed(key, at, str(envelope["Delivered-To"] or ""))


def _read(filed: bytes) -> Mail:
    message = message_from_bytes(filed, policy=policy.default)
    text = _content(message, "plain")
    return Mail(
        recipient=str(message["Delivered-To"] or ""),
        subject=str(message["Subject"] or ""),
        title=text.partition("\n")[0].strip(),
        headers=tuple((name, str(value)) for name, value in message.items()),
        text=text,
        html=_content(message, "html"),
    )


def _content(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    return "" if part is None else str(part.get_content())
