"""The emails of the outbox: which of them wait and since when, and what operators and moderators of a game see of them.

Emails that were given up or wait are tried again; others are dropped, or composed again. No content or token is read.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    Text,
    and_,
    case,
    func,
    literal_column,
    or_,
    select,
    update,
)

from webapp.accounts.schema import Account
from webapp.kernel.tx import Tx
from webapp.mail.queries.bounces import is_for_operator
from webapp.mail.queries.outbox import erase_messages
from webapp.mail.schema import Notification, has_stored_message, waits_after_refusal
from webapp.play.schema import Game


class EmailSelection(NamedTuple):
    """Which emails are meant; None and an empty tuple stand for all."""

    ids: tuple[int, ...] = ()
    game_slug: str | None = None
    since: datetime | None = None
    """Only emails that were first due at this instant or later."""
    is_dead_only: bool = False
    """Whether only emails that were given up are meant."""


class QueuedEmail(NamedTuple):
    """An email of the outbox."""

    id: int
    kind: str
    game_slug: str | None
    recipient_name: str | None
    """The name of the account, if the email is to one."""
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


# A literal, not a parameter: only then does a prepared statement use the partial index.
_PENDING = literal_column("'pending'", Text)
_TURN_EMAIL_KINDS: Final = ("your-turn", "reminder", "nudge")
_SECONDS_PER_DAY: Final = 24 * 60 * 60


class LatestDigest(NamedTuple):
    """The newest email to one moderator about requests to join a club; each gets at most one a day about a club."""

    is_pending: bool
    due_at: datetime


class WaitingEmails(NamedTuple):
    """Emails that wait for one cause."""

    cause: str
    """Why a failed attempt is repeated, ``quiet-hours``, or ``new`` if none has failed."""
    number: int
    oldest_since: datetime
    """The instant from which the oldest could have been sent; for quiet hours, their end."""


def last_dedup_key(tx: Tx, game_id: int, kind: str) -> int:
    """Return the highest dedup key of a game's notifications of this kind; 0 if there are none."""
    number: int = tx.execute(
        select(func.coalesce(func.max(Notification.dedup_key), 0)).where(
            Notification.game_id == game_id, Notification.kind == kind
        )
    ).scalar_one()
    return number


def newest_digest(tx: Tx, club_id: int, account_ids: Sequence[int]) -> dict[int, LatestDigest]:
    """Return the newest email about requests to this club since yesterday, for each of these accounts that has one."""
    today = day_number(tx.now)
    rows = tx.execute(
        select(
            Notification.account_id,
            Notification.status,
            has_stored_message().label("is_composed"),
            Notification.first_due_at,
        )
        .where(Notification.game_id.is_(None), Notification.kind == "club-request")
        .where(Notification.seq.in_((today - 1, today, today + 1)))
        .where(Notification.dedup_key == club_id, Notification.account_id.in_(account_ids))
        .order_by(Notification.seq)
    )
    return {
        row.account_id: LatestDigest(
            row.status == "pending" and not row.is_composed, row.first_due_at
        )
        for row in rows
    }


def day_number(instant: datetime) -> int:
    """Return the number of a day in UTC, which is the ``seq`` of an email that comes at most once a day."""
    return int(instant.timestamp()) // _SECONDS_PER_DAY


def accounts_pending_after(
    tx: Tx, game_id: int, kind: str, instant: datetime
) -> frozenset[int | None]:
    """Return the accounts with a pending notification of this kind that is composed only after this instant."""
    rows = tx.execute(
        select(Notification.account_id)
        .where(Notification.game_id == game_id, Notification.kind == kind)
        .where(Notification.status == _PENDING, ~has_stored_message())
        .where(Notification.due_at > instant)
    )
    return frozenset(rows.scalars())


def drop_unsent(
    tx: Tx, game_id: int, dedup_key: int, *, reason: str, now: datetime
) -> frozenset[int]:
    """Drop the emails about an act that no one has begun to send; return the accounts that were to get them."""
    rows = tx.execute(
        update(Notification)
        .where(Notification.game_id == game_id, Notification.dedup_key == dedup_key)
        .where(Notification.kind == "moderator-act", Notification.status == _PENDING)
        .where(Notification.lease_until.is_(None), Notification.attempted_at.is_(None))
        .where(~has_stored_message())
        .values(status="dropped", reason=reason, settled_at=now)
        .returning(Notification.account_id)
    )
    return frozenset(account_id for account_id in rows.scalars() if account_id is not None)


def oldest_pending_since(tx: Tx) -> datetime | None:
    """Return the instant from which the oldest pending notification could have been sent.

    During quiet hours it may be in the future. Emails that wait because of their recipients' mailboxes do not count.
    """
    return tx.execute(
        select(func.min(waiting_since())).where(Notification.status == _PENDING, is_for_operator())
    ).scalar_one()


def count_pending(tx: Tx) -> int:
    """Return how many emails wait to be sent."""
    count = select(func.count()).select_from(Notification).where(Notification.status == _PENDING)
    return tx.execute(count).scalar_one()


def pending_by_cause(tx: Tx) -> list[WaitingEmails]:
    """Return how many emails wait, by cause."""
    is_quiet = and_(Notification.quiet_until > tx.now, Notification.delay_cause.is_(None))
    cause = func.coalesce(Notification.delay_cause, case((is_quiet, "quiet-hours"), else_="new"))
    named_cause = cause.label("cause")
    rows = tx.execute(
        select(named_cause, func.count(), func.min(waiting_since()))
        .where(Notification.status == _PENDING)
        .group_by(named_cause)
        .order_by(named_cause)
    )
    return [WaitingEmails(*row) for row in rows]


def waiting_since() -> ColumnElement[datetime]:
    """Return the instant from which an email could have been sent: after it was first due, and after quiet hours."""
    return func.greatest(Notification.first_due_at, Notification.quiet_until)


def games_with_unsent_reminder(tx: Tx, game_ids: Sequence[int]) -> frozenset[int]:
    """Return those of these games whose player was reminded by an email that has not been sent, and holds no turn."""
    email = Notification
    dedup_key = func.floor(func.extract("epoch", Game.remind_at))
    was_too_late = and_(email.status == "dropped", email.reason.in_(("too-late", "deadline-moved")))
    rows = tx.execute(
        select(Game.id)
        .join(email, and_(email.game_id == Game.id, email.seq == Game.turn_seq))
        .where(Game.id.in_(game_ids), email.kind == "reminder", email.dedup_key == dedup_key)
        .where(or_(email.status == _PENDING, was_too_late), Game.held_turn.is_(None))
    )
    return frozenset(rows.scalars())


def discard_messages(tx: Tx, game_ids: Sequence[int]) -> None:
    """Let the waiting emails about the turns of these games be composed again, because their deadlines have moved.

    Those that are being sent stay as they are, and no worker begins another one before the new deadline is committed.
    """
    if game_ids:
        waiting_emails = (
            select(Notification.id)
            .where(Notification.game_id.in_(game_ids), Notification.kind.in_(_TURN_EMAIL_KINDS))
            .where(Notification.status == _PENDING, Notification.lease_until.is_(None))
            .order_by(Notification.id)
            .with_for_update(key_share=True)
        )
        erase_messages(tx, tx.execute(waiting_emails).scalars().all())


def was_dropped(tx: Tx, game_id: int, kind: str, account_id: int, seq: int) -> bool:
    """Return whether a notification of this kind about a turn was dropped."""
    rows = tx.execute(
        select(Notification.id)
        .where(Notification.game_id == game_id, Notification.kind == kind)
        .where(Notification.account_id == account_id, Notification.seq == seq)
        .where(Notification.status == "dropped")
        .limit(1)
    )
    return rows.first() is not None


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
                reason=case((has_failed, None), else_=email.reason),
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
