"""The emails about a request to join a club: to those who may answer it, and to the person who gets an answer."""

from datetime import timedelta
from typing import Final, Literal

from webapp.services.tx import Tx
from webapp.store.clubs import members
from webapp.store.clubs.club_rows import MembershipRow
from webapp.store.notifications import outbox, pending_emails
from webapp.store.notifications.outbox import NewNotification

_DIGEST_INTERVAL: Final = timedelta(days=1)


def announce_request(tx: Tx, club_id: int) -> None:
    """Queue an email to everyone who may answer: at once, or a day after the last one about this club.

    An email lists all who ask when it is sent, so one that is still waiting is enough.
    """
    moderators = members.accounts_wanting_requests(tx.connection, club_id)
    latest_digest = pending_emails.newest_digest(tx.connection, club_id, moderators, now=tx.now)
    emails = []
    for account_id in moderators:
        last_digest = latest_digest.get(account_id)
        if last_digest is not None and last_digest.is_pending:
            continue
        due_at = (
            tx.now if last_digest is None else max(tx.now, last_digest.due_at + _DIGEST_INTERVAL)
        )
        emails.append(
            NewNotification(
                kind="club-request",
                game_id=None,
                seq=pending_emails.day_number(due_at),
                account_id=account_id,
                dedup_key=club_id,
                due_at=due_at,
            )
        )
    outbox.enqueue(tx.connection, emails)
    tx.nudges.add("emails")


def answer_request(
    tx: Tx,
    club_id: int,
    target: MembershipRow,
    *,
    kind: Literal["club-admitted", "club-declined"],
) -> None:
    """Queue the email to the person who asked."""
    email = NewNotification(
        kind=kind,
        game_id=None,
        # Every request has another number, so that each gets its answer.
        seq=target.id,
        account_id=target.account_id,
        dedup_key=club_id,
        due_at=tx.now,
    )
    outbox.enqueue(tx.connection, [email])
    tx.nudges.add("emails")
