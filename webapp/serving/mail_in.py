"""Run `lodepost mail-in`: a process that receives emails until a signal ends it."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime

from webapp.clock import utc_now
from webapp.config import Settings
from webapp.mail.inbound.receiving import own_addresses
from webapp.mail.inbound.server import MailReceiver, MailServer
from webapp.operator_errors import OperatorError
from webapp.services.tx import Database, Nudge
from webapp.serving.process import stop_signals

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
        database = Database(settings.database_url, pool_size=_POOL_SIZE)
        stack.callback(database.dispose)
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
