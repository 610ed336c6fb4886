"""Run `lodepost mail-in`: receive emails by SMTP or LMTP from the host's own mail server. Each is stored, and only then accepted.

It refuses only tokens that were never issued, or whose game ended long ago (550 5.1.1), and asks for another attempt while the
database does not answer (451 4.3.0). It relays nothing and answers nothing.
"""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import Final

from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from webapp.kernel.config import Settings
from webapp.kernel.nudges import Nudge
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import Unavailable
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, transaction
from webapp.mail.inbound.receiving import (
    MAX_MESSAGE_SIZE,
    OwnAddresses,
    find_mailbox,
    own_addresses,
    receive,
)
from webapp.serving.process import stop_signals

_ACCEPTED: Final = "250 2.0.0 OK"
_UNKNOWN: Final = "550 5.1.1 No such address"
_TRY_AGAIN: Final = "451 4.3.0 The database does not answer; try again later"
_NO_RECIPIENT: Final = "554 5.5.1 No valid recipients"
_IDLE_SECONDS: Final = 60
_POOL_SIZE = 4


def receive_mail(
    settings: Settings,
    host: str,
    port: int,
    *,
    is_lmtp: bool,
    nudge: Callable[[set[Nudge]], None],
    now: Callable[[], datetime] = utc_now,
) -> int:
    """Receive emails at this address until SIGINT or SIGTERM."""
    with ExitStack() as stack:
        stop_event = stack.enter_context(stop_signals())
        database = stack.enter_context(Database(settings.database_url, pool_size=_POOL_SIZE))
        receiver = MailReceiver(database, addresses=own_addresses(settings), nudge=nudge, now=now)
        server = MailServer(receiver, host, port, is_lmtp=is_lmtp)
        try:
            server.start()
        except OSError as error:
            raise OperatorError(
                f"{host}:{port} cannot be listened on: {error.strerror}."
            ) from error
        stack.callback(server.stop)
        protocol = "LMTP" if is_lmtp else "SMTP"
        print(f"Lodepost receives emails by {protocol} at {host}:{port}", flush=True)  # noqa: T201 (the startup line)
        stop_event.wait()
    return 0


class MailReceiver:
    """What the protocol asks of the database; each call is one transaction."""

    def __init__(
        self,
        database: Database,
        *,
        addresses: OwnAddresses,
        nudge: Callable[[set[Nudge]], None],
        now: Callable[[], datetime],
    ) -> None:
        self._database, self._addresses = database, addresses
        self._nudge, self._now = nudge, now

    def check_recipient(self, recipient: str) -> str:
        """Return the answer to RCPT TO."""
        try:
            with transaction(self._database, self._now()) as tx:
                is_known = find_mailbox(tx, recipient, self._addresses) is not None
        except Unavailable:
            return _TRY_AGAIN
        return _ACCEPTED if is_known else _UNKNOWN

    def store(self, sender: str, recipient: str, content: bytes) -> str:
        """Store an email for one recipient, under its envelope sender (RFC 5321 4.4); return the answer."""
        message = b"Return-Path: <%b>\r\n%b" % (sender.encode("ascii", "replace"), content)
        try:
            with transaction(self._database, self._now()) as tx:
                mailbox = find_mailbox(tx, recipient, self._addresses)
                if mailbox is None:
                    return _UNKNOWN
                receive(tx, mailbox, message)
        except Unavailable:
            return _TRY_AGAIN
        self._nudge(tx.nudges)
        return _ACCEPTED


class _Handler:
    """The hooks of aiosmtpd; the database is asked in threads, so that a slow one holds up no other connection."""

    def __init__(self, receiver: MailReceiver, *, is_lmtp: bool) -> None:
        self._receiver, self._is_lmtp = receiver, is_lmtp

    async def handle_RCPT(  # noqa: N802 - the library's name
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        answer = await asyncio.to_thread(self._receiver.check_recipient, address)
        if answer == _ACCEPTED:
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(  # noqa: N802 - the library's name
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        answers = [
            await asyncio.to_thread(
                self._receiver.store, envelope.mail_from or "", recipient, content
            )
            for recipient in envelope.rcpt_tos
        ]
        if not answers:
            return _NO_RECIPIENT
        if self._is_lmtp:
            # LMTP has an answer for each recipient (RFC 2033 4.2).
            return "\r\n".join(answers)
        # SMTP has one for all: what is stored twice after another attempt is stored once.
        return next((answer for answer in answers if answer != _ACCEPTED), _ACCEPTED)


class MailServer(Controller):
    """Listens in a thread of its own between ``start`` and ``stop``."""

    def __init__(self, receiver: MailReceiver, host: str, port: int, *, is_lmtp: bool) -> None:
        self._is_lmtp = is_lmtp
        super().__init__(_Handler(receiver, is_lmtp=is_lmtp), hostname=host, port=port)

    def factory(self) -> SMTP:
        """Return the protocol of one connection."""
        protocol: type[SMTP] = LMTP if self._is_lmtp else SMTP
        return protocol(
            self.handler,
            data_size_limit=MAX_MESSAGE_SIZE,
            enable_SMTPUTF8=False,
            hostname=self.hostname,
            ident="Lodepost",
            timeout=_IDLE_SECONDS,
        )
