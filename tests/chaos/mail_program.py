"""How simulated people answer emails: a command, which their provider proves to come from them, to the server's receiver."""

import smtplib
from collections.abc import Mapping
from typing import Final

from tests.chaos.deployment import AUTHSERV_ID
from tests.chaos.inbox import RelayInbox
from webapp.kernel.keyring import hash_of
from webapp.mail.inbound.receiving import Mailbox, digest_of

_TIMEOUT_SECONDS: Final = 30.0
_TRY_AGAIN_CODES: Final = range(400, 500)


class NotAccepted(Exception):
    """The receiver could not be reached, or asks for another attempt."""


class MailProgram:
    """Sends answers to the receiver of a deployment."""

    def __init__(self, port: int, inbox: RelayInbox) -> None:
        self._port, self._inbox = port, inbox

    def reply_address(self, address: str, slug: str) -> str | None:
        return self._inbox.reply_address(address, slug)

    def send(self, sender: str, recipient: str, command: str) -> bytes:
        """Send a command; return the digest of what the receiver has accepted. Raises NotAccepted."""
        domain = sender.rpartition("@")[2]
        raw = (
            f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from={domain}\r\n"
            f"From: {sender}\r\nTo: {recipient}\r\nSubject: Re: Your turn\r\n\r\n{command}\r\n"
        ).encode()
        try:
            with smtplib.SMTP("127.0.0.1", self._port, timeout=_TIMEOUT_SECONDS) as client:
                client.sendmail(sender, [recipient], raw)
        except smtplib.SMTPRecipientsRefused as refusal:
            [(code, _)] = refusal.recipients.values()
            if code not in _TRY_AGAIN_CODES:
                raise
            raise NotAccepted from refusal
        except OSError as error:
            raise NotAccepted from error
        token = recipient.partition("+")[2].partition("@")[0]
        stored = f"Return-Path: <{sender}>\r\n".encode() + raw
        return digest_of(Mailbox(token_hash=hash_of(token)), stored)


def command_for(fields: Mapping[str, str]) -> str | None:
    """Return the command that makes the action with these form fields; None for those that need a player's name."""
    match fields["do"]:
        case "lay":
            turned = " turned" if fields.get("turned") == "1" else ""
            return f"lay {fields['card']} {fields['cell']}{turned}"
        case "discard":
            return f"discard {fields['card']}"
    return None
