"""What every job is given: the database, the keys, time, chance, and the way for letters out. The one place where it is put together."""

import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tasks.sender_limit import SenderLimit
from webapp.clock import utc_now
from webapp.config import Settings
from webapp.mail.compose import Composer
from webapp.mail.maildir import MaildirTransport
from webapp.mail.parcel import Transport
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.services.keys import Keyring
from webapp.services.tx import Database, Nudge

_SENDERS: Final = 2


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    """One worker's means. Shared by all its threads."""

    database: Database
    keys: Keyring
    composer: Composer
    transport: Transport
    mail_from: str
    now: Callable[[], datetime]
    pick: Callable[[int], int]
    """A number below the given one."""
    is_stopping: Callable[[], bool]
    """Whether the process has been asked to end: then jobs give back what they have not begun."""
    nudge: Callable[[Collection[Nudge]], None]
    """Says what a commit made worth doing; never fails."""
    pause: Callable[[float], None] = time.sleep
    senders: SenderLimit = field(default_factory=lambda: SenderLimit(_SENDERS))

    def close(self) -> None:
        self.transport.close()
        self.database.dispose()


def worker_context_for(
    settings: Settings,
    *,
    is_stopping: Callable[[], bool],
    nudge: Callable[[Collection[Nudge]], None],
    now: Callable[[], datetime] = utc_now,
) -> WorkerContext:
    """The means of a real worker."""
    return WorkerContext(
        database=Database(settings.database_url),
        keys=Keyring(settings.secret_key.encode(), domain=settings.mail_domain),
        composer=Composer(base_url=settings.base_url, mail_from=settings.mail_from),
        transport=transport_for(settings),
        mail_from=settings.mail_from,
        now=now,
        pick=secrets.randbelow,
        is_stopping=is_stopping,
        nudge=nudge,
    )


def transport_for(settings: Settings) -> Transport:
    """The relay that the operator named; a folder on this machine where none is."""
    if not settings.smtp_url:
        return MaildirTransport(settings.maildir)
    name = settings.mail_from.rpartition("@")[2]
    return SmtpTransport(relay_at(settings.smtp_url, name=name))
