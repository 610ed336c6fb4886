"""Mails that stay on this machine: a Maildir, which any mail program can read as well."""

import mailbox
from pathlib import Path
from threading import Lock

from webapp.files import sync_folder
from webapp.mail.errors import Unreachable
from webapp.mail.parcel import RenderedEmail


class MaildirTransport:
    """Files each message. A message is there whole or not at all, whenever the process dies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._filing = Lock()

    def send(self, parcel: RenderedEmail) -> None:
        """File the message durably; raise Unreachable when the folder cannot take it."""
        try:
            with self._filing:
                self._file(parcel)
        except OSError as refusal:
            raise Unreachable(f"Maildir: {refusal.strerror}") from refusal

    def close(self) -> None:
        """Sweep up what deliveries that were killed left half written (after 36 hours)."""
        if (self._folder / "tmp").is_dir():
            mailbox.Maildir(self._folder).clean()

    def _file(self, parcel: RenderedEmail) -> None:
        # The library makes these only together with the folder, which somebody killed may have left without them.
        for name in ("", "tmp", "new", "cur"):
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written and synced in tmp/, then linked into new/.
        mailbox.Maildir(self._folder).add(_as_delivered(parcel))
        sync_folder(self._folder / "new")


def _as_delivered(parcel: RenderedEmail) -> bytes:
    """The message as final delivery leaves it: with its envelope on top (RFC 5321 4.4), lines ending as files do."""
    envelope = f"Return-Path: <{parcel.senders[0]}>\nDelivered-To: {parcel.recipient}\n"
    return envelope.encode("ascii") + parcel.message.replace(b"\r\n", b"\n")
