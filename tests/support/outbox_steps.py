"""Steps of a delivery as a worker takes them, and looks at the rows of the outbox."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import select

from tests.support.factories import DAY
from tests.support.transactions import NOON, transaction
from webapp.clock.sweep import sweep
from webapp.kernel.tx import Database, Tx
from webapp.mail import stored_message
from webapp.mail.mime import MessageParts
from webapp.mail.outbox.delivery import Claim, claim, mark_sent, store_messages
from webapp.mail.preparation import DEFAULT_EMAIL_WAIT, OutgoingEmail, prepare_emails
from webapp.mail.schema import Notification, StoredMessage

REMINDER_TIME = NOON + DAY * 0.8
"""When the reminder of a turn that began at noon is due."""


def collect_emails(
    database: Database,
    *,
    now: datetime = NOON,
    kind: str | None = None,
    email_wait: timedelta = DEFAULT_EMAIL_WAIT,
) -> list[OutgoingEmail]:
    """Claim and prepare all that is due, mark the emails of other kinds sent, and return the rest."""
    with transaction(database, now) as tx:
        claims = claim(tx, limit=1000)
    with transaction(database, now) as tx:
        outgoing = prepare_emails(tx, claims, email_wait=email_wait)
    matching_emails = [email for email in outgoing if kind in {None, email.claim.kind}]
    with transaction(database, now) as tx:
        other_claims = [email.claim for email in outgoing if email not in matching_emails]
        mark_all_sent(tx, other_claims)
    return matching_emails


def collect_email(database: Database, kind: str, *, now: datetime = NOON) -> OutgoingEmail:
    [email] = collect_emails(database, now=now, kind=kind)
    return email


def stored_state(database: Database, notification: Claim) -> tuple[str, str | None, str | None]:
    """Return the status and reason of a notification, and the text of its message."""
    with transaction(database) as tx:
        query = select(Notification.status, Notification.reason, StoredMessage.message)
        query = query.outerjoin(StoredMessage, StoredMessage.notification_id == Notification.id)
        row = tx.execute(query.where(Notification.id == notification.id)).one()
        message = stored_message.decode(row[2])
        return row[0], row[1], None if message is None else message.text


def dropped_reasons(database: Database, kind: str) -> list[str | None]:
    with transaction(database) as tx:
        query = (
            select(Notification.reason)
            .where(Notification.kind == kind, Notification.status == "dropped")
            .order_by(Notification.settled_at, Notification.id)
        )
        return list(tx.execute(query).scalars())


def mark_due_emails_sent(database: Database) -> None:
    """Mark every due email sent while there is time."""
    collect_emails(database, kind="none")


def queue_reminders(database: Database) -> None:
    with transaction(database, REMINDER_TIME) as tx:
        assert sweep(tx).reminded_count == 1


def mark_all_sent(tx: Tx, claims: Iterable[Claim]) -> None:
    """Mark claimed emails sent, each with a Message-ID of its own."""
    mark_sent(tx, [(claim, f"<m{claim.id}@lodepost.test>") for claim in claims])


def store(tx: Tx, email: OutgoingEmail, text: str) -> frozenset[int]:
    """Store a message with this text."""
    fields = (("Message-ID", f"<m{email.claim.id}@lodepost.test>"),)
    parts = MessageParts(text=text, fields=fields, html="", boundary="=_b")
    return store_messages(tx, [(email.claim, stored_message.encode(parts))])
