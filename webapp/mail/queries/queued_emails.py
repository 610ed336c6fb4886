"""Emails as operators list them and moderators of a game see them, and another attempt for those that were given up or wait.

No content and no token is read.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, case, or_, select, update

from webapp.accounts.schema import Account
from webapp.kernel.tx import Tx
from webapp.mail.schema import Notification, waits_after_refusal
from webapp.play.schema import Game


class EmailSelection(NamedTuple):
    """Which emails are meant; None and an empty tuple stand for all."""

    ids: tuple[int, ...] = ()
    game_slug: str | None = None
    since: datetime | None = None
    """Due for the first time since then."""
    is_dead_only: bool = False
    """Only those that were given up."""


class QueuedEmail(NamedTuple):
    """An email of the outbox."""

    id: int
    kind: str
    game_slug: str | None
    recipient_name: str | None
    """Of the account, if the email is to one."""
    status: str
    attempts: int
    first_due_at: datetime
    due_at: datetime
    attempted_at: datetime | None
    settled_at: datetime | None
    delay_cause: str | None
    reason: str | None
    request_id: str | None


class GameEmail(NamedTuple):
    """What is public about an email of a game."""

    kind: str
    seq: int | None
    account_id: int | None
    status: str
    is_waiting: bool
    """Whether it waits for another attempt, and no one is sending it now."""


def newest_emails(tx: Tx, selection: EmailSelection, *, limit: int) -> list[QueuedEmail]:
    """Return the selected emails, newest first."""
    email = Notification
    query: Select[*tuple[Any, ...]] = select(
        email.id,
        email.kind,
        Game.slug,
        Account.name,
        email.status,
        email.attempts,
        email.first_due_at,
        email.due_at,
        email.attempted_at,
        email.settled_at,
        email.delay_cause,
        email.reason,
        email.request_id,
    )
    query = query.select_from(email).outerjoin(Game, Game.id == email.game_id)
    query = query.outerjoin(Account, Account.id == email.account_id)
    rows = tx.execute(_selected(query, selection).order_by(email.id.desc()).limit(limit))
    return [QueuedEmail(*row) for row in rows]


def retry(tx: Tx, selection: EmailSelection) -> Sequence[int]:
    """Let selected emails that were given up begin again, and those that wait after a failure be tried now; return their ids."""
    email = Notification
    has_failed = email.status == "failed"
    can_be_tried = or_(
        has_failed,
        (email.status == "pending")
        & email.delay_cause.is_not(None)
        & (email.lease_until.is_(None) | (email.lease_until <= tx.now)),
    )
    ids = _selected(
        select(email.id).outerjoin(Game, Game.id == email.game_id).where(can_be_tried), selection
    )
    return list(
        tx.execute(
            update(email)
            .where(email.id.in_(ids), can_be_tried)
            .values(
                status="pending",
                attempts=case((has_failed, 0), else_=email.attempts),
                first_due_at=case((has_failed, tx.now), else_=email.first_due_at),
                due_at=tx.now,
                settled_at=None,
            )
            .returning(email.id)
        ).scalars()
    )


def _selected(query: Select[*tuple[Any, ...]], selection: EmailSelection) -> Select[Any]:
    if selection.ids:
        query = query.where(Notification.id.in_(selection.ids))
    if selection.game_slug is not None:
        query = query.where(Game.slug == selection.game_slug)
    if selection.since is not None:
        query = query.where(Notification.first_due_at >= selection.since)
    if selection.is_dead_only:
        query = query.where(Notification.status == "failed")
    return query


def find_of_game(tx: Tx, game_id: int, email_id: int) -> GameEmail | None:
    """Return an email about this game."""
    row = tx.execute(
        select(
            Notification.kind,
            Notification.seq,
            Notification.account_id,
            Notification.status,
            waits_after_refusal(),
        ).where(Notification.id == email_id, Notification.game_id == game_id)
    ).first()
    return None if row is None else GameEmail(*row)


def try_now(tx: Tx, email_id: int, *, now: datetime) -> None:
    """Let the next attempt of an email that waits be made now; how often it was tried stays."""
    tx.execute(
        update(Notification)
        .where(Notification.id == email_id, waits_after_refusal())
        .values(due_at=now)
    )


def requeue(tx: Tx, email_id: int, *, now: datetime) -> None:
    """Let an email that was given up be composed and sent again, from the first attempt on."""
    tx.execute(
        update(Notification)
        .where(Notification.id == email_id, Notification.status == "failed")
        .values(
            status="pending",
            attempts=0,
            first_due_at=now,
            due_at=now,
            reason=None,
            settled_at=None,
        )
    )
