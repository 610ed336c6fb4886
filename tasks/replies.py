"""Takes emails out of the mailbox of IMAP_URL, and reads all that were received, one transaction each.

An email that can't be read because of an error here is settled unread, and the others are read.
"""

import logging
from collections.abc import Sequence

from tasks.context import WorkerContext
from webapp.kernel.refusals import Unavailable
from webapp.mail.inbound.delivery_reports import reported_message_id
from webapp.mail.inbound.imap import ImapUnavailable, open_mailbox
from webapp.mail.inbound.processing import examine, give_up_email, next_email, settle_email
from webapp.mail.inbound.receiving import find_mailbox, find_reported, receive

_log = logging.getLogger(__name__)


def fetch_emails(worker: WorkerContext) -> None:
    """Store every new email in the mailbox to one of our addresses; do nothing without a mailbox, or while another thread does it."""
    poll = worker.imap_poll
    if poll.mailbox is None or not poll.lock.acquire(blocking=False):
        return

    def store(recipients: Sequence[str], raw: bytes) -> bool:
        return _store_fetched(worker, recipients, raw)

    try:
        with open_mailbox(poll.mailbox) as mailbox:
            poll.seen = mailbox.take_new(poll.seen, store, now=worker.now())
    except ImapUnavailable as problem:
        _log.warning("The mailbox of IMAP_URL cannot be read: %s", problem)
    finally:
        poll.lock.release()


def _store_fetched(worker: WorkerContext, recipients: Sequence[str], raw: bytes) -> bool:
    """Store an email for the first of its recipients that is one of our addresses; return whether there is one."""
    with worker.transaction() as tx:
        found = (find_mailbox(tx, each, worker.own_addresses) for each in recipients)
        mailbox = next(filter(None, found), None) or find_reported(tx, reported_message_id(raw))
        if mailbox is not None:
            receive(tx, mailbox, raw)
    worker.nudge(tx.nudges)
    return mailbox is not None


def read_replies(worker: WorkerContext) -> None:
    """Settle every email that waits."""
    while not worker.is_stopping() and _read_one(worker):
        pass


def _read_one(worker: WorkerContext) -> bool:
    """Settle one email; return whether there was one. What it causes is sent as nudges after the commit."""
    with worker.transaction() as tx:
        row = next_email(tx)
    if row is None:
        return False
    examined = None
    try:
        examined = examine(
            row,
            authserv_id=worker.authserv_id,
            fetch_texts=worker.fetch_txt_records,
            own_addresses=(worker.mail_from, *worker.own_addresses),
        )
        with worker.transaction() as tx:
            settle_email(tx, examined)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the others must be read
        _log.exception("A received email cannot be read.")
        with worker.transaction() as tx:
            give_up_email(tx, row.id, examined)
    worker.nudge(tx.nudges)
    return True
