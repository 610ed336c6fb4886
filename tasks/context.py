"""What every job needs: database, keys, composer, transport, clock and randomness, and what the threads of a worker share."""

import logging
import secrets
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Final, Literal, TypeAlias

from tasks.decider import Decider, ProcessDecider
from tasks.heartbeats import Heartbeats
from webapp.kernel.config import Settings
from webapp.kernel.keyring import Keyring, TokenSource, keyring_for
from webapp.kernel.networks import FetchTexts, fetch_txt_records
from webapp.kernel.nudges import Nudge
from webapp.kernel.refusals import Unavailable
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, Tx, read_only, transaction
from webapp.logs.fields import event_fields
from webapp.mail.compose import Composer
from webapp.mail.inbound.imap import ImapPoll, imap_mailbox_at
from webapp.mail.inbound.receiving import NO_ADDRESSES, OwnAddresses, own_addresses
from webapp.mail.preparation import DEFAULT_EMAIL_WAIT
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.mail.transport import MaildirTransport, Transport
from webapp.operations.processes import (
    DatabaseTime,
    clock_difference,
    database_time,
    is_clock_difference_too_large,
)
from webapp.picture.png import small_png_of
from webapp.play.bots.thinking_time import RecentDecisions
from webapp.site.current_settings import SettingsCache

_MAX_SENDERS: Final = 2
_MIN_LOG_INTERVAL: Final = timedelta(hours=1)
Direction: TypeAlias = Literal["ahead of", "behind"]
_log = logging.getLogger(__name__)


class SenderLimit:
    """Lets ``limit`` threads work at once. A thread that is turned away makes one of them do another round."""

    def __init__(self, limit: int) -> None:
        self._max_running_count = limit
        self._lock = Lock()
        self._running_count = 0
        self._is_repeat_requested = False

    def run(self, work: Callable[[], None]) -> None:
        """Do the work, and again if another thread was turned away meanwhile; return at once at the limit."""
        if not self._try_to_enter():
            return
        try:
            work()
            while self._take_repeat_request():
                work()
        finally:
            self._end_run()

    def _try_to_enter(self) -> bool:
        with self._lock:
            if self._running_count == self._max_running_count:
                self._is_repeat_requested = True
                return False
            self._running_count += 1
            return True

    def _take_repeat_request(self) -> bool:
        with self._lock:
            is_requested, self._is_repeat_requested = self._is_repeat_requested, False
            return is_requested

    def _end_run(self) -> None:
        with self._lock:
            self._running_count -= 1


class ClockAlarm:
    """Logs that the clock of this worker is wrong, once an hour for a clock that is ahead, and once for one that is behind."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._logged_at: dict[Direction, datetime] = {}

    def raise_alarm(self, difference: timedelta, *, now: datetime) -> None:
        """Log how far the clock is ahead of the database's (negative: behind) at ``now``, in the time of the database."""
        direction: Direction = "ahead of" if difference > timedelta(0) else "behind"
        with self._lock:
            logged_at = self._logged_at.get(direction)
            if logged_at is not None and now - logged_at < _MIN_LOG_INTERVAL:
                return
            self._logged_at[direction] = now
        _log.error(
            "The clock of this machine is %s %s the database's: this worker plays no turn, sends no email "
            "and deletes nothing. Synchronise both machines with NTP.",
            abs(difference),
            direction,
            extra=event_fields(
                "alarm", alarm="wrong-clock", seconds_ahead=int(difference.total_seconds())
            ),
        )


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    """The dependencies of one worker's jobs, shared by all its threads."""

    database: Database
    keys: Keyring
    composer: Composer
    png_of: Callable[[str, int], bytes] = small_png_of
    """Draws a picture of an email in so many pixels."""
    transport: Transport
    mail_from: str
    now: Callable[[], datetime]
    random_below: Callable[[int], int]
    """Returns a random number below the given one."""
    is_stopping: Callable[[], bool]
    """Whether the process has been asked to end: then jobs release what they have not begun."""
    nudge: Callable[[Collection[Nudge]], None]
    """Sends the nudges of a commit; never fails."""
    email_wait: timedelta = DEFAULT_EMAIL_WAIT
    """How long readers have been away from the site before they get an email about their turn."""
    authserv_id: str = ""
    """The name with which the host's mail server signs its results about incoming emails; empty without one."""
    own_addresses: OwnAddresses = NO_ADDRESSES
    """The addresses at which emails are received."""
    imap_poll: ImapPoll = field(default_factory=ImapPoll)
    """The mailbox that incoming emails are taken from, if there is one."""
    fetch_txt_records: FetchTexts = fetch_txt_records
    """Asks the DNS for the keys that sign incoming emails."""
    database_time: DatabaseTime = database_time
    pause: Callable[[float], None] = time.sleep
    sender_limit: SenderLimit = field(default_factory=lambda: SenderLimit(_MAX_SENDERS))
    heartbeats: Heartbeats = field(default_factory=Heartbeats)
    decider: Decider = field(default_factory=ProcessDecider)
    """Decides for bots, used under ``bots_lock``."""
    recent_decisions: RecentDecisions = field(default_factory=RecentDecisions)
    """How long its last decisions took, used under ``bots_lock``."""
    bots_lock: Lock = field(default_factory=Lock)
    clock_alarm: ClockAlarm = field(default_factory=ClockAlarm)

    def transaction(self) -> AbstractContextManager[Tx]:
        """Open a transaction in the present. Raises Unavailable."""
        return transaction(
            self.database, self.now(), tokens=self._token_source(), random_below=self.random_below
        )

    def read_only(self) -> AbstractContextManager[Tx]:
        """Read without a transaction, in the present. Raises Unavailable."""
        return read_only(
            self.database, self.now(), tokens=self._token_source(), random_below=self.random_below
        )

    def _token_source(self) -> TokenSource:
        return TokenSource(self.keys)

    def has_right_clock(self, tx: Tx) -> bool:
        """Return whether the clock agrees with the database's; if it does not, log an error and do nothing more."""
        difference = self.clock_difference(tx)
        if not is_clock_difference_too_large(difference):
            return True
        self.clock_alarm.raise_alarm(difference, now=self.now() - difference)
        return False

    def clock_difference(self, tx: Tx) -> timedelta:
        """Return by how much the clock is ahead of the database's; negative if it is behind."""
        return clock_difference(tx, self.now, self.database_time)

    def close(self) -> None:
        self.transport.close()
        self.decider.stop()
        with suppress(Unavailable), self.transaction() as tx:
            self.heartbeats.end(tx)
        self.database.dispose()


def worker_context_for(
    settings: Settings,
    *,
    is_stopping: Callable[[], bool],
    nudge: Callable[[Collection[Nudge]], None],
    now: Callable[[], datetime] = utc_now,
    database_time: DatabaseTime = database_time,
) -> WorkerContext:
    """Return the context of a real worker."""
    database = Database(settings.database_url)
    settings_cache = SettingsCache(database, settings.site_defaults, now)
    return WorkerContext(
        database=database,
        keys=keyring_for(settings),
        composer=Composer(
            base_url=settings.base_url,
            mail_from=settings.mail_from,
            site_name=lambda: settings_cache.current().site_name,
        ),
        transport=transport_for(settings),
        mail_from=settings.mail_from,
        now=now,
        database_time=database_time,
        random_below=secrets.randbelow,
        is_stopping=is_stopping,
        nudge=nudge,
        email_wait=timedelta(minutes=settings.email_wait_minutes),
        authserv_id=settings.authserv_id,
        own_addresses=own_addresses(settings),
        imap_poll=ImapPoll(imap_mailbox_at(settings.imap_url) if settings.imap_url else None),
    )


def transport_for(settings: Settings) -> Transport:
    """Return the transport to the relay in the settings; without one, to a folder on this machine."""
    if not settings.smtp_url:
        return MaildirTransport(settings.maildir)
    name = settings.mail_from.rpartition("@")[2]
    return SmtpTransport(relay_at(settings.smtp_url, name=name))
