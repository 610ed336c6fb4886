"""Emails that stay on this machine: a Maildir, which mail programs can read."""

import mailbox
from pathlib import Path
from threading import Lock

from webapp.kernel.files import sync_folder
from webapp.mail.transport import RenderedEmail, Unreachable


class MaildirTransport:
    """Files each email. A file is complete or absent, whenever the process dies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._filing_lock = Lock()

    def send(self, email: RenderedEmail) -> None:
        """File the email durably. Raises Unreachable if the folder cannot be written to."""
        try:
            with self._filing_lock:
                self._file_email(email)
        except OSError as error:
            raise Unreachable(f"Maildir: {error.strerror}") from error

    def close(self) -> None:
        """Delete incomplete files of killed processes once they are 36 hours old."""
        if (self._folder / "tmp").is_dir():
            mailbox.Maildir(self._folder).clean()

    def _file_email(self, email: RenderedEmail) -> None:
        # The library makes these only together with the folder, and a killed process may have made the folder alone.
        for name in ("", "tmp", "new", "cur"):
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written and synced in tmp/, then linked into new/.
        mailbox.Maildir(self._folder).add(_with_delivery_headers(email))
        sync_folder(self._folder / "new")


def _with_delivery_headers(email: RenderedEmail) -> bytes:
    """Return the message as final delivery leaves it: its envelope on top (RFC 5321 4.4), with the line ends of files."""
    envelope = f"Return-Path: <{email.senders[0]}>\nDelivered-To: {email.recipient}\n"
    return envelope.encode("ascii") + email.message.replace(b"\r\n", b"\n")
