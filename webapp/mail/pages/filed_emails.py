"""The emails that a server without a relay files in a Maildir, read for the mailbox page, and answers to them."""

import mailbox
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from pathlib import Path
from typing import Final, NamedTuple

_ENVELOPE_BYTES: Final = 600
_SUBFOLDERS: Final = ("tmp", "new", "cur")


class EmailFile(NamedTuple):
    """One email in the folder; ``key`` is its name there."""

    key: str
    at: datetime
    recipient: str


class FiledEmail(NamedTuple):
    """The content of one email. None of it is trusted: texts must be escaped, ``html`` is for a frame of its own."""

    recipient: str
    subject: str
    title: str
    """The first line of the text, apart from the one above which answers are read."""
    headers: tuple[tuple[str, str], ...]
    text: str
    html: str
    message_id: str
    reply_to: str
    """The address to which it can be answered; empty if it can't."""


class EmailFolder:
    """One Maildir. Emails never change, so the envelopes of a long list are read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files_by_key: dict[str, EmailFile] = {}

    def all_files(self) -> tuple[EmailFile, ...]:
        """Return every email, newest first."""
        maildir = self._open_maildir()
        if maildir is None:
            return ()
        found_files = {
            key: self._files_by_key.get(key) or _email_file(maildir, key)
            for key in maildir.iterkeys()
        }
        self._files_by_key = {key: file for key, file in found_files.items() if file}
        return tuple(sorted(self._files_by_key.values(), key=_filing_order, reverse=True))

    def read(self, key: str) -> FiledEmail | None:
        """Return one email; None if there is none with this key."""
        maildir = self._open_maildir()
        try:
            return None if maildir is None else _parse_email(maildir.get_bytes(key))
        except (KeyError, FileNotFoundError):
            return None

    def _open_maildir(self) -> "mailbox.Maildir | None":
        if not all((self._folder / name).is_dir() for name in _SUBFOLDERS):
            return None
        return mailbox.Maildir(self._folder, create=False)


def recipients_of(files: Sequence[EmailFile]) -> tuple[tuple[str, int], ...]:
    """Return every recipient with the number of their emails, by address."""
    return tuple(sorted(Counter(file.recipient for file in files).items()))


def answer_to(email: FiledEmail, typed_text: str, *, now: datetime) -> bytes:
    """Return the message with which the recipient of an email answers it, as a mail program would write it: with the email quoted below."""
    subject = email.subject
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = email.recipient
    message["To"] = email.reply_to
    message["Subject"] = subject if subject.lower().startswith("re:") else f"Re: {subject}"
    message["Date"] = format_datetime(now)
    message["In-Reply-To"] = email.message_id
    message["References"] = email.message_id
    quotation = "".join(f"> {line}\n" for line in email.text.splitlines())
    message.set_content(f"{typed_text.rstrip()}\n\nLodepost wrote:\n{quotation}")
    return message.as_bytes()


def _filing_order(file: EmailFile) -> tuple[datetime, str]:
    return file.at, file.key


def _email_file(maildir: mailbox.Maildir, key: str) -> EmailFile | None:
    """Return the time and the recipient; None for a file that Lodepost did not write or that was just removed."""
    seconds, _, unique_part = key.partition(".")
    try:
        with maildir.get_file(key) as email_stream:
            start = email_stream.read(_ENVELOPE_BYTES)
        microseconds = int(unique_part.removeprefix("M").partition("P")[0])
        at = datetime.fromtimestamp(int(seconds), UTC).replace(microsecond=microseconds)
    except (KeyError, ValueError, OSError):
        return None
    envelope = message_from_bytes(start, policy=policy.compat32)
    return EmailFile(key, at, str(envelope["Delivered-To"] or ""))


def _parse_email(content: bytes) -> FiledEmail:
    message = message_from_bytes(content, policy=policy.default)
    text = _body_part(message, "plain")
    return FiledEmail(
        recipient=str(message["Delivered-To"] or ""),
        subject=str(message["Subject"] or ""),
        title=next((line for line in text.splitlines() if line and not line.startswith("---")), ""),
        headers=tuple((name, str(value)) for name, value in message.items()),
        text=text,
        html=_with_pictures(_body_part(message, "html"), message),
        message_id=str(message["Message-ID"] or ""),
        reply_to=parseaddr(str(message["Reply-To"] or ""))[1],
    )


def _with_pictures(html: str, message: EmailMessage) -> str:
    """Return the HTML with its attached pictures in it, because a frame knows no ``cid:``."""
    for part in message.walk():
        content_id = str(part["Content-ID"] or "").strip("<>")
        if content_id and part.get_content_type() == "image/png":
            data = b64encode(part.get_payload(decode=True) or b"").decode("ascii")  # type: ignore[arg-type] # bytes, as it is no multipart
            html = html.replace(f'"cid:{content_id}"', f'"data:image/png;base64,{data}"')
    return html


def _body_part(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    return "" if part is None else str(part.get_content())
